import { valuesOf, type DocumentMatch, type Documents, type Query } from '../documents/port.ts'
import { makePageBudget } from '../../shared/bounds.ts'
import {
  counters,
  edgeText,
  entities,
  idAlone,
  listedMembers,
  requestedMembers,
  toListed,
  type EntityDocument,
} from './entityDocuments.ts'
import { pageOfWalk } from './page.ts'
import { clipped, deepest, placeOf, rangeBelow, type PlaceRange } from './place.ts'
import type { ListPage, ListQuery } from './port.ts'
import { shownLength, statusNumber, usualEntityStatus, type Edge, type ListRow } from './row.ts'

export type EntityDocuments = Documents<EntityDocument>

type Where = DocumentMatch<EntityDocument>

/** Statuses in lists. As a range: for a set of values a server would merge two walks. */
export const shownStatus = { $lte: statusNumber.deleted } as const

/**
 * The statuses of a list as conditions, one query each. A server is asked by a single query: with two, an entity deleted
 * in between would be shown twice or not at all. Here an index has each of them in order.
 */
export const statusesOf = (
  { embedded }: Pick<EntityDocuments, 'embedded'>,
  include: ListQuery['include'],
): readonly (number | typeof shownStatus)[] => {
  if (include !== 'all') return [include === 'deleted' ? statusNumber.deleted : statusNumber.live]
  return embedded ? [statusNumber.live, statusNumber.deleted] : [shownStatus]
}

/** Merges lists of documents, each in the order of places. */
export const mergeByPlace = <D extends { readonly place: string }>(lists: readonly D[][], backwards = false): D[] => {
  const [only = [], ...others] = lists.filter((list) => list.length > 0)
  if (others.length === 0) return only
  const sign = backwards ? -1 : 1
  return [only, ...others].flat().sort((a, b) => (a.place < b.place ? -sign : sign))
}

const isUnusual = ({ entityStatus }: ListQuery): boolean =>
  entityStatus !== undefined && entityStatus !== usualEntityStatus

/** The conditions of a query, without status and range. Its first edge is the one whose index is used. */
const whereOf = (query: ListQuery, { embedded }: EntityDocuments): Where => {
  const [first, ...others] = query.edges
  const { kind, parent, entityStatus, ids, own, lacking = [], children = [] } = query
  const having = children.map(({ kind: child, some, inherited = false }) => {
    const live = { status: statusNumber.live }
    const taken = { status: statusNumber.deleted, deletedWith: { $gt: '' } }
    const parents = valuesOf(entities, 'parent', { kind: child, ...(inherited ? { $or: [live, taken] } : live) })
    return { id: some ? { $in: parents } : { $nin: parents } }
  })
  return {
    kind,
    parent,
    ...(embedded && isUnusual(query) ? { unusualStatus: entityStatus } : { entityStatus }),
    ...(ids && { id: { $in: ids } }),
    ...(own === true && { ownDeletion: kind }),
    ...(own === false && { $or: [{ status: statusNumber.live }, { deletedWith: { $gt: '' } }] }),
    edges: first && edgeText(first),
    $and: [
      ...others.map((edge) => ({ edges: edgeText(edge) })),
      ...lacking.map((edge) => ({ edges: { $nin: [edgeText(edge)] } })),
      ...having,
    ],
  }
}

const indexOf = (query: QueryPlan): keyof EntityDocument => {
  if (query.ids !== undefined || query.by !== undefined) return 'id'
  if (query.edges.length > 0) return 'edges'
  if (query.own === true) return 'ownDeletion'
  if (query.parent !== undefined) return 'parent'
  return isUnusual(query) ? 'unusualStatus' : 'kind'
}

/** Number of entities from which reading them blocks others for too long. */
export const longListSize = 1000

/** A list with how it is walked. */
export interface QueryPlan extends ListQuery {
  /** The kind of children to start from, whose parents are the list. */
  readonly by?: string | undefined
  /** The number of entities in the list, if it is known: no more are read. */
  readonly size?: number
}

/** Number of entities in counters; of any entity status unless one is given. */
export const readCounter = async (
  documents: EntityDocuments,
  where: Pick<EntityDocument, 'kind' | 'status'> & { scope: string; entityStatus?: string | undefined },
): Promise<number> => {
  const found = await documents.in(counters).find({ where })
  return found.reduce((sum, { n }) => sum + n, 0)
}

const isCounted = ({ edges, lacking = [], children = [], parent, own, ids }: ListQuery): boolean =>
  [...edges, ...children, ...lacking].length === 0 && parent === undefined && own === undefined && ids === undefined

const countLive = (documents: EntityDocuments, kind: string): Promise<number> =>
  readCounter(documents, { kind, scope: '', status: statusNumber.live })

/** Edges with the number of entities that have them, rarest first. None is counted beyond the ones before it. */
const rarestFirst = async (documents: EntityDocuments, { kind, edges }: ListQuery, most: number) => {
  const sized: { edge: Edge; size: number }[] = []
  let limit = most
  for (const edge of edges) {
    limit = await documents.count({ where: { edges: edgeText(edge), kind }, limit, index: 'edges' })
    sized.push({ edge, size: limit })
  }
  return sized.toSorted((a, b) => a.size - b.size)
}

/**
 * Plans how a list is read: by its rarest edge, or by the children that it asks for if these are fewer.
 * @param most number up to which the entities of an edge are counted
 */
export const planQuery = async (
  documents: EntityDocuments,
  query: ListQuery,
  most = Number.MAX_SAFE_INTEGER,
): Promise<QueryPlan> => {
  const { edges, kind, children = [] } = query
  const child = children.find(({ some }) => some)?.kind
  if (!documents.embedded || (edges.length < 2 && child === undefined)) return query
  const sorted = await rarestFirst(documents, query, most)
  const isRare = sorted[0] !== undefined && sorted[0].size < longListSize
  const isFewer =
    child !== undefined && !isRare && (await countLive(documents, child)) < (await countLive(documents, kind))
  return { ...query, edges: sorted.map(({ edge }) => edge), by: isFewer ? child : undefined }
}

/** A limit that is never reached: with a limit, totals are not taken from the cache. */
const countedAnew = 2 ** 31 - 1

/** For a list with one negative condition: the list without it, and the list with its opposite, to be subtracted. */
const oppositesOf = (query: QueryPlan): [all: QueryPlan, others: QueryPlan] | undefined => {
  const { edges, lacking = [], children = [] } = query
  const [having, childless] = [children.filter(({ some }) => some), children.filter(({ some }) => !some)]
  if (lacking.length + childless.length !== 1) return undefined
  const all = { ...query, lacking: [], children: having }
  const [child] = childless
  if (child === undefined) return [all, { ...all, edges: [...edges, ...lacking] }]
  const by = query.by ?? (edges.length === 0 ? child.kind : undefined)
  return [all, { ...all, children: [...having, { ...child, some: true }], by }]
}

/**
 * Counts a list. Embedded, all parts are counted before anything is awaited, so at one moment.
 * @param limit for each status, unless there are counters
 */
export const countIn = async (documents: EntityDocuments, query: QueryPlan, limit?: number): Promise<number> => {
  const range = rangeBelow(query.scopes)
  if (range === undefined) return 0
  const { kind, scopes, entityStatus, children = [] } = query
  const opposites = documents.embedded ? oppositesOf(query) : undefined
  if (opposites !== undefined) {
    const [all, others] = opposites.map((each) => countIn(documents, each)) as [Promise<number>, Promise<number>]
    return (await all) - (await others)
  }
  const isAnew = !documents.embedded && (query.countAnew === true || children.length > 0)
  const most = isAnew ? countedAnew : limit
  const requested = { index: indexOf(query), ...(most !== undefined && { limit: most }) }
  const counts = statusesOf(documents, query.include).map((status) =>
    documents.embedded && isCounted(query)
      ? readCounter(documents, { kind, status: status as number, scope: deepest(scopes) ?? '', entityStatus })
      : documents.count({ where: { ...whereOf(query, documents), status, place: range }, ...requested }),
  )
  return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0)
}

/** Whether a list, or only its total, reads so many entities that it would block others. */
export const isLongList = async (documents: EntityDocuments, query: QueryPlan): Promise<boolean> => {
  if (isCounted(query)) return false
  if (query.ids !== undefined) return query.ids.length > longListSize
  const { kind, include, scopes, limit, parent, own, entityStatus, edges, by } = query
  if (by !== undefined) return (await countLive(documents, by)) >= longListSize
  const first = edges.slice(0, 1)
  const scan = { kind, include, scopes, limit, edges: first, ...(first.length === 0 && { parent, own, entityStatus }) }
  return (await countIn(documents, scan, longListSize)) >= longListSize
}

/** The documents on one side of a place (or from the end), nearest first. `cut`: the page was full. */
const readPage = async (documents: EntityDocuments, query: QueryPlan, range: PlaceRange, from?: string) => {
  const backwards = query.before !== undefined
  const walk = async (status: Where['status']) => {
    const hasRoom = makePageBudget()
    let cut = false
    const found = await documents.find({
      where: { ...whereOf(query, documents), status, place: clipped(range, backwards ? '$lt' : '$gt', from) },
      sort: { place: backwards ? -1 : 1 },
      limit: Math.min(query.limit + 1, query.size ?? Infinity),
      index: indexOf(query),
      members: query.withRequested ? requestedMembers : listedMembers,
      while: ({ shownAlways, references, shownOnRequest = '' }) => {
        const fits = hasRoom(shownLength({ shownAlways, references, shownOnRequest }))
        cut ||= !fits
        return fits
      },
    })
    return { found, cut }
  }
  const walks = await Promise.all(statusesOf(documents, query.include).map(walk))
  const hasRoom = makePageBudget()
  const rows: ListRow[] = []
  for (const document of mergeByPlace(
    walks.map(({ found }) => found),
    backwards,
  )) {
    const row = toListed(document)
    if (!hasRoom(shownLength(row))) return { found: rows, cut: true }
    rows.push(row)
  }
  return { found: rows, cut: walks.some(({ cut }) => cut) }
}

/** Whether anything is at the place or on its other side. */
const hasOtherSide = async (documents: EntityDocuments, query: ListQuery, range: PlaceRange, from?: string) => {
  if (from === undefined) return false
  const backwards = query.before !== undefined
  const place = clipped(range, backwards ? '$gte' : '$lte', from)
  const found = statusesOf(documents, query.include).map((status) => {
    const requested: Query<EntityDocument> = {
      where: { ...whereOf(query, documents), status, place },
      sort: { place: backwards ? 1 : -1 },
    }
    return documents.find({ ...requested, limit: 1, index: indexOf(query), members: idAlone })
  })
  return (await Promise.all(found)).flat().length > 0
}

const nothing: ListPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

/** One page of a list: a walk along an index, and a total. */
export const readList = async (documents: EntityDocuments, query: QueryPlan): Promise<ListPage> => {
  const range = rangeBelow(query.scopes)
  if (range === undefined) return nothing
  const counting = query.total ?? countIn(documents, query)
  if (query.limit === 0) return { ...nothing, total: await counting }
  const key = query.before ?? query.after
  const from = key && placeOf(key.fullyQualifiedName, key.id)
  const [walked, behind, total] = await Promise.all([
    readPage(documents, query, range, from),
    hasOtherSide(documents, query, range, from),
    counting,
  ])
  return { total, ...pageOfWalk(query, { ...walked, behind }) }
}
