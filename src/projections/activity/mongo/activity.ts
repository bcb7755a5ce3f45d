import type { Source } from '../../mongo/reading.ts'
import type { Collection, Filter } from 'mongodb'
import type { EventType } from '../../../events/events.ts'
import { mongoBatching, keptInMongo, type MongoLayout } from '../../mongo/mongoProjection.ts'
import { numberText } from '../../mongo/texts.ts'
import { insertAbsent, inserting } from '../../mongo/writes.ts'
import { activityIn, activityProjection } from '../activityProjection.ts'
import {
  furthest,
  lookedThrough,
  pageOf,
  type Activity,
  type ActivityPage,
  type ActivityQuery,
  type ActivityRow,
  type Way,
} from '../port.ts'

/** An event as MongoDB keeps it for those who ask what happened. */
export interface ActivityDocument extends Omit<ActivityRow, 'position'> {
  /** `numberText` of the position. */
  _id: string
}

const toDocument = ({ position, ...row }: ActivityRow): ActivityDocument => ({ _id: numberText(position), ...row })

const toRow = ({ _id, ...row }: ActivityDocument): ActivityRow => ({ position: BigInt(_id), ...row })

/** The collection of what happened. Each `Way` has an index; the rest is looked through. */
const layout: MongoLayout<ActivityDocument> = {
  ...activityProjection,
  batching: mongoBatching,
  indexes: {
    users: { user: 1, _id: 1 },
    types: { type: 1, _id: 1 },
    requests: { correlationId: 1, _id: 1 },
    clientRequests: { clientCorrelationId: 1, _id: 1 },
    domains: { domains: 1, _id: 1 },
    changed: { changed: 1, _id: 1 },
    times: { time: 1, _id: 1 },
  },
  documentsOf: async (batch) => (await activityIn(batch)).map(toDocument),
  write: ({ generation, documents }) => insertAbsent(generation.documents, documents),
  together: ({ documents }) => documents.map(inserting),
}

type Documents = Collection<ActivityDocument>
type ActivityFilters = Filter<ActivityDocument>

/** Stands before all positions, and after them. */
const first = ''
const end = ':'

/** The newest position up to a time, which never goes back along the log. */
const positionAt = async (documents: Documents, time: number): Promise<string> => {
  const found = documents
    .find({ time: { $lte: time } })
    .project<{ _id: string }>({ _id: 1 })
    .sort({ time: -1, _id: -1 })
  return (await found.limit(1).next())?._id ?? first
}

/** The filters that a way consists of; each is found along an index. */
const along = (query: ActivityQuery, way: Way | undefined): ActivityFilters[] => {
  switch (way) {
    case 'request':
      return [{ correlationId: query.correlationId as string }]
    case 'clientRequest':
      return [{ clientCorrelationId: query.clientCorrelationId as string }]
    case 'actor':
      return [{ user: query.user as string }]
    case 'verb':
      return [...(query.types ?? [])].map((type) => ({ type }))
    case 'domains':
      return [...(query.domains ?? [])].map((domain) => ({ domains: domain }))
    case 'changed':
      return [...(query.changed ?? [])].map((member) => ({ changed: member }))
    case undefined:
      return [{}]
  }
}

interface Range {
  readonly after: string
  readonly before: string
}

const rangeOf = async (documents: Documents, query: ActivityQuery): Promise<Range> => {
  const since = query.since === undefined ? first : await positionAt(documents, query.since - 1)
  const until = query.until === undefined ? end : `${await positionAt(documents, query.until)}${end}`
  const after = query.after === undefined ? first : numberText(query.after)
  const before = query.before === undefined ? end : numberText(query.before)
  return { after: after > since ? after : since, before: before < until ? before : until }
}

/** Where looking along a way ends for now: no value of it has more than `lookThrough` positions up to there. */
const boundOf = async (
  documents: Documents,
  query: ActivityQuery,
  way: Way | undefined,
  { after, before }: Range,
): Promise<bigint | undefined> => {
  const { lookThrough = lookedThrough, oldestFirst = false } = query
  const bounds = await Promise.all(
    along(query, way).map(async (filter) => {
      const found = documents
        .find({ ...filter, _id: { $gt: after, $lt: before } })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ _id: oldestFirst ? 1 : -1 })
      return found
        .skip(lookThrough - 1)
        .limit(1)
        .next()
    }),
  )
  const nearest = bounds
    .flatMap((bound) => bound?._id ?? [])
    .toSorted()
    .at(oldestFirst ? 0 : -1)
  return nearest === undefined ? undefined : BigInt(nearest)
}

const filterOf = (query: ActivityQuery): ActivityFilters => {
  const { kinds, types, user, entityId, correlationId, clientCorrelationId, domains, since, until, owned, changed } =
    query
  return {
    ...(types && { type: { $in: [...types] as EventType[] } }),
    ...(user !== undefined && { user }),
    ...(entityId !== undefined && { entityId }),
    ...(correlationId !== undefined && { correlationId }),
    ...(clientCorrelationId !== undefined && { clientCorrelationId }),
    ...(domains && { domains: { $in: [...domains] } }),
    ...(changed && { changed: { $in: [...changed] } }),
    $and: [
      kinds ? { kind: { $in: [...kinds] } } : {},
      since === undefined ? {} : { time: { $gte: since } },
      until === undefined ? {} : { time: { $lte: until } },
      owned ? { $or: [{ kind: { $nin: [...owned.kinds] } }, { owners: { $in: [...owned.owners] } }] } : {},
    ],
  }
}

const readPage = async (documents: Documents, query: ActivityQuery): Promise<ActivityPage> => {
  const range = await rangeOf(documents, query)
  const { bound } = await furthest(query, (way) => boundOf(documents, query, way, range))
  const { oldestFirst = false, limit } = query
  const last = bound === undefined ? {} : { [oldestFirst ? '$lte' : '$gte']: numberText(bound) }
  const found = await documents
    .find({ ...filterOf(query), _id: { $gt: range.after, $lt: range.before, ...last } })
    .sort({ _id: oldestFirst ? 1 : -1 })
    .limit(limit + 1)
    .toArray()
  return pageOf(found.map(toRow), query, bound)
}

const activityReads = (source: Source<ActivityDocument>): Activity => ({
  activity: (query) => source.read(({ documents }) => readPage(documents, query)),
  activityAt: (positions) =>
    source.read(async ({ documents }) =>
      (await documents.find({ _id: { $in: positions.map(numberText) } }).toArray()).map(toRow),
    ),
})

export const activityInMongo = keptInMongo({ makeLayout: () => layout, reads: activityReads })
