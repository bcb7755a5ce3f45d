import { useEffect, useState } from 'react'
import { kinds } from '../api/kinds.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import { useDebounced } from '../ui/useDebounced.ts'
import type { ActivityFilter } from './deeds.ts'
import { eventTypes } from './eventTypes.ts'

const times: readonly (readonly [days: string, words: string])[] = [
  ['1', 'The last day'],
  ['7', 'The last week'],
  ['30', 'The last month'],
  ['365', 'The last year'],
]

interface ChoiceProps {
  readonly name: string
  readonly all: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly change: (value: string | undefined) => void
}

const Choice = ({ name, all, value, options, change }: ChoiceProps) => (
  <label className="select">
    <span className="hidden">{name}</span>
    <select value={value} onChange={(event) => change(event.target.value || undefined)}>
      <option value="">{all}</option>
      {options.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  </label>
)

/** A name is taken once nobody types any more. */
const Person = ({ user, change }: { user: string; change: (user: string | undefined) => void }) => {
  const [text, setText] = useState(user)
  const settled = useDebounced(text.trim(), 300)
  useEffect(() => {
    if (settled !== user) change(settled || undefined)
    // oxlint-disable-next-line react-hooks/exhaustive-deps: only what is typed changes the address
  }, [settled])
  return (
    <input
      type="search"
      aria-label="Person"
      placeholder="By anybody"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

/** What narrows the page, kept in its address. */
export const Filters = ({ filter, change }: { filter: ActivityFilter; change: (changed: ActivityFilter) => void }) => {
  const me = useMe()
  const known = kinds.filter(({ name }) => mayDo(me, 'history', name) || mayDo(me, 'feed', name))
  return (
    <div className="row" role="group" aria-label="Show">
      <Person user={filter.user ?? ''} change={(user) => change({ user })} />
      <Choice
        name="Kind"
        all="All kinds"
        value={filter.kind ?? ''}
        options={known.map(({ name, many }) => [name, many] as const)}
        change={(kind) => change({ kind })}
      />
      <Choice
        name="What happened"
        all="Everything"
        value={filter.type ?? ''}
        options={eventTypes.map((type) => [type, type] as const)}
        change={(type) => change({ type })}
      />
      <Choice
        name="When"
        all="At any time"
        value={filter.days ?? ''}
        options={times}
        change={(days) => change({ days })}
      />
    </div>
  )
}
