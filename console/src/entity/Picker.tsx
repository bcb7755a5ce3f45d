import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { suggestQuery } from '../api/queries.ts'
import type { Reference } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
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

/** Of more kinds than this all are asked at once, and those that are not wanted left out. */
const fewKinds = 3

/** @returns what fits the beginning of a name, and whether all of that has come; until then something of what fitted before */
const useSuggestions = (text: string, kinds: readonly string[]): { found: readonly Reference[]; complete: boolean } => {
  const prefix = useDebounced(text, 120)
  const asked = kinds.length > fewKinds ? [undefined] : kinds
  const limit = kinds.length > fewKinds ? 50 : 6
  const answers = useQueries({
    queries: asked.map((kind) => ({ ...suggestQuery(prefix, kind, limit), placeholderData: keepPreviousData })),
  })
  const found = answers.flatMap(({ data = [] }) => data).filter(({ type }) => kinds.includes(type))
  const complete =
    prefix === text && answers.every(({ isPending, isPlaceholderData }) => !isPending && !isPlaceholderData)
  return { found: prefix === '' ? [] : found, complete }
}

interface ChoiceProps extends Pick<PickerProps, 'label' | 'kinds' | 'chosen'> {
  readonly onChange: (chosen: readonly Reference[]) => void
  /** Only one can be chosen. */
  readonly single?: boolean
  readonly autoFocus?: boolean
}

/** Chooses entities by the beginning of their names. Enter takes the first that fits what is written, once that has come. */
export const Choice = ({ label, kinds, chosen, onChange, single = false, autoFocus = false }: ChoiceProps) => {
  const [text, setText] = useState('')
  const [entered, setEntered] = useState(false)
  const suggestions = useSuggestions(text.trim(), kinds)
  const taken = new Set(chosen.map(({ id }) => id))
  const found = text.trim() === '' ? [] : suggestions.found.filter(({ id }) => !taken.has(id))
  const write = (written: string): void => {
    setText(written)
    setEntered(false)
  }
  const add = (reference: Reference): void => {
    onChange(single ? [reference] : [...chosen, reference])
    write('')
  }
  useEffect(() => {
    if (!entered || !suggestions.complete) return
    setEntered(false)
    if (found[0] !== undefined) add(found[0])
  })
  return (
    <div
      className="picker"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || text.trim() === '' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        setEntered(true)
      }}
    >
      <ul className="chips">
        {chosen.map((reference) => (
          <li key={reference.id} className="chip">
            {nameOf(reference)}
            <Button
              look="quiet"
              icon="close"
              label={`Remove ${nameOf(reference)}`}
              onClick={() => onChange(chosen.filter(({ id }) => id !== reference.id))}
            />
          </li>
        ))}
      </ul>
      {!(single && chosen.length > 0) && (
        <input
          aria-label={label}
          placeholder="Begin to type a name"
          autoFocus={autoFocus}
          value={text}
          onChange={(event) => write(event.target.value)}
        />
      )}
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
    </div>
  )
}

/** Chooses entities in the place of a member, and saves them. */
export const Picker = ({ label, kinds, chosen, busy, error, onSave, onCancel }: PickerProps) => {
  const [draft, setDraft] = useState(chosen)
  return (
    <form
      className="picker"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(draft)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <Choice label={label} kinds={kinds} chosen={draft} autoFocus onChange={setDraft} />
      <Problems error={error} />
      <div className="row">
        <SaveOrCancel busy={busy} onCancel={onCancel} />
      </div>
    </form>
  )
}
