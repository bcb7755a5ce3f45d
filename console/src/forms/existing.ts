import { isReference } from '../entity/parts.ts'
import type { Member } from './schema.ts'
import type { Values } from './values.ts'

/** What a line of its own does not hold: line breaks, and blanks at its ends. */
const isNoLine = (text: string): boolean => text === '' || /[\r\n]|^\s|\s$/.test(text)

/** A member as it is asked for where it has a value: in a control that holds this value as it is. */
export const askedFor = (member: Member, value: unknown): Member => {
  const { control } = member
  const asJson: Member = { ...member, control: { type: 'json' } }
  if (value === undefined) return member
  switch (control.type) {
    case 'text':
      return { ...member, control: { ...control, long: control.long || isNoLine(String(value)) } }
    case 'words':
      return (value as readonly string[]).some(isNoLine) ? asJson : member
    case 'columns':
    case 'group':
      return asJson
    default:
      return member
  }
}

/** What stands in the control of a member that has a value. */
export const startOf = ({ path, control }: Member, value: unknown): Values => {
  if (value === undefined) return {}
  if (control.type === 'references') return { [path]: (Array.isArray(value) ? value : [value]).filter(isReference) }
  if (control.type === 'words' && Array.isArray(value)) return { [path]: value.join('\n') }
  return { [path]: control.type === 'json' ? JSON.stringify(value, null, 2) : String(value) }
}
