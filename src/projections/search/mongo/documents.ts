import { maxIndexed, placeOf, statusNumbers } from '../../entities/mongo/rows.ts'
import type { EntityRow } from '../../entities/row.ts'
import type { MongoLayout } from '../../mongo/mongoProjection.ts'
import { writeNewer } from '../../mongo/writes.ts'
import { revisionIndex, type Indexes } from '../../mongo/indexes.ts'
import { numberText, orderly } from '../../mongo/texts.ts'
import { searchProjection } from '../searchProjection.ts'
import { searchTerms, sortName } from '../words.ts'

/** What MongoDB keeps of an entity to find it. */
export interface SearchDocument {
  /** The entity's id. */
  _id: string
  kind: string
  /** `statusNumbers` */
  status: number
  /** `placeOf` */
  place: string
  /** `numberText` */
  revision: string
  updatedAt: number
  /** `sortName` of the entity, `orderly`. */
  sortName: string
  /** `searchTerms` of the entity, in their order; the first {@link maxIndexed} of them. */
  terms: string[]
}

const indexes: Indexes = {
  list: { kind: 1, status: 1, place: 1 },
  names: { kind: 1, status: 1, sortName: 1, place: 1 },
  times: { kind: 1, status: 1, updatedAt: 1, place: 1 },
  terms: { terms: 1, status: 1, _id: 1 },
  ...revisionIndex,
}

const toSearchDocument = (row: EntityRow): SearchDocument => ({
  _id: row.id,
  kind: row.kind,
  status: statusNumbers[row.status],
  place: placeOf(row.fullyQualifiedName, row.id),
  revision: numberText(row.revision),
  updatedAt: row.updatedAt,
  sortName: orderly(sortName(row)),
  terms: row.status === 'gone' ? [] : searchTerms(row).slice(0, maxIndexed),
})

/** The collection of what is searched. */
export const searchLayout: MongoLayout<SearchDocument> = {
  ...searchProjection,
  indexes,
  documentsOf: async (batch) => (await batch.rows()).map(toSearchDocument),
  write: writeNewer,
}
