import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'react'
import { EntityLink } from '../ui/EntityLink.tsx'
import { isRecord, isReference } from '../entity/parts.ts'
import { ValueView } from '../entity/ValueView.tsx'
import { beside, lookAlike, memberChanges, type ItemChange, type MemberChange, wordsOfKey } from './changes.ts'

/** Two texts side by side, with the words that differ marked on their side. */
export const TextDiff = ({ before, after }: { before: string; after: string }) => {
  const parts = useMemo(() => diffWordsWithSpace(before, after), [before, after])
  return (
    <div className="diff-sides">
      <div className="diff-side was">
        {parts
          .filter(({ added }) => !added)
          .map(({ value, removed }, at) => (removed ? <del key={at}>{value}</del> : <span key={at}>{value}</span>))}
      </div>
      <div className="diff-side is">
        {parts
          .filter(({ removed }) => !removed)
          .map(({ value, added }, at) => (added ? <ins key={at}>{value}</ins> : <span key={at}>{value}</span>))}
      </div>
    </div>
  )
}

/** Both values, as JSON where they look alike otherwise. */
const Sides = ({ member, before, after }: Pick<MemberChange, 'member' | 'before' | 'after'>) => {
  const alike = lookAlike(before, after)
  const shown = (value: unknown): React.ReactNode =>
    alike ? (
      <code>{JSON.stringify(value, null, 2)}</code>
    ) : (
      <ValueView value={value} isResult={member === 'latestResult'} />
    )
  return (
    <div className="diff-sides">
      <div className="diff-side was">{shown(before)}</div>
      <div className="diff-side is">{shown(after)}</div>
    </div>
  )
}

/** What a list holds, in one line: its name and type, or the link that it is. */
const Thing = ({ value }: { value: unknown }) => {
  if (isReference(value)) return <EntityLink reference={value} />
  if (!isRecord(value)) return <ValueView value={value} />
  const { name, tagFQN = name, dataType, description } = value
  const others = beside(value)
  return (
    <span className="thing">
      {tagFQN !== undefined && <code>{String(tagFQN)}</code>}
      {dataType !== undefined && <span className="tree-type">{String(dataType).toLowerCase()}</span>}
      {typeof description === 'string' && <span>{description}</span>}
      {Object.keys(others).length > 0 && <ValueView value={others} />}
    </span>
  )
}

const marks = { added: ['+', 'added'], removed: ['−', 'removed'], changed: ['~', 'changed'] } as const

const Item = ({ change }: { change: ItemChange }) => {
  const { key, before, after } = change
  const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  const [sign, word] = marks[what]
  return (
    <li className={`item-change ${what}`}>
      <span className="item-mark" aria-label={word} role="img">
        {sign}
      </span>
      <div className="item-body">
        {what === 'changed' ? (
          <>
            <code>{wordsOfKey(key)}</code>
            {memberChanges(before, after).map((member) => (
              <Change key={member.member} change={member} nested />
            ))}
            {memberChanges(before, after).length === 0 && <Sides member={key} before={before} after={after} />}
          </>
        ) : (
          <Thing value={before ?? after} />
        )}
      </div>
    </li>
  )
}

/** One member that differs. */
export const Change = ({ change, nested = false }: { change: MemberChange; nested?: boolean }) => {
  const { member, label, form, before, after, items } = change
  const Heading = nested ? 'h4' : 'h3'
  return (
    <section className={nested ? 'change nested' : 'change'} aria-label={label}>
      <Heading>{label}</Heading>
      {form === 'text' && <TextDiff before={String(before ?? '')} after={String(after ?? '')} />}
      {form === 'value' && <Sides member={member} before={before} after={after} />}
      {form === 'items' && (
        <ul className="item-changes">
          {items.map((item) => (
            <Item key={item.key} change={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Everything that differs, or that nothing does. */
export const Changes = ({
  changes,
  none = 'These versions differ only in author and time.',
}: {
  changes: readonly MemberChange[]
  none?: string
}) =>
  changes.length === 0 ? (
    <p className="hint pad">{none}</p>
  ) : (
    <div className="changes">
      {changes.map((change) => (
        <Change key={change.member} change={change} />
      ))}
    </div>
  )
