import { withoutRemoved } from '../../kinds/edges.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import { makePageBudget } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { documentProjection, makeCounts, type DocumentWrite, type TableWrite } from '../documents/port.ts'
import { countSettled } from './countSettled.ts'
import {
  counters,
  entities,
  headMembers,
  idAlone,
  referenceMembers,
  rowMembers,
  toDocument,
  toHead,
  toReference,
  toEntityRow,
  type EntityDocument,
} from './entityDocuments.ts'
import { readRemovedLabels, labelRemovalWrites, type RemovedLabels } from './removedLabels.ts'
import { readCounter, readList, shownStatus, planQuery, type EntityDocuments } from './lists.ts'
import { fqnIn, placesBelow, placesOf } from './place.ts'
import type { EntityLists, EntityReads } from './port.ts'
import { childrenOf, batchedRelated, headsBelow, ownDeletions, relatedTo } from './relations.ts'
import { shownLength, statusNumber, type EntityRow } from './row.ts'
import { makeReadCache, type ReadCache } from './rowCache.ts'

type Write = DocumentWrite<EntityDocument> | TableWrite

type Counted = Pick<EntityDocument, 'kind' | 'status' | 'entityStatus' | 'place'>

type Member = keyof EntityDocument

const indexed = Object.entries(entities.indexes) as [Member, readonly Member[]][]

/** Members of a stored entity that a change of it needs to know. */
const knownMembers: readonly Member[] = [...new Set<Member>(['id', 'revision', ...indexed.flat(2)])]

const documentOf = (row: EntityRow, { isRemoved }: RemovedLabels): EntityDocument =>
  toDocument({ ...row, edges: withoutRemoved(row.edges, isRemoved) })

const isCountedAlike = (a: Counted, b: Counted): boolean =>
  a.status === b.status && a.place === b.place && a.entityStatus === b.entityStatus && a.kind === b.kind

function* changesOf(
  rows: readonly EntityRow[],
  stored: ReadonlyMap<string, EntityDocument>,
  cache: ReadCache,
  removed: RemovedLabels,
): Generator<Write> {
  const counts = makeCounts(counters)
  const count = ({ kind, status, entityStatus }: Counted, fqn: string, n: number): void => {
    if (status === statusNumber.gone) return
    for (const scope of ['', ...ancestorFqns(fqn)]) counts.add({ scope, kind, status, entityStatus, n })
  }
  for (const row of rows) {
    const document = documentOf(row, removed)
    const from = stored.get(document.id)
    if (from !== undefined && from.revision >= document.revision) continue
    yield from === undefined ? { add: document } : { change: document, from }
    if (from !== undefined && isCountedAlike(from, document)) continue
    if (from !== undefined) count(from, fqnIn(from.place, from.id), -1)
    count(document, row.fullyQualifiedName, 1)
  }
  yield* counts.writes()
  cache.applied(rows)
}

/** On a server others may write too: a document takes the place of older ones alone. */
const writeOver = (row: EntityRow, removed: RemovedLabels): Write => {
  const document = documentOf(row, removed)
  return row.revision === 0n ? { add: document } : { put: document, over: { revision: { $lt: row.revision } } }
}

const readRows = async (documents: EntityDocuments, ids: readonly string[]): Promise<EntityRow[]> =>
  ids.length === 0 ? [] : (await documents.get(ids, rowMembers)).map(toEntityRow)

/** Up to this many rows are read at once, however long they are. */
const fewRows = 16

/** Reads at one moment, unless their texts are very long: then it yields in between. */
const readInSteps = async (
  documents: EntityDocuments,
  cache: ReadCache,
  ids: readonly string[],
): Promise<Map<string, EntityRow>> => {
  const yieldWhenDue = makeYielder()
  const found = new Map<string, EntityRow>()
  for (let left = ids, isCut = true; isCut; left = left.filter((id) => !found.has(id))) {
    const hasRoom = makePageBudget()
    isCut = false
    const fits = (document: EntityDocument): boolean => {
      isCut = !hasRoom(shownLength(document))
      return !isCut
    }
    const read = async (missing: readonly string[]): Promise<EntityRow[]> => {
      const where = { id: { $in: missing } }
      return (await documents.find({ where, index: 'id', members: rowMembers, while: fits })).map(toEntityRow)
    }
    for (const [id, row] of await cache.rows(left, read)) found.set(id, row)
    await yieldWhenDue()
  }
  return found
}

/** Of several with the same FQN a live one, then the one with the lowest id. */
const idCalled = async (documents: EntityDocuments, kind: string, fqn: string): Promise<string | undefined> => {
  // One query: with two, an entity restored in between would be in neither result.
  const status = documents.embedded ? { $in: [statusNumber.live, statusNumber.deleted] } : shownStatus
  const where = { kind, status, place: placesOf(fqn) }
  const first = { sort: { status: 1, place: 1 }, limit: 1, index: 'kind', members: idAlone } as const
  return (await documents.find({ where, ...first }))[0]?.id
}

const entityReads = (documents: EntityDocuments, cacheNow: () => ReadCache): EntityReads & EntityLists => {
  const getMany: EntityReads['getMany'] = (ids) =>
    documents.embedded && ids.length > fewRows
      ? readInSteps(documents, cacheNow(), ids)
      : cacheNow().rows(ids, (some) => readRows(documents, some))
  const get: EntityReads['get'] = async (id) => (await cacheNow().rows([id], (ids) => readRows(documents, ids))).get(id)
  const read: EntityLists['relatedTo'] = (...args) => documents.together((together) => relatedTo(together, ...args))
  const related = documents.embedded ? read : batchedRelated(read)
  return {
    get,
    getMany,
    getByFqn: async (kind, fqn) => {
      const id = await idCalled(documents, kind, fqn)
      return id === undefined ? undefined : get(id)
    },
    getHeads: (ids) =>
      cacheNow().heads(ids, async (missing) => (await documents.get(missing, headMembers)).map(toHead)),
    getReferences: (ids) =>
      cacheNow().references(ids, async (missing) => (await documents.get(missing, referenceMembers)).map(toReference)),
    list: (query) => documents.together(async (together) => readList(together, await planQuery(together, query))),
    countSettled: (query, names) =>
      documents.together(async (together) => countSettled(together, await planQuery(together, query), names)),
    relatedTo: (ids, rel, limit) => cacheNow().related(ids, rel, (some) => related(some, rel, limit)),
    childrenOf: (...args) => documents.together((together) => childrenOf(together, ...args)),
    countBelow: (kind, scope) =>
      documents.embedded
        ? readCounter(documents, { kind, scope, status: statusNumber.live })
        : documents.count({ where: { kind, status: statusNumber.live, place: placesBelow(scope) } }),
    headsBelow: (...args) => headsBelow(documents, ...args),
    ownDeletions: (...args) => ownDeletions(documents, ...args),
  }
}

/** The present entities. @param room bytes of the cache of rows, where nobody else writes them */
export const entityDocuments = (room: number) =>
  documentProjection({
    layout: entities,
    cache: () => makeReadCache(room),
    writes: async function* (batch, documents: EntityDocuments, cache) {
      const rows = await batch.rows()
      const removed = await readRemovedLabels(documents, rows)
      yield* labelRemovalWrites(documents, removed)
      if (!documents.embedded) return rows.map((row) => writeOver(row, removed))
      const ids = rows.map(({ id }) => id)
      const stored = ids.length === 0 ? [] : await documents.get(ids, knownMembers)
      const byId = new Map(stored.map((document) => [document.id, document]))
      return changesOf(rows, byId, cache, removed)
    },
    reads: entityReads,
  })
