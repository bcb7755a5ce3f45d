import type { Kind } from '../api/kinds.ts'
import type { Entity, Reference, TagLabel } from '../api/types.ts'

/** Members that have their own place on the page, or none. */
const placed = new Set([
  'id',
  'name',
  'fullyQualifiedName',
  'displayName',
  'description',
  'version',
  'updatedAt',
  'updatedBy',
  'href',
  'deleted',
  'changeDescription',
  'owners',
  'owner',
  'domains',
  'domain',
  'tags',
  'followers',
  'votes',
  'entityStatus',
  'children',
  'style',
  'warnings',
  'odcs',
  'inherited',
  'storedProcedureCode',
  'schemaDefinition',
  'messageSchema',
  'termsOfUse',
])

/** Members of a test case that have places of their own. */
const ofTests = new Set(['entityFQN', 'entityLink', 'results', 'latestResult', 'incident'])

/** Members that name what an entity stands in. */
export const above = [
  'service',
  'database',
  'databaseSchema',
  'apiCollection',
  'glossary',
  'classification',
  'parent',
  'entity',
]

export const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && 'fullyQualifiedName' in value && 'type' in value && 'id' in value

export const isLabel = (value: unknown): value is TagLabel => isRecord(value) && 'tagFQN' in value && 'source' in value

/** It stands for something else than the entity that holds it. */
export const isOther = (value: unknown): boolean => isLabel(value) || isReference(value)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Links and labels are what they lead to, whatever that is called; everything else is all that it holds. */
const essence = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map((item: unknown) =>
      isRecord(item) && !isOther(item)
        ? Object.fromEntries(Object.entries(item).map(([name, member]) => [name, essence(member)]))
        : essence(item),
    )
  if (isLabel(value)) return { source: value.source, tagFQN: value.tagFQN }
  return isReference(value) ? { id: value.id, type: value.type } : value
}

const sorted = (_: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value

const textOf = (value: unknown): string => JSON.stringify(essence(value ?? []), sorted)

/** Whether two values say the same: the order of members says nothing, and an empty list is none. */
export const same = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b)

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** What an entity stands in, the outermost first. */
export const ancestorsOf = (entity: Entity): Reference[] =>
  above
    .map((member) => entity[member])
    .filter(isReference)
    .toSorted((a, b) => a.fullyQualifiedName.length - b.fullyQualifiedName.length)

/** The members of an entity, sorted by how they are shown. */
export interface Parts {
  /** Short values. */
  readonly facts: readonly (readonly [string, string | number | boolean])[]
  readonly words: readonly (readonly [string, readonly string[]])[]
  readonly references: readonly (readonly [string, readonly Reference[]])[]
  readonly tables: readonly (readonly [string, readonly Readonly<Record<string, unknown>>[]])[]
  /** Everything else. */
  readonly others: readonly (readonly [string, unknown])[]
}

const isListOf = <T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] =>
  Array.isArray(value) && value.length > 0 && value.every(is)

const isText = (value: unknown): value is string => typeof value === 'string'

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Sorts what a kind has beyond what all have, so that a new member needs no new page. */
export const partsOf = (entity: Entity, kind: Kind): Parts => {
  const roots = new Set((kind.trees ?? []).map((path) => path.split('.')[0]))
  const members = Object.entries(entity).filter(
    ([name]) =>
      !placed.has(name) && !above.includes(name) && !roots.has(name) && !(kind.results === true && ofTests.has(name)),
  )
  const those = <T>(pick: (value: unknown) => T | undefined): (readonly [string, T])[] =>
    members.flatMap(([name, value]) => {
      const picked = pick(value)
      return picked === undefined ? [] : [[name, picked] as const]
    })
  return {
    facts: those((value) => (isScalar(value) ? value : undefined)),
    words: those((value) => (isListOf(value, isText) ? value : undefined)),
    references: those((value) => (isReference(value) ? [value] : isListOf(value, isReference) ? value : undefined)),
    tables: those((value) =>
      isListOf(value, isRecord) && !isListOf(value, isReference)
        ? (value as readonly Record<string, unknown>[])
        : undefined,
    ),
    others: those((value) =>
      isFilled(value) && !isReference(value) && !isListOf(value, isText) && !isListOf(value, isRecord)
        ? value
        : undefined,
    ),
  }
}
