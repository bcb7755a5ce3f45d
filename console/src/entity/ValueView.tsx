import { EntityLink } from '../ui/EntityLink.tsx'
import { Tag } from '../ui/Tag.tsx'
import { Ago } from '../ui/Time.tsx'
import { wordsOf } from '../ui/format.ts'
import { isLabel, isRecord, isReference } from './parts.ts'

/** Names such as the API gives its own members; words of any other name could be those of two. */
const camelCase = /^[a-z]+\d*(?:[A-Z][a-z]+\d*)*$/

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0

interface ValueViewProps {
  readonly value: unknown
  /** It is the result of a test or a validation, whose `timestamp` is a moment. */
  readonly isResult?: boolean
}

/** Any value that an answer may hold, in the plainest form that shows all of it. */
export const ValueView = ({ value, isResult = false }: ValueViewProps) => {
  if (value === undefined || value === '' || isEmpty(value)) return <span className="hint">–</span>
  if (typeof value === 'boolean') return <span>{value ? 'yes' : 'no'}</span>
  if (typeof value === 'number') return <span>{String(value)}</span>
  if (typeof value === 'string') return <span className="text-value">{value}</span>
  if (isReference(value)) return <EntityLink reference={value} />
  if (isLabel(value)) return <Tag tag={value} />
  if (Array.isArray(value)) {
    return (
      <ul className="value-list">
        {value.map((item, at) => (
          <li key={at}>
            <ValueView value={item} />
          </li>
        ))}
      </ul>
    )
  }
  if (!isRecord(value)) return null
  return (
    <dl className="value-object">
      {Object.entries(value).map(([name, member]) => (
        <div key={name}>
          <dt>{camelCase.test(name) ? wordsOf(name) : <code>{name}</code>}</dt>
          <dd>
            {isResult && name === 'timestamp' && typeof member === 'number' ? (
              <Ago time={member} />
            ) : (
              <ValueView value={member} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
