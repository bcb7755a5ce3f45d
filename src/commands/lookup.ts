import type { Members, Reference } from '../events/events.ts'
import type { KindDefinition, Field } from '../kinds/defineKind.ts'
import type { Entity, EntityHead } from './evolve.ts'
import { ancestorFqns, entityId } from '../kinds/names.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import type { Json } from '../shared/json.ts'
import { limits } from '../shared/limits.ts'

/** The small part of an entity that references need: place and status, without members. */
export interface Referred extends EntityHead {
  /** The members that rules of other kinds read: see `KindDefinition.facts`. */
  readonly facts: Members
}

/** Finds loaded entities. */
export interface EntityReader {
  get(id: string): EntityHead | undefined
  /** The kind of a loaded entity. It never changes. */
  kindOf(id: string): string | undefined
}

/**
 * Present entities by id, complete or as others refer to them. An id that is not in the map does not exist;
 * hard-deleted entities are in it as `gone`.
 */
export type IdentityMap = Map<string, Entity | Referred>

export const isWhole = (known: Entity | Referred | undefined): known is Entity =>
  known !== undefined && 'members' in known

export interface LookupIds {
  /** Entities to change or show, and their ancestors: loaded completely. */
  readonly whole: readonly string[]
  readonly referred: readonly string[]
}

export type Lookup = (ids: readonly string[]) => Promise<ReadonlyMap<string, Entity>>

/** Loads any number of entities as others refer to them, however large they are. */
export type ReferenceLookup = (ids: readonly string[]) => Promise<ReadonlyMap<string, Referred>>

/** Loads complete entities in order within a memory bound, at least the first. @returns those within the bound */
export type PrefetchEntities = (ids: readonly string[]) => Promise<EntityBatch>

export interface EntityBatch {
  readonly found: ReadonlyMap<string, Entity>
  /** Ids beyond the memory bound. */
  readonly left: ReadonlySet<string>
}

/** A child whose status contradicts its parent's status, and that parent. */
export interface StatusMismatch {
  readonly child: Entity
  readonly parent: Entity
}

/** Questions of recursive operations about parents and children, answered by the read models. */
export interface Hierarchy {
  /** Whether a child of this kind exists, live or (with `deleted`) soft-deleted. */
  hasChild(parent: string, kind: string, deleted: boolean): Promise<boolean>
  hasDescendant(entity: Entity, kind: string, deleted: boolean): Promise<boolean>
  /** Whether restoring this entity restores a descendant of this kind. */
  restoresDescendant(entity: Entity, kind: string): Promise<boolean>
  countDescendants(entity: Entity, kind: string): Promise<{ readonly live: number; readonly deleted: number }>
  /** Whether a descendant of this kind has yet to follow its deleted parent. */
  hasPendingDescendant(entity: Entity, kind: string): Promise<boolean>
  /** The roots that may have grandchildren. */
  withGrandchildren(roots: readonly EntityHead[]): Promise<ReadonlySet<EntityHead>>
  /**
   * Ids of the descendants below the children that may still be pending after a deletion or restore of this entity,
   * parents first, in chunks. A chunk is read when those before it are no longer pending.
   */
  pendingDescendantIds(root: EntityHead): AsyncIterable<readonly string[]>
  /**
   * Children whose status contradicts their parent's: live below a deleted parent; not gone below a gone parent or a
   * later incarnation; deleted with a parent that is live again. Only with the child or the parent among `ids`.
   */
  statusMismatches(limit: number, ids: readonly string[]): Promise<StatusMismatch[]>
}

export type KindLookup = (name: string) => KindDefinition

/** The ids of the probable ancestors of an entity of one of these kinds, so that one read gets them all: new ones have no more. */
export const ancestorIds = (kinds: Iterable<string>, fullyQualifiedName: string): string[] => {
  const ids: string[] = []
  let level = new Set(kinds)
  for (const fqn of ancestorFqns(fullyQualifiedName).slice(-limits.levels.value).toReversed()) {
    level = new Set([...level].flatMap((kind) => kindNamed(kind).parents.flatMap((above) => above.kinds)))
    for (const kind of level) ids.push(entityId(kind, fqn))
  }
  return ids
}

export const referenceTo = (entity: Pick<EntityHead, 'kind' | 'id' | 'fullyQualifiedName' | 'born'>): Reference => ({
  id: entity.id,
  type: entity.kind,
  fullyQualifiedName: entity.fullyQualifiedName,
  ...(entity.born > 0n && { life: Number(entity.born) }),
})

/** The value of a member with only the references that `keep` accepts; `undefined` if a single reference is dropped. */
export const filterReferences = (
  field: Field | undefined,
  value: Json,
  keep: (reference: Reference) => boolean,
): Json | undefined => {
  if (field?.references === undefined) {
    return field?.nested?.(value, (reference) => (keep(reference as Reference) ? reference : undefined)) ?? value
  }
  if (!Array.isArray(value)) return keep(value as Reference) ? value : undefined
  return value.filter((item) => keep(item as Reference))
}

/** The references in these members. */
export const memberReferences = (
  definition: KindDefinition,
  members: Members,
  names: readonly string[],
): Reference[] => {
  const references: Reference[] = []
  for (const name of names) {
    const value = members[name]
    if (value !== undefined) filterReferences(definition.fields[name], value, (one) => references.push(one) > 0)
  }
  return references
}

export const referredIds = (...of: Parameters<typeof memberReferences>): string[] =>
  memberReferences(...of).map(({ id }) => id)

/** Whether the incarnation that a reference means still exists. @param present finds the present reference of an id */
export const isSameIncarnation =
  (present: (id: string) => Reference | undefined) =>
  ({ id, life }: Reference): boolean => {
    const reference = present(id)
    return reference !== undefined && reference.life === life
  }

/** Whether the incarnation that a reference means is one of these entities, and not gone. */
export const isAmong = (found: ReadonlyMap<string, EntityHead>) =>
  isSameIncarnation((id) => {
    const entity = found.get(id)
    return entity === undefined || entity.status === 'gone' ? undefined : referenceTo(entity)
  })
