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

/**
 * The state comes with the entities. It tells whether another generation has taken the place of this one, which is then
 * read instead, and, where some are missing, whether all that was there still is.
 */
const manyOf = async <D extends { _id: string }, R>(
  source: Source<EntityDocument>,
  ids: readonly string[],
  fields: object,
  toRow: (document: D) => R,
): Promise<Map<string, R>> => {
  const generation = await source.current()
  let { found, state } = await readMany<D>(generation, ids, fields)
  if (state?.claim !== undefined) {
    const latest = await source.latest()
    if (latest.name !== generation.name) ({ found, state } = await readMany<D>(latest, ids, fields))
  }
  if (found.length < new Set(ids).size) source.mustBeComplete(state)
  return new Map(found.map((document) => [document._id, toRow(document)]))
}

/** Of several with the same FQN a live one, then the lowest id. */
const byFqn = async (
  source: Source<EntityDocument>,
  kind: string,
  fqn: string,
  from?: Generation<EntityDocument>,
): Promise<EntityRow | undefined> => {
  const generation = from ?? (await source.current())
  for (const status of shownStatuses) {
    const wanted = { kind, status, place: placesOf(fqn) }
    const document = await generation.documents.findOne(wanted, { sort: { place: 1 } })
    if (document) return fromDocument(document)
  }
  const state = (await generation.state.findOne({ _id: stateId })) ?? undefined
  if (state?.claim !== undefined && from === undefined) {
    const latest = await source.latest()
    if (latest.name !== generation.name) return byFqn(source, kind, fqn, latest)
  }
  source.mustBeComplete(state)
  return undefined
}

/** Reads entities from whatever collection is current. */
export const entityReads = (source: Source<EntityDocument>): EntityReads & EntityLists => {
  const totals = makeTotals<EntityDocument>()
  const entities = async () => (await source.current()).documents
  const related = gatheringRelated(async (ids, rel, limit) => relatedTo(await entities(), ids, rel, limit))
  const rows = gathering((ids) => manyOf(source, ids, {}, fromDocument))
  const references = gathering((ids) =>
    manyOf(source, ids, { ...referenceFields, position: 1, claim: 1 }, toReferenceRow),
  )
  return {
    get: async (id) => (await rows([id])).get(id),
    getByFqn: (kind, fqn) => byFqn(source, kind, fqn),
    getMany: rows,
    getReferences: references,
    list: async (query) => listPage(await source.current(), totals, query),
    relatedTo: related,
    childrenOf: async (ids, kind, limit) => childrenOf(await entities(), ids, kind, limit),
    countBelow: async (kind, scope) =>
      totals.count(await source.current(), { kind, status: statusNumbers.live, place: placesBelow(scope) }),
    unsettled: async (limit, ids) => unsettled(await entities(), limit, ids),
    unsettledParents: async (place) => unsettledParents(await entities(), place),
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
