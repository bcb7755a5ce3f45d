import type { Members, Reference } from '../events/events.ts'
import type { Fact, KindDefinition, Field } from '../kinds/defineKind.ts'
import type { Entity } from './evolve.ts'
import type { Json } from '../shared/json.ts'

/** What is known of an entity that others refer to: where it stands, without what is in it. It takes few bytes. */
export type Referred = Omit<Entity, 'members' | 'change' | 'version' | 'updatedBy'> & {
  /** Those of its members that rules of others ask for: see `KindDefinition.facts`. */
  readonly facts: Members
}

/** Where something stands and in which state, without what is in it. */
export type Head = Omit<Referred, 'facts'>

/** Finds others, and what rules may ask of them. */
export interface EntityReader {
  get(id: string): Head | undefined
  fact(id: string): Fact | undefined
  /** Which kind has what was loaded with this id: that never changes. */
  kindOf(id: string): string | undefined
}

/**
 * Entities by id as they are now, whole or as others refer to them. What is not in the map does not exist; hard-deleted
 * ones are in it as `gone`.
 */
export type LoadedEntities = ReadonlyMap<string, Entity | Referred>

/** The same, while more is looked up. */
export type IdentityMap = Map<string, Entity | Referred>

export const isWhole = (known: Entity | Referred | undefined): known is Entity =>
  known !== undefined && 'members' in known

/** Ids of what is to be looked up. */
export interface Needed {
  /** What is changed or shown, and what that stands in. */
  readonly whole: readonly string[]
  /** What is only referred to. */
  readonly referred: readonly string[]
}

/** Finds entities by id. */
export type Lookup = (ids: readonly string[]) => Promise<ReadonlyMap<string, Entity>>

/** Finds them as others refer to them, any number of them, however large they are. */
export type Refer = (ids: readonly string[]) => Promise<ReadonlyMap<string, Referred>>

/** Finds them whole, in their order, as long as there is room: always the first. @returns what there was room for */
export type PrefetchEntities = (ids: readonly string[]) => Promise<EntityBatch>

export interface EntityBatch {
  readonly found: ReadonlyMap<string, Entity>
  /** Ids that there was no room for. */
  readonly left: ReadonlySet<string>
}

/** A child whose state contradicts its parent's, and that parent. */
export interface Contradiction {
  readonly child: Entity
  readonly parent: Entity
}

/** What recursive operations ask about parents and children, as far as the read models have come. */
export interface Tree {
  /** Is there a child of this kind, live or (with `deleted`) soft-deleted? */
  hasChild(parent: string, kind: string, deleted: boolean): Promise<boolean>
  /** The same of anything that stands somewhere below. */
  hasBelow(entity: Entity, kind: string, deleted: boolean): Promise<boolean>
  /** Does something of this kind, somewhere below, come back when this entity is restored? */
  comesBack(entity: Entity, kind: string): Promise<boolean>
  countBelow(entity: Entity, kind: string): Promise<{ readonly live: number; readonly deleted: number }>
  /** Is there something of this kind, somewhere below, that has yet to follow its parent, which is deleted or gone? */
  isLeftBelow(entity: Entity, kind: string): Promise<boolean>
  /**
   * Children that contradict their parent: live below a deleted one; not gone below a gone one, or one in a later life;
   * below a live one and deleted with it. Only among `ids`, as child or as parent.
   */
  contradictions(limit: number, ids: readonly string[]): Promise<Contradiction[]>
}

export type KindNamed = (name: string) => KindDefinition

export const referenceTo = (entity: Omit<Referred, 'facts'>): Reference => ({
  id: entity.id,
  type: entity.kind,
  fullyQualifiedName: entity.fullyQualifiedName,
  ...(entity.born > 0n && { life: Number(entity.born) }),
})

/** The value of a member with only those references that `keep` says; `undefined` when it was one that goes. */
export const keepReferences = (
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

export const referredIds = (definition: KindDefinition, members: Members, names: readonly string[]): string[] => {
  const ids: string[] = []
  const note = ({ id }: Reference): boolean => {
    ids.push(id)
    return true
  }
  for (const name of names) {
    const value = members[name]
    if (value !== undefined) keepReferences(definition.fields[name], value, note)
  }
  return ids
}

/** Is there still the life that a reference means? @param present the reference to what is there now, of an id */
export const isThere =
  (present: (id: string) => Reference | undefined) =>
  ({ id, life }: Reference): boolean => {
    const reference = present(id)
    return reference !== undefined && reference.life === life
  }
