import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { kindNamed } from '../api/kinds.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import { firstQuery, suggestQuery } from '../api/queries.ts'
import type { Reference } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { Listbox, useListbox } from '../ui/Listbox.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { inSentence } from '../ui/format.ts'
import { tagName } from '../ui/Tag.tsx'
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

/** A tag alone says little: `PII · Sensitive`. */
const nameOf = (reference: Reference): string =>
  reference.type === 'tag'
    ? tagName(reference.fullyQualifiedName, reference)
    : (reference.displayName ?? reference.name)

/** Tags of a page are known by their names alone; several that may not be viewed have one name. */
const keyOf = ({ type, fullyQualifiedName }: Reference): string => `${type} ${fullyQualifiedName}`

/** Of more kinds than this none are offered before anything is written, and none created. */
const fewKinds = 3

interface Suggestions {
  readonly found: readonly Reference[]
  readonly complete: boolean
  readonly error: unknown
}

/** @returns what has these words, whole names first, or before anything is written the first of each kind; and whether all of that has come */
const useSuggestions = (text: string, kinds: readonly string[]): Suggestions => {
  const words = useDebounced(text, 120)
  const first = kinds.length > fewKinds ? [] : kinds.map(firstQuery)
  const queries = words === '' ? first : [suggestQuery(words, kinds, 20)]
  const answers = useQueries({ queries: queries.map((query) => ({ ...query, placeholderData: keepPreviousData })) })
  const complete =
    words === text && answers.every(({ isSuccess, isPlaceholderData }) => isSuccess && !isPlaceholderData)
  const { error } = answers.find(({ isError }) => isError) ?? {}
  return { found: text === '' && words !== '' ? [] : answers.flatMap(({ data = [] }) => data), complete, error }
}

interface ChoiceProps extends Pick<PickerProps, 'label' | 'kinds' | 'chosen'> {
  readonly onChange: (chosen: readonly Reference[]) => void
  /** Only one can be chosen. */
  readonly single?: boolean
  readonly autoFocus?: boolean
}

const Creating = ({ text, kinds }: { text: string; kinds: readonly string[] }) => {
  const me = useMe()
  const made = kinds.length > fewKinds ? [] : kinds.filter((kind) => mayDo(me, 'create', kind))
  return (
    <p className="hint">
      Nothing is called “{text}”.{' '}
      {made.map((kind) => (
        <Link key={kind} to="/new/$kind" params={{ kind }} search={{ name: text }} target="_blank">
          Create this {inSentence(kindNamed(kind).one)}{' '}
        </Link>
      ))}
    </p>
  )
}

/** Chooses entities by words of their names. Enter takes what is marked, or the first that fits, once that has come. */
export const Choice = ({ label, kinds, chosen, onChange, single = false, autoFocus = false }: ChoiceProps) => {
  const [written, setWritten] = useState('')
  const [entered, setEntered] = useState(false)
  const [open, setOpen] = useState(false)
  const [refused, setRefused] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const text = written.trim()
  const suggestions = useSuggestions(text, kinds)
  const taken = new Set(chosen.map(keyOf))
  const found = suggestions.found.filter((reference) => !taken.has(keyOf(reference)))
  const list = useListbox(open ? found : [])
  const write = (now: string): void => {
    setWritten(now)
    setEntered(false)
    list.unmark()
    setRefused(false)
  }
  const add = (reference: Reference): void => {
    onChange(single ? [reference] : [...chosen, reference])
    write('')
  }
  useEffect(() => {
    input.current?.setCustomValidity(text === '' ? '' : 'Choose from the list, or clear this field.')
    if (!entered || !suggestions.complete) return
    setEntered(false)
    if (found[0] !== undefined) add(found[0])
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') list.move(1)
    else if (event.key === 'ArrowUp') list.move(-1)
    else if (event.key === 'Enter' && list.marked !== undefined) add(list.marked)
    else if (event.key === 'Enter' && text !== '') setEntered(true)
    else return
    event.preventDefault()
  }
  return (
    <div className="picker">
      <ul className="chips">
        {chosen.map((reference, at) => (
          <li key={at} className="chip">
            {nameOf(reference)}
            <Button
              look="quiet"
              icon="close"
              label={`Remove ${nameOf(reference)}`}
              onClick={() => onChange(chosen.filter((each) => each !== reference))}
            />
          </li>
        ))}
      </ul>
      {!(single && chosen.length > 0) && (
        <input
          ref={input}
          {...list.combobox}
          aria-label={label}
          aria-invalid={refused || undefined}
          placeholder="Type part of a name"
          autoFocus={autoFocus}
          value={written}
          onChange={(event) => write(event.target.value)}
          onFocus={() => setOpen(true)}
          onBlur={({ relatedTarget: next }) => {
            // What is pressed would move away below the pointer if the list went before the click.
            if (next?.matches(':active')) addEventListener('click', () => setOpen(false), { once: true })
            else if (next !== null) setOpen(false)
          }}
          onKeyDown={onKeyDown}
          onInvalid={(event) => {
            event.preventDefault()
            event.currentTarget.focus()
            setRefused(true)
          }}
        />
      )}
      {refused && (
        <p className="wrong" role="alert">
          “{text}” is not selected: choose from the list, or clear the field.
        </p>
      )}
      <Problems error={suggestions.error} />
      {text !== '' && suggestions.complete && found.length === 0 && <Creating text={text} kinds={kinds} />}
      <Listbox of={list} label={`Choices for ${label}`} className="picker-list" choose={add}>
        {(reference) => (
          <>
            <KindIcon kind={reference.type} size={16} />
            <span>{nameOf(reference)}</span>
            <small>{reference.fullyQualifiedName}</small>
          </>
        )}
      </Listbox>
    </div>
  )
}

/** Chooses entities in the place of a member, and saves them. */
export const Picker = ({ label, kinds, chosen, busy, error, onSave, onCancel }: PickerProps) => {
  const [draft, setDraft] = useState(chosen)
  return (
    <EditForm className="picker" busy={busy} onSave={() => onSave(draft)} onCancel={onCancel}>
      <Choice label={label} kinds={kinds} chosen={draft} autoFocus onChange={setDraft} />
      <Problems error={error} />
      <div className="row">
        <SaveOrCancel busy={busy} onCancel={onCancel} />
      </div>
    </EditForm>
  )
}
