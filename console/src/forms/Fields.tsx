import { useId } from 'react'
import type { ProblemDetail } from '../api/types.ts'
import { Choice } from '../entity/Picker.tsx'
import { wordsOf } from '../ui/format.ts'
import { ColumnsField } from './ColumnsField.tsx'
import type { Member } from './schema.ts'
import { columnsAt, problemsAt, referencesAt, textAt, type Value, type Values } from './values.ts'

interface FieldsProps {
  readonly members: readonly Member[]
  readonly values: Values
  readonly problems: readonly ProblemDetail[]
  readonly onChange: (path: string, value: Value) => void
}

/** What is wrong with a member, below it; `path` of the member is left out. */
const Wrong = ({ id, problems, path }: { id: string; problems: readonly ProblemDetail[]; path: string }) => (
  <ul className="wrong" id={id} role="alert" tabIndex={-1}>
    {problems.map((problem) => (
      <li key={`${problem.path} ${problem.message}`}>
        {problem.path !== path && <code>{problem.path.slice(path.length + 1)}</code>} {problem.message}
      </li>
    ))}
  </ul>
)

const yesOrNo = [
  ['true', 'yes'],
  ['false', 'no'],
] as const

interface ControlProps extends Omit<FieldsProps, 'members'> {
  readonly member: Member
  readonly id: string
  /** Ids of what describes the control. */
  readonly describedBy: string
  readonly bad: boolean
}

/** The values that there are, or a text with those that are usual. */
const Select = ({
  options,
  ...shared
}: React.ComponentProps<'select'> & { options: readonly (readonly string[])[] }) => (
  <select {...shared}>
    <option value="">not set</option>
    {options.map(([value, words = value]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
)

const Suggesting = ({ known, ...shared }: React.ComponentProps<'input'> & { known: readonly string[] }) => (
  <>
    <input list={known.length > 0 ? `${shared.id}-known` : undefined} autoComplete="off" {...shared} />
    {known.length > 0 && (
      <datalist id={`${shared.id}-known`}>
        {known.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    )}
  </>
)

const Input = ({ member, id, describedBy, bad, values, onChange }: ControlProps) => {
  const { path, control, required } = member
  const shared = {
    id,
    value: textAt(values, path),
    required,
    'aria-describedby': describedBy,
    'aria-invalid': bad || undefined,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onChange(path, event.target.value),
  }
  switch (control.type) {
    case 'boolean':
      return <Select options={yesOrNo} {...shared} />
    case 'choice':
      return <Select options={control.values.map((value) => [value])} {...shared} />
    case 'number':
      return <input inputMode="decimal" {...shared} />
    case 'words':
      return <textarea rows={2} placeholder="One per line" {...shared} />
    case 'text':
      return control.long ? <textarea rows={3} {...shared} /> : <Suggesting known={control.known} {...shared} />
    default:
      return <textarea rows={3} className="mono" placeholder="JSON" {...shared} />
  }
}

const One = ({ member, values, problems, onChange }: Omit<FieldsProps, 'members'> & { member: Member }) => {
  const id = useId()
  const { name, path, control, required, description } = member
  const own = problemsAt(problems, path)
  const title = wordsOf(name)
  const describedBy = `${id}-about ${id}-wrong`
  const head = (
    <>
      {title} {required && <span className="hint">required</span>}
    </>
  )
  const foot = (
    <>
      {description && (
        <small id={`${id}-about`} className="hint">
          {description}
        </small>
      )}
      {own.length > 0 && control.type !== 'group' && <Wrong id={`${id}-wrong`} problems={own} path={path} />}
    </>
  )
  if (control.type === 'group') {
    return (
      <fieldset className="form-group">
        <legend>{head}</legend>
        {foot}
        <Fields members={control.members} values={values} problems={problems} onChange={onChange} />
      </fieldset>
    )
  }
  if (control.type === 'columns' || control.type === 'references') {
    return (
      <div className="form-field" role="group" aria-labelledby={`${id}-title`}>
        <span className="form-title" id={`${id}-title`}>
          {head}
        </span>
        {control.type === 'columns' ? (
          <ColumnsField
            columns={columnsAt(values, path)}
            dataTypes={control.dataTypes}
            onChange={(columns) => onChange(path, columns)}
          />
        ) : (
          <Choice
            label={title}
            kinds={control.kinds}
            single={control.single}
            chosen={referencesAt(values, path)}
            onChange={(chosen) => onChange(path, chosen)}
          />
        )}
        {foot}
      </div>
    )
  }
  return (
    <div className="form-field">
      <label className="form-title" htmlFor={id}>
        {head}
      </label>
      <Input {...{ member, id, describedBy, values, problems, onChange }} bad={own.length > 0} />
      {foot}
    </div>
  )
}

/** Asks for the members of a body, each with what is wrong with it. */
export const Fields = ({ members, ...rest }: FieldsProps) => (
  <>
    {members.map((member) => (
      <One key={member.path} member={member} {...rest} />
    ))}
  </>
)
