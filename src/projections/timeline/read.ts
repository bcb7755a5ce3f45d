import { ancestorFqns } from '../../kinds/names.ts'
import { documentProjection, openEnd, valuesOf, type DocumentMatch, type Documents } from '../documents/port.ts'
import { longListSize, mergeByPlace } from '../entities/lists.ts'
import { pageOfWalk } from '../entities/page.ts'
import { clipped, deepest, fqnIn, placeOf, rangeBelow, type PlaceRange } from '../entities/place.ts'
import { statuses, type Edge, type Status } from '../entities/row.ts'
import { listRoot, listNumber, withParent } from './lists.ts'
import type { ChildCondition } from '../entities/port.ts'
import type { TimelinePage, TimelineQuery, Timeline } from './port.ts'
import { spans, totals, type Span } from './tables.ts'
import { spanKeyMembers, type SpanKey } from './readStored.ts'
import { timelineWrites } from './write.ts'

type Spans = Documents<Span>
type Conditions = DocumentMatch<Span>

/** One of the lists that a query reads, for each status, and the conditions on its spans. */
interface ListWalk {
  readonly documents: Spans
  readonly query: TimelineQuery
  readonly status: Status
  readonly list: bigint
  readonly where: Conditions
  /** FQN of the scope; `''` for all. */
  readonly scope: string
  readonly range: PlaceRange
}

const listed = ['live', 'deleted'] as const

const statusesOf = (include: TimelineQuery['include']): readonly Status[] =>
  include === 'all' ? listed : [include === 'deleted' ? 'deleted' : 'live']

const asOf = (position: bigint): Conditions => ({ from: { $lte: position }, to: { $gt: position } })

/** Whether an entity is, or is not, in one of these lists. */
const inLists = (lists: readonly bigint[], time: Conditions, operator: '$in' | '$nin' = '$in'): Conditions => ({
  place: { [operator]: valuesOf(spans, 'place', { list: lists.length === 1 ? lists[0] : { $in: lists }, ...time }) },
})

/** Entities that have been hard-deleted since, even if there is a new one of the same name. */
const goneSince = ({ kind, position }: TimelineQuery, operator?: '$nin'): Conditions =>
  inLists([listNumber(kind, 'gone')], { from: { $gt: position } }, operator)

const presentConditions = (query: TimelineQuery): Conditions[] => {
  const { kind, current: { exists = false, owners } = {} } = query
  const owned = owners?.flatMap((target) => listed.map((status) => listNumber(kind, status, { rel: 'owners', target })))
  return [
    ...(exists ? [goneSince(query, '$nin')] : []),
    ...(owned === undefined ? [] : [inLists(owned, { to: openEnd })]),
  ]
}

const maxCompared = 1000

const shortestFirst = async (documents: Spans, lists: readonly bigint[]): Promise<readonly bigint[]> => {
  if (lists.length < 2 || !documents.embedded) return lists
  const sizes = new Map<bigint, number>()
  for (const list of lists) sizes.set(list, await documents.count({ where: { list }, limit: maxCompared }))
  return lists.toSorted((a, b) => (sizes.get(a) as number) - (sizes.get(b) as number))
}

/** With more children than this, each entity is looked up among their parents instead. */
const maxPlaces = 10_000

/** Whether an entity has, or has not, a live child of a kind. A parent's FQN is a prefix of its child's. */
const havingChildren = async (
  documents: Spans,
  { kind, some }: ChildCondition,
  time: Conditions,
): Promise<Conditions> => {
  const where = { list: listNumber(kind, 'live'), ...time }
  const options = { where, limit: maxPlaces + 1, members: ['place', 'entity', 'parent'] } as const
  const found = some && documents.embedded ? await documents.find(options) : undefined
  if (found === undefined || found.length > maxPlaces) {
    const parents = valuesOf(spans, 'parent', where)
    return { entity: some ? { $in: parents } : { $nin: parents } }
  }
  const places = found.flatMap(({ place, entity, parent = '' }) =>
    ancestorFqns(fqnIn(place, entity)).map((fqn) => placeOf(fqn, parent)),
  )
  return { place: { $in: [...new Set(places)] } }
}

const planWalk = async (
  documents: Spans,
  query: TimelineQuery,
  status: Status,
  range: PlaceRange,
): Promise<ListWalk> => {
  const { kind, parent, entityStatus, edges, position, ids, children = [], lacking = [] } = query
  const narrower = [...edges, ...(parent === undefined ? [] : [withParent(parent)])]
  const named = (narrower.length === 0 ? [listRoot] : narrower).map((each) => listNumber(kind, status, each))
  const [list, ...others] = (await shortestFirst(documents, named)) as [bigint, ...bigint[]]
  const time = asOf(position)
  const conditions: Conditions[] = [
    ...others.map((other) => inLists([other], time)),
    ...(entityStatus === undefined ? [] : [{ entityStatus }]),
    ...(ids === undefined ? [] : [{ entity: { $in: ids } }]),
    ...(await Promise.all(children.map((each) => havingChildren(documents, each, time)))),
    ...lacking.map((edge) => inLists([listNumber(kind, status, edge)], time, '$nin')),
    ...presentConditions(query),
  ]
  const where = { ...time, $and: conditions }
  return { documents, query, status, list, where, scope: deepest(query.scopes) ?? '', range }
}

const totalAt = async ({ documents, query }: ListWalk, status: Status, scope: string, list?: Edge): Promise<number> => {
  const where = { key: listNumber(query.kind, status, list, scope), position: { $lte: query.position } }
  const [found] = await documents.in(totals).find({ where, sort: { position: -1 }, limit: 1 })
  return found?.n ?? 0
}

/** Matches in a range, nearest first. */
const findSpans = (
  { documents, list, where }: ListWalk,
  range: PlaceRange,
  backwards: boolean,
  limit: number,
): Promise<SpanKey[]> =>
  documents.find({
    where: { list, place: range, ...where },
    sort: { place: backwards ? -1 : 1 },
    limit,
    index: 'list',
    members: spanKeyMembers,
  })

const countSpans = ({ documents, list, where, range }: ListWalk): Promise<number> =>
  documents.count({ where: { list, place: range, ...where } })

/** The stored total of a walk; `undefined` if there is none, so that its spans must be counted. */
const storedTotal = (walk: ListWalk): Promise<number> | undefined => {
  const { documents, query, status, scope } = walk
  const { edges, parent, entityStatus, ids, children = [], lacking = [], current = {} } = query
  const isNarrowed = ids !== undefined || entityStatus !== undefined || children.length + lacking.length > 0
  if (!documents.embedded || isNarrowed || current.exists || current.owners !== undefined) return undefined
  const named = [...edges, ...(parent === undefined ? [] : [withParent(parent)])]
  const isStored = named.length === 0 || (named.length === 1 && scope === '')
  return isStored ? totalAt(walk, status, scope, named[0]) : undefined
}

const nothing: TimelinePage = { keys: [], total: 0, hasBefore: false, hasAfter: false }

const planWalks = async (documents: Spans, query: TimelineQuery): Promise<ListWalk[]> => {
  const range = rangeBelow(query.scopes)
  if (range === undefined) return []
  return Promise.all(statusesOf(query.include).map((status) => planWalk(documents, query, status, range)))
}

/** Whether a list, or only its total, reads so many spans that it would block others. */
export const isLongListAsOf = async (
  documents: Spans,
  { children = [], ...query }: TimelineQuery,
): Promise<boolean> => {
  const walks = await planWalks(documents, query)
  const scans: Conditions[] = [
    ...walks
      .filter((walk) => query.limit > 0 || children.length > 0 || storedTotal(walk) === undefined)
      .map(({ list, range }) => ({ list, place: range })),
    ...children.map(({ kind }) => ({ list: listNumber(kind, 'live') })),
  ]
  const sizes = scans.map((where) => documents.count({ where, limit: longListSize }))
  return (await Promise.all(sizes)).some((size) => size >= longListSize)
}

/** One page: the spans of each status in order, whether any lie before the page, and the total. */
const readPage = async (documents: Spans, query: TimelineQuery): Promise<TimelinePage> => {
  const walks = await planWalks(documents, query)
  const counts = await Promise.all(walks.map((walk) => storedTotal(walk) ?? countSpans(walk)))
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (query.limit === 0 || total === 0) return { ...nothing, total }
  const backwards = query.before !== undefined
  const key = query.before ?? query.after
  const place = key && placeOf(key.fullyQualifiedName, key.id)
  const findSide = async (side: '$gt' | '$gte' | '$lt' | '$lte', back: boolean, limit: number): Promise<SpanKey[]> => {
    const lists = await Promise.all(walks.map((walk) => findSpans(walk, clipped(walk.range, side, place), back, limit)))
    return mergeByPlace(lists, back).slice(0, limit)
  }
  const [found, behind] = await Promise.all([
    findSide(backwards ? '$lt' : '$gt', backwards, query.limit + 1),
    place === undefined ? [] : findSide(backwards ? '$gte' : '$lte', !backwards, 1),
  ])
  const keys = found.map((span) => ({ fullyQualifiedName: fqnIn(span.place, span.entity), id: span.entity }))
  const { rows, ...ends } = pageOfWalk(query, { found: keys, behind: behind.length > 0 })
  return { keys: rows, total, ...ends }
}

const timelineReads = (documents: Spans): Timeline => ({
  listAsOf: (query) => documents.together((together) => readPage(together, query)),
  statusesAt: async (entities, position) => {
    if (entities.length === 0) return new Map()
    const kinds = [...new Set(entities.map(({ kind }) => kind))]
    const lists = new Map(kinds.flatMap((kind) => statuses.map((status) => [listNumber(kind, status), status])))
    const places = entities.map(({ fullyQualifiedName, id }) => placeOf(fullyQualifiedName, id))
    const where = { list: { $in: [...lists.keys()] }, place: { $in: places }, ...asOf(position) }
    return new Map(
      (await documents.find({ where })).flatMap(({ entity, list, from, to }) => {
        const status = lists.get(list)
        if (status === undefined || to <= position) return []
        return [[entity, { status, from, to: to === openEnd ? undefined : to }] as const]
      }),
    )
  },
})

/** The lists that entities were in, at any time. */
export const timelineDocuments = documentProjection({
  layout: spans,
  cache: () => undefined,
  writes: timelineWrites,
  reads: timelineReads,
})
