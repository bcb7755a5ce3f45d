import { shorten } from '../../shared/bounds.ts'
import { jsonLength, type Json, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { type Members, type Reference, incarnationKey } from '../../events/events.ts'
import type { ChangeDescription } from '../../commands/changes.ts'
import type { Entity } from '../../commands/evolve.ts'
import type { Field, KindDefinition } from '../../kinds/defineKind.ts'
import { edgesOf, referencesInside } from '../../kinds/edges.ts'
import { systemMembers } from '../../kinds/perKind.ts'
import { headIn, type EntityRow, type ListRow, type ReferenceRow } from './row.ts'

/** Key in `references` for distinct references inside other members, as `incarnationKey`s. */
export const nestedReferences = '*'

/** The change description with its version as clients see it. */
const shownChange = (change: ChangeDescription): Json =>
  ({ ...change, previousVersion: change.previousVersion / 10 }) as Json

const storedChange = (change: Json | undefined): ChangeDescription | undefined => {
  if (change === undefined) return undefined
  const shown = change as ChangeDescription
  return { ...shown, previousVersion: Math.round(shown.previousVersion * 10) }
}

/** Whether a list shows this member only if `fields` names it. */
export const onRequest = (field: Field | undefined): boolean =>
  field?.shown === 'request' || field?.shown === 'only-request'

/** The parts of a row that answers show, of the entity itself and as a reference. */
export type ViewRow = ListRow & ReferenceRow & Pick<EntityRow, 'revision'>

/** Cache of parsed rows and serialised entities that are still in use. */
const entities = new WeakMap<EntityRow, Entity>()
const rows = new WeakMap<Entity, EntityRow>()

const remember = (row: EntityRow, entity: Entity): void => {
  entities.set(row, entity)
  rows.set(entity, row)
}

interface StoredEntity {
  readonly entity: Entity
  readonly row: EntityRow
}

/** Converts a folded entity to its row. Deterministic; texts of unchanged members are taken from `stored`. */
export const toRow = (entity: Entity, definition: KindDefinition, stored?: StoredEntity): EntityRow => {
  const known = rows.get(entity)
  if (known !== undefined) return known
  const row = makeRow(entity, definition, stored)
  if (stored !== undefined) remember(row, entity)
  return row
}

const makeRow = (entity: Entity, definition: KindDefinition, stored: StoredEntity | undefined): EntityRow => {
  const { members, status } = entity
  const { shownAlways, shownOnRequest, references, nested } = partMembers(entity, definition)
  if (stored !== undefined && stored.entity.members === members && stored.entity.status !== 'gone')
    return { ...stored.row, ...headIn(entity), shownAlways: JSON.stringify(shownAlways) }
  const isGone = status === 'gone'
  const { traits, shownBelow } = definition
  return {
    ...headIn(entity),
    entityStatus: typeof members['entityStatus'] === 'string' ? members['entityStatus'] : '',
    edges: edgesOf(definition, members, [...Object.entries(references), ...nested]),
    reference: JSON.stringify(shownReference(entity)),
    label: traits.labels === undefined || isGone ? undefined : JSON.stringify(shownLabel(entity, traits.labels)),
    shownBelow: shownBelow.length === 0 || isGone ? undefined : JSON.stringify(picked(members, shownBelow)),
    shownAlways: JSON.stringify(shownAlways),
    shownOnRequest: JSON.stringify(shownOnRequest),
    references: JSON.stringify(nested.size === 0 ? references : { ...references, [nestedReferences]: keysIn(nested) }),
  }
}

const keysIn = (nested: Parts['nested']): string[] => [...new Set([...nested.values()].flat().map(incarnationKey))]

/** A member as references show it: long texts are cut, since one answer may have a thousand references. */
const shownByOthers = (value: Json): Json | undefined => {
  const most = limits.shownByOthers.value
  if (typeof value !== 'string') return jsonLength(value) <= most ? value : undefined
  return shorten(value, most)
}

const shownReference = ({ id, kind, name, fullyQualifiedName, members }: Entity): JsonObject => ({
  id,
  type: kind,
  name,
  fullyQualifiedName,
  ...picked(members, ['displayName'], shownByOthers),
})

const shownLabel = (entity: Entity, source: string): JsonObject => ({
  tagFQN: entity.fullyQualifiedName,
  name: entity.name,
  ...picked(entity.members, ['displayName', 'description', 'style'], shownByOthers),
  source,
  labelType: 'Manual',
  state: 'Confirmed',
})

/** @param shown maps a value to its shown form; `undefined` omits it */
const picked = (
  members: Members,
  names: readonly string[],
  shown = (value: Json): Json | undefined => value,
): JsonObject => {
  const result: JsonObject = {}
  for (const name of names) {
    const value = members[name] === undefined ? undefined : shown(members[name])
    if (value !== undefined) result[name] = value
  }
  return result
}

interface Parts {
  shownAlways: JsonObject
  shownOnRequest: JsonObject
  references: Record<string, Reference[]>
  /** References inside a member, by its name. */
  nested: Map<string, Reference[]>
}

const partMembers = (entity: Entity, definition: KindDefinition): Parts => {
  const { displayName, description, ...others } = entity.members
  const shownAlways: JsonObject = { id: entity.id, name: entity.name, fullyQualifiedName: entity.fullyQualifiedName }
  if (displayName !== undefined) shownAlways['displayName'] = displayName
  if (description !== undefined) shownAlways['description'] = description
  const parts: Parts = { shownAlways, shownOnRequest: {}, references: {}, nested: new Map() }
  for (const name of Object.keys(others).sort()) placeMember(parts, name, others[name] as Json, definition)
  shownAlways['version'] = entity.version / 10
  shownAlways['updatedAt'] = entity.updatedAt
  shownAlways['updatedBy'] = entity.updatedBy
  shownAlways['deleted'] = entity.status !== 'live'
  if (entity.change !== undefined) shownAlways['changeDescription'] = shownChange(entity.change)
  return parts
}

const placeMember = (parts: Parts, name: string, value: Json, definition: KindDefinition): void => {
  // Once kept as it was sent.
  if (definition.computed[name] !== undefined) return
  const field = definition.fields[name]
  if (field?.references !== undefined || definition.ancestors.includes(name)) {
    parts.references[name] = (Array.isArray(value) ? value : [value]) as Reference[]
    return
  }
  if (onRequest(field)) parts.shownOnRequest[name] = value
  else parts.shownAlways[name] = value
  const inside = referencesInside(definition, name, value)
  if (inside.length > 0) parts.nested.set(name, inside)
}

/** Parses a row: `fromRow(toRow(entity)) = entity`, without members that are computed. Returns the same shared object each time: do not modify it. */
export const fromRow = (row: EntityRow, definition: KindDefinition): Entity => {
  let entity = entities.get(row)
  if (entity === undefined) remember(row, (entity = parseRow(row, definition)))
  return entity
}

const parseRow = (row: EntityRow, definition: KindDefinition): Entity => {
  const shownAlways = JSON.parse(row.shownAlways) as JsonObject
  const references = JSON.parse(row.references) as Record<string, Reference[]>
  const members: Members = { ...(JSON.parse(row.shownOnRequest) as JsonObject) }
  for (const [name, value] of Object.entries(shownAlways)) if (!systemMembers.has(name)) members[name] = value as Json
  for (const [name, list] of Object.entries(references)) {
    if (name === nestedReferences) continue
    members[name] = (definition.fields[name]?.references?.many ? list : list[0]) as Json
  }
  return {
    ...headIn(row),
    name: shownAlways['name'] as string,
    version: Math.round((shownAlways['version'] as number) * 10),
    updatedAt: shownAlways['updatedAt'] as number,
    updatedBy: shownAlways['updatedBy'] as string,
    members,
    change: storedChange(shownAlways['changeDescription']),
  }
}
