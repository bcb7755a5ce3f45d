import { fromRow } from '../projections/entityRow.ts'
import type { ReadModels } from '../projections/readModels.ts'
import type { Reference } from '../events/events.ts'
import type { Fact, KindDefinition } from '../kinds/defineKind.ts'
import type { Entity } from './evolve.ts'

/** Entities by id as they are now. What is not in the map does not exist; hard-deleted ones are in it as `gone`. */
export type Known = ReadonlyMap<string, Entity>

/** Finds entities by id, any number at once. */
export type Lookup = (ids: readonly string[]) => Promise<Known>

export type KindNamed = (name: string) => KindDefinition

/** A lookup over the read models. */
export const lookupIn =
  (readModels: Pick<ReadModels, 'getMany'>, kindNamed: KindNamed): Lookup =>
  async (ids) => {
    if (ids.length === 0) return new Map()
    const rows = await readModels.getMany([...new Set(ids)])
    return new Map([...rows].map(([id, row]) => [id, fromRow(row, kindNamed(row.kind))]))
  }

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
