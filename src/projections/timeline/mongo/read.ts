import type { Source } from '../../mongo/reading.ts'
import type { Collection, Filter } from 'mongodb'
import { rangeBelow, clipped, type PlaceRange } from '../../entities/mongo/lists.ts'
import { fqnIn, placeOf } from '../../entities/mongo/rows.ts'
import { pageOfWalk } from '../../entities/page.ts'
import type { ListKey } from '../../entities/port.ts'
import { statusNumber, type Status } from '../../entities/row.ts'
import { typedCollection } from '../../../stores/mongo/connection.ts'
import type { Generation } from '../../mongo/generations.ts'
import { keptInMongo } from '../../mongo/mongoProjection.ts'
import { numberText } from '../../mongo/texts.ts'
import { makeTotalCache, type Totals } from '../../mongo/totals.ts'
import { byEntityStatus, byParent, everything, listName } from '../lists.ts'
import type { PastPage, PastQuery, Timeline } from '../port.ts'
import { notEnded, timelineLayout, type SpanDocument, type TimeDocument, type TimelineDocument } from './layout.ts'

type Spans = Collection<SpanDocument>
type Placed = Pick<SpanDocument, 'place' | 'entity'>

/** The name of a list. */
const nameOf = (kind: string, status: Status, rel = everything, target = ''): string =>
  listName({ kind, status: statusNumber[status], rel, target })

const shown = ['live', 'deleted'] as const satisfies Status[]
const statuses = [...shown, 'gone'] as const

const statusesOf = (include: PastQuery['include']): readonly Status[] =>
  include === 'all' ? shown : [include === 'deleted' ? 'deleted' : 'live']

const then = ({ position }: Pick<PastQuery, 'position'>): Filter<SpanDocument> => ({
  from: { $lte: numberText(position) },
  to: { $gt: numberText(position) },
})

const placesIn = async (spans: Spans, filter: Filter<SpanDocument>): Promise<Set<string>> => {
  const found = await spans.find(filter).project<Placed>({ _id: 0, place: 1 }).toArray()
  return new Set(found.map(({ place }) => place))
}

/** Ids at the ends of places, since present conditions do not depend on the former name. */
const idIn = (place: string): string => place.slice(place.lastIndexOf('\u0001') + 1)

/** The lists that contain all matches; the first one is scanned. */
const listsOf = ({ kind, parent, entityStatus, edges }: PastQuery, status: Status): [string, ...string[]] => {
  const named = [
    ...edges.map(({ rel, target }) => nameOf(kind, status, rel, target)),
    ...(parent === undefined ? [] : [nameOf(kind, status, byParent, parent)]),
    ...(entityStatus === undefined ? [] : [nameOf(kind, status, byEntityStatus, entityStatus)]),
  ]
  const [first = nameOf(kind, status), ...others] = named
  return [first, ...others]
}

const stillSo = async (spans: Spans, { kind, still = {} }: PastQuery): Promise<Filter<SpanDocument>[]> => {
  const { exists = false, owners } = still
  const idsIn = async (lists: readonly string[]): Promise<string[]> => {
    const places = await placesIn(spans, { list: { $in: [...lists] }, to: notEnded })
    return [...places].map(idIn)
  }
  const gone = exists ? await idsIn([nameOf(kind, 'gone')]) : []
  const owned =
    owners && (await idsIn(owners.flatMap((owner) => shown.map((status) => nameOf(kind, status, 'owners', owner)))))
  return [
    ...(gone.length === 0 ? [] : [{ entity: { $nin: gone } }]),
    ...(owned === undefined ? [] : [{ entity: { $in: owned } }]),
  ]
}

/** Ids of entities that had a live child of a kind. */
const parentsThen = async (spans: Spans, kind: string, query: PastQuery): Promise<string[]> => {
  const [begin, end] = [nameOf(kind, 'live', byParent), nameOf(kind, 'live', byParent, '\uffff')]
  const lists = await spans.distinct('list', { list: { $gte: begin, $lt: end }, ...then(query) })
  return lists.map((list) => list.slice(begin.length))
}

const filterFor = async (spans: Spans, query: PastQuery, status: Status): Promise<Filter<SpanDocument>> => {
  const [list, ...others] = listsOf(query, status)
  const sets = await Promise.all(others.map((other) => placesIn(spans, { list: other, ...then(query) })))
  const [first, ...further] = sets.toSorted((a, b) => a.size - b.size)
  const common = first && [...first].filter((place) => further.every((set) => set.has(place)))
  const conditions = [
    ...(common === undefined ? [] : [{ place: { $in: common } }]),
    ...(query.ids === undefined ? [] : [{ entity: { $in: [...query.ids] } }]),
    ...(await Promise.all(
      (query.lacking ?? []).map(async ({ rel, target }) => {
        const places = await placesIn(spans, { list: nameOf(query.kind, status, rel, target), ...then(query) })
        return { place: { $nin: [...places] } }
      }),
    )),
    ...(await Promise.all(
      (query.children ?? []).map(async ({ kind, some }) => {
        const parents = await parentsThen(spans, kind, query)
        return { entity: some ? { $in: parents } : { $nin: parents } }
      }),
    )),
    ...(await stillSo(spans, query)),
  ]
  return { list, ...then(query), ...(conditions.length > 0 && { $and: conditions }) }
}

const within = (filter: Filter<SpanDocument>, range: PlaceRange): Filter<SpanDocument> =>
  Object.keys(range).length === 0 ? filter : ({ ...filter, place: range } as Filter<SpanDocument>)

interface Reading {
  readonly spans: Spans
  readonly filters: readonly Filter<SpanDocument>[]
  readonly range: PlaceRange
}

/** Matches in a range, nearest first, at most `limit`. */
const walk = async ({ spans, filters, range }: Reading, backwards: boolean, limit: number): Promise<Placed[]> => {
  const sign = backwards ? -1 : 1
  const found = await Promise.all(
    filters.map((filter) =>
      spans
        .find(within(filter, range))
        .project<Placed>({ _id: 0, place: 1, entity: 1 })
        .sort({ place: sign })
        .limit(limit)
        .batchSize(limit)
        .toArray(),
    ),
  )
  return found
    .flat()
    .sort((a, b) => (a.place < b.place ? -sign : sign))
    .slice(0, limit)
}

const toKey = ({ place, entity }: Placed): ListKey => ({
  fullyQualifiedName: fqnIn({ place, _id: entity }),
  id: entity,
})

const nothing: PastPage = { keys: [], total: 0, hasBefore: false, hasAfter: false }

const readPage = async (
  generation: Generation<TimelineDocument>,
  totals: Totals<SpanDocument>,
  query: PastQuery,
): Promise<PastPage> => {
  const range = rangeBelow(query.scopes)
  if (range === undefined) return nothing
  const ofSpans = generation as unknown as Generation<SpanDocument>
  const spans = ofSpans.documents
  const filters = await Promise.all(statusesOf(query.include).map((status) => filterFor(spans, query, status)))
  const counts = await Promise.all(filters.map((filter) => totals.count(ofSpans, within(filter, range))))
  const total = counts.reduce((sum, each) => sum + each, 0)
  if (query.limit === 0 || total === 0) return { ...nothing, total }
  const backwards = query.before !== undefined
  const key = query.before ?? query.after
  const place = key && placeOf(key.fullyQualifiedName, key.id)
  const side = (operator: '$gt' | '$gte' | '$lt' | '$lte'): Reading => ({
    spans,
    filters,
    range: clipped(range, operator, place),
  })
  const [found, behind] = await Promise.all([
    walk(side(backwards ? '$lt' : '$gt'), backwards, query.limit + 1),
    place === undefined ? [] : walk(side(backwards ? '$gte' : '$lte'), !backwards, 1),
  ])
  const { rows: keys, ...ends } = pageOfWalk(query, { found: found.map(toKey), behind: behind.length > 0 })
  return { keys, total, ...ends }
}

const timelineReads = (source: Source<TimelineDocument>): Timeline => {
  const totals = makeTotalCache<SpanDocument>(source.state)
  return {
    listAsOf: (query) => source.read((generation) => readPage(generation, totals, query)),
    statusesAt: async (entities, position) => {
      if (entities.length === 0) return new Map()
      const kinds = new Set(entities.map(({ kind }) => kind))
      const lists = new Map([...kinds].flatMap((kind) => statuses.map((status) => [nameOf(kind, status), status])))
      const places = entities.map(({ fullyQualifiedName, id }) => placeOf(fullyQualifiedName, id))
      const found = await source.read(({ documents }) =>
        typedCollection<SpanDocument>(documents)
          .find({ list: { $in: [...lists.keys()] }, place: { $in: places }, ...then({ position }) })
          .toArray(),
      )
      return new Map(
        found.map(({ entity, list, from, to }) => [
          entity,
          {
            status: lists.get(list) as Status,
            from: BigInt(from),
            to: to === notEnded ? undefined : BigInt(to),
          },
        ]),
      )
    },
    positionAt: (time) =>
      source.read(async ({ documents }) => {
        const [newest] = await typedCollection<TimeDocument>(documents)
          .find({ time: { $lte: time } })
          .sort({ time: -1 })
          .limit(1)
          .toArray()
        return newest && BigInt(newest.position)
      }),
  }
}

export const timelineInMongo = keptInMongo({ makeLayout: () => timelineLayout, reads: timelineReads })
