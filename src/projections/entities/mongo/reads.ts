import { StoreUnavailable } from '../../../stores/errors.ts'
import { reaching } from '../../../stores/mongo/connection.ts'
import { gathering } from '../../mongo/gather.ts'
import { stateId, type Generation, type StateDocument } from '../../mongo/generations.ts'
import type { Source } from '../../mongo/source.ts'
import { makeTotals } from '../../mongo/totals.ts'
import type { EntityRow } from '../row.ts'
import type { EntityLists, EntityReads } from '../port.ts'
import { listPage } from './lists.ts'
import { childrenOf, gatheringRelated, relatedTo } from './relations.ts'
import {
  fromDocument,
  placesBelow,
  placesOf,
  referenceFields,
  shownStatuses,
  statusNumbers,
  toReferenceRow,
  type EntityDocument,
} from './rows.ts'
import { unsettled, unsettledParents } from './unsettled.ts'
import { chunksOf } from '../../../shared/chunks.ts'

/** Ids that one query names. */
const idsAtOnce = 2000

/** Documents that a scan reads at once. */
const scanSize = 1000

/** Is it an entity, and not the state that stands among them? */
const isEntity = <D extends object>(document: D | null): document is D => document !== null && 'kind' in document

/** Entities as documents, and the state that came with them. */
const readMany = async <D extends { _id: string }>(
  { documents }: Generation<EntityDocument>,
  ids: readonly string[],
  fields: object,
): Promise<{ found: D[]; state: StateDocument | undefined }> => {
  const found: D[] = []
  let state: StateDocument | undefined
  for (const chunk of chunksOf(ids, idsAtOnce)) {
    const read = documents
      .find({ _id: { $in: [stateId, ...chunk] } })
      .project<D>(fields)
      .batchSize(idsAtOnce + 1)
    for (const document of await read.toArray()) {
      if (document._id === stateId) state = document as unknown as StateDocument
      else if (isEntity(document)) found.push(document)
    }
  }
  return { found, state }
}

/** The state comes with the entities. */
const manyOf = <D extends { _id: string }, R>(
  source: Source<EntityDocument>,
  ids: readonly string[],
  fields: object,
  toRow: (document: D) => R,
): Promise<Map<string, R>> =>
  source.readAlong(async (generation) => {
    const { found, state } = await readMany<D>(generation, ids, fields)
    return {
      state,
      complete: found.length === new Set(ids).size,
      take: () => new Map(found.map((document) => [document._id, toRow(document)])),
    }
  })

/** Of several with the same FQN a live one, then the lowest id. */
const firstCalled = async (
  { documents }: Generation<EntityDocument>,
  kind: string,
  fqn: string,
): Promise<EntityRow | undefined> => {
  for (const status of shownStatuses) {
    const document = await documents.findOne({ kind, status, place: placesOf(fqn) }, { sort: { place: 1 } })
    if (document) return fromDocument(document)
  }
  return undefined
}

const byFqn = (source: Source<EntityDocument>, kind: string, fqn: string): Promise<EntityRow | undefined> =>
  source.readAlong(async (generation) => {
    const [state, row] = await Promise.all([source.state(generation), firstCalled(generation, kind, fqn)])
    return { state, complete: row !== undefined, take: () => row }
  })

/** Reads entities from whatever collection is current. */
export const entityReads = (source: Source<EntityDocument>): EntityReads & EntityLists => {
  const totals = makeTotals<EntityDocument>(source.state)
  const related = gatheringRelated((ids, rel, limit) =>
    source.read(({ documents }) => relatedTo(documents, ids, rel, limit)),
  )
  const rows = gathering((ids) => manyOf(source, ids, {}, fromDocument))
  const references = gathering((ids) =>
    manyOf(source, ids, { ...referenceFields, position: 1, claim: 1 }, toReferenceRow),
  )
  return {
    get: async (id) => (await rows([id])).get(id),
    getByFqn: (kind, fqn) => byFqn(source, kind, fqn),
    getMany: rows,
    getReferences: references,
    list: (query) => source.read((generation) => listPage(generation, totals, query)),
    relatedTo: related,
    childrenOf: (ids, kind, limit) => source.read(({ documents }) => childrenOf(documents, ids, kind, limit)),
    countBelow: (kind, scope) =>
      source.read((generation) =>
        totals.count(generation, { kind, status: statusNumbers.live, place: placesBelow(scope) }),
      ),
    unsettled: (limit, ids) => source.read(({ documents }) => unsettled(documents, limit, ids)),
    unsettledParents: (place) => source.read(({ documents }) => unsettledParents(documents, place)),
  }
}

/** All entities that are not gone, in id order. Throws when the collection is dropped meanwhile. */
export async function* scanEntities(source: Source<EntityDocument>): AsyncGenerator<EntityRow, void, undefined> {
  const generation = await reaching(() => source.read(async (current) => current))
  const cursor = generation.documents
    .find({ status: { $in: [...shownStatuses] } })
    .sort({ _id: 1 })
    .batchSize(scanSize)
  try {
    for (;;) {
      const document = await reaching(() => cursor.next())
      if (document === null) break
      yield fromDocument(document)
    }
  } finally {
    await cursor.close().catch(() => undefined)
  }
  if ((await reaching(() => source.state(generation))) === undefined)
    throw new StoreUnavailable('The read models were emptied or replaced while they were read.')
}
