import { reaching } from '../../../stores/mongo/connection.ts'
import { gathering } from '../../mongo/gather.ts'
import type { Generation } from '../../mongo/generations.ts'
import type { Source } from '../../mongo/source.ts'
import { makeTotals } from '../../mongo/totals.ts'
import type { EntityRow } from '../row.ts'
import type { EntityLists, EntityReads } from '../port.ts'
import { listPage } from './lists.ts'
import { childrenOf, chunksOf, gatheringRelated, relatedTo } from './relations.ts'
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
import { unsettled } from './unsettled.ts'

/** Ids that one query names. */
const idsAtOnce = 2000

/** Documents that a scan reads at once. */
const scanSize = 1000

/** Is it an entity, and not the state that stands among them? */
const isEntity = <D extends object>(document: D | null): document is D => document !== null && 'kind' in document

const manyOf = async <D extends { _id: string }, R>(
  ids: readonly string[],
  fields: object,
  { documents }: Generation<EntityDocument>,
  toRow: (document: D) => R,
): Promise<Map<string, R>> => {
  const rows = new Map<string, R>()
  for (const chunk of chunksOf(ids, idsAtOnce)) {
    const found = documents
      .find({ _id: { $in: chunk } })
      .project<D>(fields)
      .batchSize(idsAtOnce)
    for (const document of await found.toArray()) if (isEntity(document)) rows.set(document._id, toRow(document))
  }
  return rows
}

/** Of several with the same FQN a live one, then the lowest id. */
const byFqn = async (
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

/** Reads entities from whatever collection is current. */
export const entityReads = (source: Source<EntityDocument>): EntityReads & EntityLists => {
  const totals = makeTotals<EntityDocument>()
  const entities = async () => (await source.current()).documents
  const related = gatheringRelated(async (ids, rel, limit) => relatedTo(await entities(), ids, rel, limit))
  const rows = gathering(async (ids) => manyOf(ids, {}, await source.current(), fromDocument))
  const references = gathering(async (ids) => manyOf(ids, referenceFields, await source.current(), toReferenceRow))
  return {
    get: async (id) => (await rows([id])).get(id),
    getByFqn: async (kind, fqn) => byFqn(await source.current(), kind, fqn),
    getMany: rows,
    getReferences: references,
    list: async (query) => listPage(await source.current(), totals, query),
    relatedTo: related,
    childrenOf: async (ids, kind, limit) => childrenOf(await entities(), ids, kind, limit),
    countBelow: async (kind, scope) =>
      totals.count(await source.current(), { kind, status: statusNumbers.live, place: placesBelow(scope) }),
    unsettled: async (limit, ids) => unsettled(await entities(), limit, ids),
  }
}

/** All entities that are not gone, in id order. */
export async function* scanEntities(source: Source<EntityDocument>): AsyncGenerator<EntityRow, void, undefined> {
  const { documents } = await reaching(() => source.current())
  const cursor = documents
    .find({ status: { $in: [...shownStatuses] } })
    .sort({ _id: 1 })
    .batchSize(scanSize)
  try {
    for (;;) {
      const document = await reaching(() => cursor.next())
      if (document === null) return
      yield fromDocument(document)
    }
  } finally {
    await cursor.close().catch(() => undefined)
  }
}
