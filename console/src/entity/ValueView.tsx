import { EntityLink } from '../ui/EntityLink.tsx'
import { Tag } from '../ui/Tag.tsx'
import { Ago } from '../ui/Time.tsx'
import { formatNumber, wordsOf } from '../ui/format.ts'
import { isLabel, isRecord, isReference } from './parts.ts'

/** Any value that an answer may hold, in the plainest form that shows all of it. */
export const ValueView = ({ value, isTime = false }: { value: unknown; isTime?: boolean }) => {
  if (isTime && typeof value === 'number') return <Ago time={value} />
  if (value === undefined || value === null || value === '') return <span className="hint">–</span>
  if (typeof value === 'boolean') return <span>{value ? 'yes' : 'no'}</span>
  if (typeof value === 'number') return <span>{formatNumber(value)}</span>
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
          <dt>{wordsOf(name)}</dt>
          <dd>
            <ValueView value={member} isTime={name === 'timestamp'} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
