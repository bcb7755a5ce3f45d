import type { Read, Source } from '../../mongo/reading.ts'
import { StoreUnavailable } from '../../../stores/errors.ts'
import { withStoreErrors } from '../../../stores/mongo/connection.ts'
import { batchReads, type ReadMany, makeTotalCache } from '../../mongo/batchReads.ts'
import { stateFields, stateId, type Generation, type StateDocument } from '../../mongo/generations.ts'
import { type EntityRow, statusNumber, entitiesProjection } from '../row.ts'
import { placesBelow, placesOf } from '../place.ts'
import type { EntityLists, EntityReads } from '../port.ts'
import { countSettled, listPage } from './lists.ts'
import { childrenOf, gatheringRelated, headsBelow, ownDeletions, relatedTo } from './relations.ts'
import {
  fromDocument,
  headRows,
  referenceRows,
  shownStatuses,
  wholeRows,
  type EntityDocument,
  type RowCodec,
  toDocument,
} from './rows.ts'
import { chunksOf } from '../../../shared/bounds.ts'
import type { Indexes } from '../../mongo/indexes.ts'
import { keptInMongo, type MongoLayout } from '../../mongo/mongoProjection.ts'
import { firstRevision } from '../../mongo/writes.ts'

const idsAtOnce = 2000

const scanSize = 1000

/** Milliseconds that a read waits for the one before it, so that under load fewer commands read more. */
const patience = 20

/** Whether a document is an entity rather than the state document. */
const isEntity = <D extends object>(document: D): boolean => 'kind' in document

/** Entities by id, with the state document read together. */
const readMany = async <R>(
  { documents }: Generation<EntityDocument>,
  ids: readonly string[],
  { fields, toRow }: RowCodec<R>,
): Promise<Read<Map<string, R>>> => {
  const rows = new Map<string, R>()
  let state: StateDocument | undefined
  for (const chunk of chunksOf(ids, idsAtOnce)) {
    const read = documents
      .find({ _id: { $in: [stateId, ...chunk] } })
      .project<EntityDocument>(fields)
      .batchSize(idsAtOnce + 1)
    for (const document of await read.toArray()) {
      if (document._id === stateId) state = document as unknown as StateDocument
      else if (isEntity(document)) rows.set(document._id, toRow(document))
    }
  }
  return { state, complete: rows.size === new Set(ids).size, take: () => rows }
}

/** Batches reads of the same turn into one. */
const loading = <R>(source: Source<EntityDocument>, shown: RowCodec<R>): ReadMany<R> =>
  batchReads((ids) => source.readAlong((generation) => readMany(generation, ids, shown)), patience)

/** Of several with the same FQN a live one, then the one with the lowest id. */
const firstCalled = async (
  { documents }: Generation<EntityDocument>,
  kind: string,
  fqn: string,
): Promise<EntityRow | undefined> => {
  // One query: with two, an entity restored in between would be in neither result.
  const document = await documents.findOne(
    { kind, status: { $in: [...shownStatuses] }, place: placesOf(fqn) },
    { sort: { status: 1, place: 1 } },
  )
  return document === null ? undefined : fromDocument(document)
}

const byFqn = (source: Source<EntityDocument>, kind: string, fqn: string): Promise<EntityRow | undefined> =>
  source.readAlong(async (generation) => {
    const [state, row] = await Promise.all([source.state(generation), firstCalled(generation, kind, fqn)])
    return { state, complete: row !== undefined, take: () => row }
  })

/** Reads entities from the current collection. */
export const entityReads = (source: Source<EntityDocument>): EntityReads & EntityLists => {
  const totals = makeTotalCache<EntityDocument>(source.state)
  const withState = <R>(shown: RowCodec<R>): RowCodec<R> => ({ ...shown, fields: { ...shown.fields, ...stateFields } })
  const rows = loading(source, wholeRows)
  return {
    get: async (id) => (await rows([id])).get(id),
    getByFqn: (kind, fqn) => byFqn(source, kind, fqn),
    getMany: rows,
    getHeads: loading(source, withState(headRows)),
    getReferences: loading(source, withState(referenceRows)),
    relatedTo: gatheringRelated((ids, rel, limit) =>
      source.read(({ documents }) => relatedTo(documents, ids, rel, limit)),
    ),
    childrenOf: (ids, kind, limit) => source.read(({ documents }) => childrenOf(documents, ids, kind, limit)),
    countBelow: (kind, scope) =>
      source.read((generation) =>
        totals.count(generation, { kind, status: statusNumber.live, place: placesBelow(scope) }),
      ),
    list: (query) => source.read((generation) => listPage(generation, totals, query)),
    countSettled: (query, unfollowed) =>
      source.read((generation) => countSettled(generation, totals, query, unfollowed)),
    headsBelow: (query, limit) => source.read(({ documents }) => headsBelow(documents, query, limit)),
    ownDeletions: (fqn, kinds) => source.read(({ documents }) => ownDeletions(documents, fqn, kinds)),
  }
}

/** All entities that are not gone, in id order. @throws when the collection is dropped meanwhile */
export async function* scanEntities(source: Source<EntityDocument>): AsyncGenerator<EntityRow, void, undefined> {
  const generation = await withStoreErrors(() => source.read(async (current) => current))
  const cursor = generation.documents
    .find({ status: { $in: [...shownStatuses] } })
    .sort({ _id: 1 })
    .batchSize(scanSize)
  try {
    for (;;) {
      const document = await withStoreErrors(() => cursor.next())
      if (document === null) break
      yield fromDocument(document)
    }
  } finally {
    await cursor.close().catch(() => undefined)
  }
  if ((await withStoreErrors(() => source.state(generation))) === undefined)
    throw new StoreUnavailable('The read models were emptied or replaced while they were read.')
}

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
