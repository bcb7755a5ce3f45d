import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Problem } from '../api/client.ts'
import { Fields } from '../forms/Fields.tsx'
import { schemasQuery } from '../forms/queries.ts'
import { createMembers, type Member } from '../forms/schema.ts'
import { bodyOf, otherProblems, type Value, type Values } from '../forms/values.ts'
import { Button } from '../ui/Button.tsx'
import { EditForm } from '../ui/EditForm.tsx'
import { SaveOrCancel } from '../ui/SaveOrCancel.tsx'
import { wordsOf } from '../ui/format.ts'
import { Problems } from '../ui/States.tsx'
import { columnsOf } from './columns.ts'
import { useEditor, useShown, type Editor } from './context.ts'
import { replaceMember } from './edits.ts'
import { above, isReference } from './parts.ts'

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

/** A member as it is asked for: what is there and has a shape of its own is changed as JSON, so that nothing gets lost. */
const askedFor = (member: Member, value: unknown): Member =>
  value !== undefined && ['columns', 'group'].includes(member.control.type)
    ? { ...member, control: { type: 'json' } }
    : member

const startOf = ({ path, control }: Member, value: unknown): Values => {
  if (value === undefined) return {}
  if (control.type === 'references') return { [path]: (Array.isArray(value) ? value : [value]).filter(isReference) }
  if (control.type === 'words' && Array.isArray(value)) return { [path]: value.join('\n') }
  return { [path]: control.type === 'json' ? JSON.stringify(value, null, 2) : String(value) }
}

/** Asks for one member, as the API describes it, and saves it. */
const MemberEditor = ({ member, value, editor }: { member: Member; value: unknown; editor: Editor }) => {
  const { saving } = useShown()
  const asked = askedFor(member, value)
  const [values, setValues] = useState<Values>(() => startOf(asked, value))
  const problems = saving.error instanceof Problem ? saving.error.errors : []
  const change = (path: string, next: Value): void => setValues((now) => ({ ...now, [path]: next }))
  const save = (): void => {
    editor.save(replaceMember(member.name, bodyOf([asked], values)[member.name] ?? null))
  }
  return (
    <EditForm className="editor" busy={saving.busy} onSave={save} onCancel={editor.close}>
      <Fields members={[asked]} values={values} problems={problems} onChange={change} />
      {saving.error && (problems.length === 0 || otherProblems(problems, [asked]).length > 0) ? (
        <Problems error={saving.error} />
      ) : null}
      <div className="row">
        <SaveOrCancel busy={saving.busy} onCancel={editor.close} />
      </div>
    </EditForm>
  )
}

/** Which member it is about, of those that the entity has and those that it may have. */
const Choice = ({ members, editor }: { members: readonly Member[]; editor: Editor }) => {
  const { loaded } = useShown()
  const id = useId()
  const [name, setName] = useState('')
  const member = members.find((each) => each.name === name)
  const isThere = (each: Member): boolean => loaded.entity[each.name] !== undefined
  const groups = [
    ['Not set', members.filter((each) => !isThere(each))],
    ['Set', members.filter(isThere)],
  ] as const
  return (
    <>
      <label htmlFor={id} className="hint">
        Which detail
      </label>
      <select id={id} autoFocus value={name} onChange={(event) => setName(event.target.value)}>
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
      {member ? (
        <MemberEditor key={name} member={member} value={loaded.entity[name]} editor={editor} />
      ) : (
        <div className="row">
          <Button onClick={editor.close}>Cancel</Button>
        </div>
      )}
    </>
  )
}

const Asked = ({ editor }: { editor: Editor }) => {
  const { kind, loaded } = useShown()
  const schemas = useQuery(schemasQuery(kind.name))
  if (schemas.error) return <Problems error={schemas.error} />
  if (schemas.data === undefined) return <p className="hint">…</p>
  const trees = new Set(columnsOf(loaded.entity, kind).map(([path]) => path.split('.')[0]))
  const members = createMembers(schemas.data, kind.name).filter(({ name }) => !elsewhere.has(name) && !trees.has(name))
  return <Choice members={members} editor={editor} />
}

/** Everything that the kind may have and that has no pencil of its own: said for the first time, or changed. */
export const Details = () => {
  const { editable } = useShown()
  const editor = useEditor()
  if (!editable && !editor.isOpen) return null
  return (
    <section className="side-field" aria-label="More details">
      {editor.isOpen ? (
        <div className="editor">
          <Asked editor={editor} />
        </div>
      ) : (
        <Button icon="plus" onClick={editor.open}>
          Add or change a detail
        </Button>
      )}
    </section>
  )
}
