import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { suggestQuery } from '../api/queries.ts'
import type { Reference } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { useDebounced } from '../ui/useDebounced.ts'
import { Problems } from '../ui/States.tsx'

interface PickerProps {
  readonly label: string
  /** Kinds to choose from. */
  readonly kinds: readonly string[]
  readonly chosen: readonly Reference[]
  readonly busy: boolean
  readonly error: unknown
  readonly onSave: (chosen: readonly Reference[]) => void
  readonly onCancel: () => void
}

const nameOf = ({ displayName, name }: Reference): string => displayName ?? name

/** Chooses entities by the beginning of their names. */
export const Picker = ({ label, kinds, chosen, busy, error, onSave, onCancel }: PickerProps) => {
  const [draft, setDraft] = useState(chosen)
  const [text, setText] = useState('')
  const prefix = useDebounced(text.trim(), 120)
  const answers = useQueries({
    queries: kinds.map((kind) => ({ ...suggestQuery(prefix, kind, 6), placeholderData: keepPreviousData })),
  })
  const taken = new Set(draft.map(({ id }) => id))
  const found = prefix === '' ? [] : answers.flatMap(({ data = [] }) => data).filter(({ id }) => !taken.has(id))
  const add = (reference: Reference): void => {
    setDraft([...draft, reference])
    setText('')
  }
  return (
    <form
      className="picker"
      onSubmit={(event) => {
        event.preventDefault()
        if (found[0] && text !== '') add(found[0])
        else onSave(draft)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <ul className="chips">
        {draft.map((reference) => (
          <li key={reference.id} className="chip">
            {nameOf(reference)}
            <Button
              look="quiet"
              icon="close"
              label={`Remove ${nameOf(reference)}`}
              onClick={() => setDraft(draft.filter(({ id }) => id !== reference.id))}
            />
          </li>
        ))}
      </ul>
      <input
        aria-label={label}
        placeholder="Begin to type a name"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {found.length > 0 && (
        <ul className="picker-list">
          {found.slice(0, 8).map((reference) => (
            <li key={reference.id}>
              <button type="button" onClick={() => add(reference)}>
                <KindIcon kind={reference.type} size={16} />
                <span>{nameOf(reference)}</span>
                <small>{reference.fullyQualifiedName}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Problems error={error} />
      <div className="row">
        <Button look="primary" busy={busy} onClick={() => onSave(draft)}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}
