import { revisionIndex, type Indexes } from '../../mongo/indexes.ts'
import type { MongoLayout } from '../../mongo/mongoProjection.ts'
import { writeNewer } from '../../mongo/writes.ts'
import { entitiesProjection } from '../entitiesProjection.ts'
import { toDocument, type EntityDocument } from './rows.ts'

/**
 * Equality first, then the place that lists are ordered by, of which a page, or what lies below an FQN, is one range:
 * the first page and the last one cost the same, and matches are counted on keys alone.
 */
export const entityIndexes: Indexes = {
  list: { kind: 1, status: 1, place: 1 },
  list_edges: { kind: 1, status: 1, edges: 1, place: 1 },
  list_entity_status: { kind: 1, status: 1, entityStatus: 1, place: 1 },
  list_children: { parent: 1, kind: 1, status: 1, place: 1 },
  related: { edges: 1, status: 1, place: 1 },
  children: { parent: 1, status: 1, _id: 1 },
  statuses: { status: 1, _id: 1 },
  ...revisionIndex,
}

/** The collection of entities. */
export const entitiesLayout: MongoLayout<EntityDocument> = {
  ...entitiesProjection,
  indexes: entityIndexes,
  documentsOf: async (batch) => (await batch.rows()).map(toDocument),
  write: writeNewer,
}
