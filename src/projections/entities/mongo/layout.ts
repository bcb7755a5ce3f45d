import type { Indexes } from '../../mongo/indexes.ts'
import { keptInMongo, type MongoLayout } from '../../mongo/mongoProjection.ts'
import { firstRevision } from '../../mongo/writes.ts'
import { entitiesProjection } from '../entitiesProjection.ts'
import { entityReads, scanEntities } from './reads.ts'
import { toDocument, type EntityDocument } from './rows.ts'

/**
 * Indexes with equality fields first, then the list order: a page, or everything below an FQN, is one range. If deleted
 * and live entities are shown together, the place comes before the status, so that a status change does not move an
 * entity within a running walk.
 */
export const entityIndexes: Indexes = {
  list: { kind: 1, status: 1, place: 1 },
  list_all: { kind: 1, place: 1, status: 1 },
  list_of_edge: { kind: 1, edges: 1, place: 1, status: 1 },
  list_of_entity_status: { kind: 1, entityStatus: 1, place: 1, status: 1 },
  list_of_parent: { parent: 1, kind: 1, place: 1, status: 1 },
  relations: { edges: 1, place: 1, status: 1 },
  children: { parent: 1, status: 1, _id: 1 },
  statuses: { status: 1, _id: 1 },
}

/** The layout of the collection of entities. */
export const entitiesLayout: MongoLayout<EntityDocument> = {
  ...entitiesProjection,
  indexes: entityIndexes,
  documentsOf: async (batch) => (await batch.rows()).map(toDocument),
  writesOf: ({ documents }) => ({ newer: documents }),
  commute: (documents) => documents.every(({ revision }) => revision === firstRevision),
}

export const entitiesInMongo = keptInMongo({
  makeLayout: () => entitiesLayout,
  reads: (source) => ({ calls: entityReads(source), scan: () => scanEntities(source) }),
})
