import { StoreUnavailable } from '../../../stores/errors.ts'
import { reaching } from '../../../stores/mongo/connection.ts'
import { gathering } from '../../mongo/gather.ts'
import { stateFields, stateId, stateIn, type Generation, type StateDocument } from '../../mongo/generations.ts'
import type { Source } from '../../mongo/source.ts'
import { makeTotals } from '../../mongo/totals.ts'
import type { EntityRow, HeadRow, ReferenceRow } from '../row.ts'
import type { EntityLists, EntityReads } from '../port.ts'
import { countSettled, listPage } from './lists.ts'
import type { Look, Memory } from './memory.ts'
import { rememberedReads, type Sources } from './remembered.ts'
import { childrenOf, gatheringRelated, relatedTo, targetsOf } from './relations.ts'
import {
  fromDocument,
  headFields,
  placesBelow,
  placesOf,
  referenceFields,
  shownStatuses,
  statusNumbers,
  toHeadRow,
  toReferenceRow,
  type EntityDocument,
  type HeadDocument,
  type ReferenceDocument,
} from './rows.ts'
import { begunBelow, hidden, ownDeletions, unsettled, unsettledParents } from './unsettled.ts'
import { chunksOf } from '../../../shared/chunks.ts'

const idsAtOnce = 2000

const scanSize = 1000

/** Milliseconds for which a read waits for the one before it: under load more is read at once, with fewer commands. */
const patience = 20

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

export interface Found<R> {
  readonly row: R
  /** Of the newest event that it shows. */
  readonly position: bigint
  /** It is there before its checkpoint: what others remember may not show it yet. */
  readonly isEarly: boolean
}

interface Reading<D extends { _id: string; position: string }, R> {
  readonly fields: object
  readonly toRow: (document: D) => R
  readonly keep: (look: Look | undefined, found: Found<R>) => void
}

/** The state comes with the entities. */
const manyOf = <D extends { _id: string; position: string }, R>(
  { source, memory }: Sources,
  ids: readonly string[],
  { fields, toRow, keep }: Reading<D, R>,
): Promise<Map<string, Found<R>>> =>
  source.readAlong(async (generation) => {
    const look = memory?.look()
    try {
      const { found, state } = await readMany<D>(generation, ids, fields)
      look?.saw(generation.name, stateIn(state))
      const shown = state?.position
      const isEarly = ({ position }: D): boolean => typeof shown === 'string' && position > shown
      const rows = found.map((document): [string, Found<R>] => [
        document._id,
        { row: toRow(document), position: BigInt(document.position), isEarly: isEarly(document) },
      ])
      for (const [, each] of rows) keep(look, each)
      return { state, complete: found.length === new Set(ids).size, take: () => new Map(rows) }
    } finally {
      look?.end()
    }
  })

const wholeRows: Reading<EntityDocument, EntityRow> = {
  fields: {},
  toRow: fromDocument,
  keep: (look, { row }) => look?.keep(row),
}

const headRows: Reading<HeadDocument, HeadRow> = {
  fields: { ...headFields, ...stateFields },
  toRow: toHeadRow,
  keep: (look, { row }) => look?.keepHead(row),
}

const referenceRows: Reading<ReferenceDocument & { position: string }, ReferenceRow> = {
  fields: { ...referenceFields, ...stateFields },
  toRow: toReferenceRow,
  keep: (look, { row, position }) => look?.keepReference(row, position),
}

/** Of several with the same FQN a live one, then the lowest id. */
const firstCalled = async (
  { documents }: Generation<EntityDocument>,
  kind: string,
  fqn: string,
): Promise<EntityRow | undefined> => {
  // One query: between two, what is deleted could be restored, and would be in neither answer.
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

/** Reads entities from whatever collection is current; its state keeps `memory` true. */
export const entityReads = (source: Source<EntityDocument>, memory?: Memory): EntityReads & EntityLists => {
  const totals = makeTotals<EntityDocument>(source.state)
  const sources = { source, memory }
  const stored = {
    rows: gathering((ids) => manyOf(sources, ids, wholeRows), patience),
    heads: gathering((ids) => manyOf(sources, ids, headRows), patience),
    references: gathering((ids) => manyOf(sources, ids, referenceRows), patience),
    relatedTo: gatheringRelated((ids, rel, limit) =>
      source.read(({ documents }) => relatedTo(documents, ids, rel, limit)),
    ),
    targets: (rel: string) => source.read(({ documents }) => targetsOf(documents, rel)),
    childrenOf: (ids: readonly string[], kind: string, limit: number) =>
      source.read(({ documents }) => childrenOf(documents, ids, kind, limit)),
    countBelow: (kind: string, scope: string) =>
      source.read((generation) =>
        totals.count(generation, { kind, status: statusNumbers.live, place: placesBelow(scope) }),
      ),
  }
  return {
    ...rememberedReads(sources, stored, (kind, fqn) => byFqn(source, kind, fqn)),
    list: (query) => source.read((generation) => listPage(generation, totals, query)),
    countSettled: (query, unfollowed) =>
      source.read((generation) => countSettled(generation, totals, query, unfollowed)),
    unsettled: (limit, ids) => source.read(({ documents }) => unsettled(documents, limit, ids)),
    begunBelow: (fqn, kinds, window) => source.read(({ documents }) => begunBelow(documents, fqn, kinds, window)),
    ownDeletions: (fqn, kinds) => source.read(({ documents }) => ownDeletions(documents, fqn, kinds)),
    hidden: (after) => source.read(({ documents }) => hidden(documents, after)),
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
