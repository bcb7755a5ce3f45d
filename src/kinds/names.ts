import { quotedName } from '../shared/entityName.ts'
import { nameUuid } from '../shared/uuids.ts'
import type { KindDefinition } from './defineKind.ts'

/** The longest fully qualified name that is accepted, in UTF-16 code units. */
export const maxFqnLength = 3072

/** Joins names to an FQN, see {@link quotedName}. {@link splitFqn} is the inverse. */
export const buildFqn = (parts: readonly string[]): string => parts.map(quotedName).join('.')

/** Appends a name to an FQN. */
export const childFqn = (parent: string | undefined, name: string): string =>
  parent === undefined ? quotedName(name) : `${parent}.${quotedName(name)}`

/** The names in an FQN; `undefined` if it is malformed (empty part, stray or open quote). */
export const splitFqn = (fqn: string): string[] | undefined => {
  const parts: string[] = []
  let at = 0
  while (at <= fqn.length) {
    if (fqn[at] === '"') {
      const close = closingQuote(fqn, at + 1)
      if (close === undefined || close === at + 1 || (close + 1 < fqn.length && fqn[close + 1] !== '.'))
        return undefined
      parts.push(fqn.slice(at + 1, close).replaceAll('""', '"'))
      at = close + 2
    } else {
      const dot = fqn.indexOf('.', at)
      const end = dot === -1 ? fqn.length : dot
      const part = fqn.slice(at, end)
      if (part === '' || part.includes('"')) return undefined
      parts.push(part)
      at = end + 1
    }
    if (at === fqn.length + 1) return parts
  }
  return undefined
}

/** The last name of an FQN. */
export const lastName = (fqn: string): string => splitFqn(fqn)?.at(-1) ?? fqn

const closingQuote = (text: string, from: number): number | undefined => {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  return undefined
}

/** FQNs of all ancestors, nearest last: `a.b.c` → `a`, `a.b`. */
export const ancestorFqns = (fqn: string): string[] => {
  const parts = splitFqn(fqn) ?? []
  return parts.slice(0, -1).map((_, index) => buildFqn(parts.slice(0, index + 1)))
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
