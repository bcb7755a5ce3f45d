import { useQuery } from '@tanstack/react-query'
import { useContext, useId, useState } from 'react'
import { Problem } from '../api/client.ts'
import { askedFor, startOf } from '../forms/existing.ts'
import { Fields } from '../forms/Fields.tsx'
import { schemasQuery } from '../forms/queries.ts'
import { createMembers, type Member } from '../forms/schema.ts'
import { bodyOf, otherProblems, type Value, type Values } from '../forms/values.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm, MayLose } from '../ui/EditForm.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { wordsOf } from '../ui/format.ts'
import { Problems } from '../ui/States.tsx'
import { columnsOf } from './columns.ts'
import { useEditor, useShown, type Editor } from './context.ts'
import { replaceMember } from './edits.ts'
import { above } from './parts.ts'

/** Members that are changed elsewhere on the page, or never. */
const elsewhere = new Set([
  ...above,
  'name',
  'displayName',
  'description',
  'owners',
  'domains',
  'tags',
  'entityLink',
  'incident',
  'provider',
])

interface ChoiceProps {
  readonly members: readonly Member[]
  /** Of the one that is chosen, or empty. */
  readonly name: string
  readonly editor: Editor
  readonly onChoose: (name: string) => void
}

/** Which member it is about, of those that the entity has and those that it may have. */
const Choice = ({ members, name, editor, onChoose }: ChoiceProps) => {
  const mayLose = useContext(MayLose)
  const id = useId()
  const isThere = (each: Member): boolean => editor.seen.entity[each.name] !== undefined
  const groups = [
    ['Not set', members.filter((each) => !isThere(each))],
    ['Set', members.filter(isThere)],
  ] as const
  return (
    <>
      <label htmlFor={id} className="hint">
        Which detail
      </label>
      <select id={id} autoFocus value={name} onChange={({ target }) => mayLose() && onChoose(target.value)}>
        <option value="" disabled>
          Choose one
        </option>
        {groups.map(([label, list]) =>
          list.length === 0 ? null : (
            <optgroup key={label} label={label}>
              {list.map((each) => (
                <option key={each.name} value={each.name}>
                  {wordsOf(each.name)}
                </option>
              ))}
            </optgroup>
          ),
        )}
      </select>
    </>
  )
}

/** Asks for one member, as the API describes it, and saves it. */
const MemberEditor = (choice: ChoiceProps) => {
  const { members, name, editor } = choice
  const value = editor.seen.entity[name]
  const asked = members.filter((each) => each.name === name).map((member) => askedFor(member, value))
  const [values, setValues] = useState<Values>(() => Object.assign({}, ...asked.map((each) => startOf(each, value))))
  const problems = editor.error instanceof Problem ? editor.error.errors : []
  const change = (path: string, next: Value): void => setValues((now) => ({ ...now, [path]: next }))
  const save = (): void => {
    if (asked.length > 0) editor.save(replaceMember(name, bodyOf(asked, values)[name] ?? null))
  }
  return (
    <EditForm className="editor" busy={editor.busy} onSave={save} onCancel={editor.close}>
      <Choice {...choice} />
      <Fields members={asked} values={values} problems={problems} onChange={change} />
      {editor.error && (problems.length === 0 || otherProblems(problems, asked).length > 0) ? (
        <Problems error={editor.error} />
      ) : null}
      <div className="row">
        {asked.length > 0 ? (
          <SaveOrCancel busy={editor.busy} onCancel={editor.close} />
        ) : (
          <Button onClick={editor.close}>Cancel</Button>
        )}
      </div>
    </EditForm>
  )
}

const Asked = ({ editor }: { editor: Editor }) => {
  const { kind } = useShown()
  const [name, setName] = useState('')
  const schemas = useQuery(schemasQuery(kind.name))
  if (schemas.error) return <Problems error={schemas.error} />
  if (schemas.data === undefined) return <p className="hint">…</p>
  const trees = new Set(columnsOf(editor.seen.entity, kind).map(([path]) => path.split('.')[0]))
  const members = createMembers(schemas.data, kind.name).filter(({ name }) => !elsewhere.has(name) && !trees.has(name))
  return <MemberEditor key={name} members={members} name={name} onChoose={setName} editor={editor} />
}

/** Everything that the kind may have and that has no pencil of its own: said for the first time, or changed. */
export const Details = () => {
  const { editable } = useShown()
  const editor = useEditor()
  if (!editable && !editor.isOpen) return null
  return (
    <section className="side-field" aria-label="More details">
      {editor.isOpen ? (
        <Asked editor={editor} />
      ) : (
        <Button icon="plus" onClick={editor.open}>
          Add or change a detail
        </Button>
      )}
    </section>
  )
}
