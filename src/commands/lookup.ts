import type { Reference } from '../events/events.ts'
import type { Fact, KindDefinition } from '../kinds/defineKind.ts'
import type { Entity } from './evolve.ts'

/** Entities by id as they are now. What is not in the map does not exist; hard-deleted ones are in it as `gone`. */
export type Known = ReadonlyMap<string, Entity>

/** Finds entities by id, any number at once. */
export type Lookup = (ids: readonly string[]) => Promise<Known>

/** A child whose state contradicts its parent's, and that parent. */
export interface Contradiction {
  readonly child: Entity
  readonly parent: Entity
}

/** What recursive operations ask about parents and children, as far as the read models have come. */
export interface Tree {
  /** Is there a child of this kind, live or (with `deleted`) soft-deleted? */
  hasChild(parent: string, kind: string, deleted: boolean): Promise<boolean>
  /**
   * Children that a recursive operation has not reached yet: below a deleted parent and live; below a gone parent and not
   * gone; below a live parent and still in the deletion that the parent was restored from. Only among `ids`, as child or
   * as parent, when given.
   */
  contradictions(limit: number, ids?: readonly string[]): Promise<Contradiction[]>
}

export type KindNamed = (name: string) => KindDefinition

export const referenceTo = (entity: Entity): Reference => ({
  id: entity.id,
  type: entity.kind,
  fullyQualifiedName: entity.fullyQualifiedName,
})

/** What rules may know of an entity. */
export const factOf = (entity: Entity): Fact => ({
  reference: referenceTo(entity),
  deleted: entity.status === 'deleted',
  members: entity.members,
})
