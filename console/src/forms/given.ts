import { isReference } from '../entity/parts.ts'
import type { Entity, Reference } from '../api/types.ts'
import type { Member } from './schema.ts'
import type { Value, Values } from './values.ts'

/** What a test case or a contract is about, in the words of the API. */
const linkTo = (kind: string, { fullyQualifiedName }: Entity): string => `<#E::${kind}::${fullyQualifiedName}>`

const valueOf = ({ name, control, required }: Member, kind: string, entity: Entity): Value | undefined => {
  if (name === 'entityLink') return linkTo(kind, entity)
  if (control.type !== 'references') return undefined
  const self: Reference = { ...entity, type: kind }
  if (control.kinds.includes(kind)) return [self]
  const same = entity[name]
  return required && isReference(same) ? [same] : undefined
}

/** What is known of something new that stands in an entity: that entity, and what stands above both. */
export const given = (members: readonly Member[], kind: string, entity: Entity): Values =>
  Object.fromEntries(
    members.flatMap((member) => {
      const value = valueOf(member, kind, entity)
      return value === undefined ? [] : [[member.path, value]]
    }),
  )

const always = new Set(['displayName', 'description', 'columns', 'owners'])

/** Members that everybody is asked for; the others come behind. */
export const isOnTop = ({ name, path, required }: Member, initial: Values): boolean =>
  required || always.has(name) || initial[path] !== undefined
