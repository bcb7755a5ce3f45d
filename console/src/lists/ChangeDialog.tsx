import { useState } from 'react'
import type { ListSearch } from '../api/reads.ts'
import type { Reference } from '../api/types.ts'
import { Choice } from '../entity/Picker.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ManyChanges } from './ManyChanges.tsx'
import { sendChanges, type ChangesBody, type SendChanges } from './queries.ts'
import type { Selected } from './selected.ts'

const lists = [
  { column: 'owners', title: 'Owners', kinds: ['user', 'team'] },
  { column: 'tags', title: 'Tags', kinds: ['tag'] },
  { column: 'terms', title: 'Glossary terms', kinds: ['glossaryTerm'] },
  { column: 'domains', title: 'Domains', kinds: ['domain'] },
] as const

const verbs = [
  ['', 'Leave as they are'],
  ['add', 'Add'],
  ['remove', 'Remove'],
  ['set', 'Replace by'],
] as const

type Verb = (typeof verbs)[number][0]

interface Part {
  readonly verb: Verb
  readonly chosen: readonly Reference[]
}

const untouched: Part = { verb: '', chosen: [] }

interface FieldProps {
  readonly title: string
  readonly kinds: readonly string[]
  readonly part: Part
  readonly onChange: (part: Part) => void
}

const ListField = ({ title, kinds, part, onChange }: FieldProps) => (
  <fieldset className="field">
    <legend>{title}</legend>
    <select
      aria-label={`What to do with ${title.toLowerCase()}`}
      value={part.verb}
      onChange={(event) => onChange({ ...part, verb: event.target.value as Verb })}
    >
      {verbs.map(([verb, words]) => (
        <option key={verb} value={verb}>
          {words}
        </option>
      ))}
    </select>
    {part.verb !== '' && (
      <Choice label={title} kinds={kinds} chosen={part.chosen} onChange={(chosen) => onChange({ ...part, chosen })} />
    )}
  </fieldset>
)

type Parts = Readonly<Record<string, Part>>

const bodyOf = (parts: Parts, description: string | undefined): ChangesBody => {
  const of = (wanted: Verb): Record<string, readonly string[]> =>
    Object.fromEntries(
      Object.entries(parts).flatMap(([column, { verb, chosen }]) =>
        verb === wanted ? [[column, chosen.map(({ fullyQualifiedName }) => fullyQualifiedName)]] : [],
      ),
    )
  return {
    set: { ...of('set'), ...(description !== undefined && { description }) },
    add: of('add'),
    remove: of('remove'),
  }
}

interface ChangeDialogProps {
  readonly kind: string
  /** "3 tables". */
  readonly what: string
  readonly selected: Selected
  readonly search: ListSearch
  readonly onClose: () => void
}

/** Changes many entities in the same way, after a preview. */
export const ChangeDialog = ({ kind, what, selected, search, onClose }: ChangeDialogProps) => {
  const [parts, setParts] = useState<Parts>({})
  const [description, setDescription] = useState<string>()
  const [send, setSend] = useState<SendChanges>()
  // What comes to the list meanwhile is not changed.
  const [title] = useState(`Change ${what}`)
  if (send !== undefined)
    return <ManyChanges kind={kind} title={title} send={send} onClose={onClose} onBack={() => setSend(undefined)} />
  const isTouched = description !== undefined || Object.values(parts).some(({ verb }) => verb !== '')
  const preview = (): void => {
    const made = sendChanges(kind, bodyOf(parts, description), selected, search)
    setSend(() => made)
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      unsaved={isTouched}
      action={{ words: 'Preview', by: { mutate: preview }, disabled: !isTouched }}
    >
      <div className="form">
        {lists.map(({ column, title: name, kinds }) => (
          <ListField
            key={column}
            title={name}
            kinds={kinds}
            part={parts[column] ?? untouched}
            onChange={(part) => setParts({ ...parts, [column]: part })}
          />
        ))}
        <label className="choice">
          <input
            type="checkbox"
            checked={description !== undefined}
            onChange={(event) => setDescription(event.target.checked ? '' : undefined)}
          />
          Replace the description
        </label>
        {description !== undefined && (
          <textarea
            aria-label="Description"
            rows={4}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  )
}
