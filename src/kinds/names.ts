import { quotedName } from '../shared/entityName.ts'
import { limits } from '../shared/limits.ts'
import { nameUuid } from '../shared/uuids.ts'
import type { KindDefinition } from './defineKind.ts'

/** Joins names to an FQN, see {@link quotedName}. {@link splitFqn} is the inverse. */
export const buildFqn = (parts: readonly string[]): string => parts.map(quotedName).join('.')

/** Appends a name to an FQN. */
export const childFqn = (parent: string | undefined, name: string): string =>
  parent === undefined ? quotedName(name) : `${parent}.${quotedName(name)}`

/** A name in an FQN, see {@link quotedName}. */
const namePattern = String.raw`(?:"(?:[^"]|"")+"|[^".]+)`
const eachName = new RegExp(namePattern, 'g')
const wholeFqn = new RegExp(String.raw`^${namePattern}(?:\.${namePattern})*$`)

/** The names in an FQN; `undefined` if it is malformed (empty part, stray or open quote). */
export const splitFqn = (fqn: string): string[] | undefined => {
  if (!wholeFqn.test(fqn)) return undefined
  const names: string[] = []
  for (const part of fqn.match(eachName) ?? [])
    names.push(part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part)
  return names
}

/** An FQN that a caller gives, in canonical quoting; `undefined` if it is malformed, or longer than any can be. */
export const readFqn = (text: string): string | undefined => {
  const names = text.length > limits.fqn.value ? undefined : splitFqn(text)
  return names && buildFqn(names)
}

/** The last name of an FQN. */
export const lastName = (fqn: string): string => splitFqn(fqn)?.at(-1) ?? fqn

/** FQNs of all ancestors, nearest last: `a.b.c` → `a`, `a.b`. */
export const ancestorFqns = (fqn: string): string[] => {
  const fqns: string[] = []
  for (const name of splitFqn(fqn)?.slice(0, -1) ?? []) fqns.push(childFqn(fqns.at(-1), name))
  return fqns
}

/** The id of the entity of a kind with a natural key (its FQN, unless the kind defines another). */
export const entityId = (kind: string, naturalKey: string): string => nameUuid(`${kind}:${naturalKey}`)

/** The possible ids of an entity of a kind with an FQN: one per kind of parent if the parent is its identity. */
export const possibleIds = ({ name, behaviour, parents }: KindDefinition, fqn: string): string[] => {
  if (behaviour.identity !== 'parent') return [entityId(name, fqn)]
  const above = ancestorFqns(fqn).at(-1) ?? ''
  return parents.flatMap(({ kinds }) => kinds.map((kind) => entityId(name, entityId(kind, above))))
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)
