import type { Collection, Filter } from 'mongodb'
import type { EventType } from '../../../events/events.ts'
import type { MongoLayout } from '../../mongo/mongoProjection.ts'
import type { Source } from '../../mongo/source.ts'
import { numberText } from '../../mongo/texts.ts'
import { insertAbsent } from '../../mongo/writes.ts'
import { activityIn, activityProjection } from '../activityProjection.ts'
import { lookedThrough, type Activity, type ActivityPage, type ActivityQuery, type ActivityRow } from '../port.ts'

/** An event as MongoDB keeps it for those who ask what happened. */
export interface ActivityDocument extends Omit<ActivityRow, 'position'> {
  /** `numberText` of the position. */
  _id: string
}

const toDocument = ({ position, ...row }: ActivityRow): ActivityDocument => ({ _id: numberText(position), ...row })

const toRow = ({ _id, ...row }: ActivityDocument): ActivityRow => ({ position: BigInt(_id), ...row })

/** The collection of what happened. Who did it and in which domains are looked up; the rest is looked through. */
export const activityLayout: MongoLayout<ActivityDocument> = {
  ...activityProjection,
  indexes: { users: { user: 1, _id: 1 }, domains: { domains: 1, _id: 1 }, times: { time: 1, _id: 1 } },
  documentsOf: async (batch) => (await activityIn(batch)).map(toDocument),
  write: insertAbsent,
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

/** The filters by which what a query wants is found along an index. */
const waysOf = ({ user, domains }: ActivityQuery): ActivityFilters[] => {
  if (domains !== undefined) return [...domains].map((domain) => ({ domains: domain }))
  return [user === undefined ? {} : { user }]
}

/** A range of positions, both exclusive. */
interface Range {
  readonly after: string
  readonly before: string
}

/** Where looking ends for now: in none of the ways there are more than `lookThrough` positions from there on. */
const boundOf = async (
  documents: Documents,
  query: ActivityQuery,
  { after, before }: Range,
): Promise<string | undefined> => {
  const { lookThrough = lookedThrough } = query
  const bounds = await Promise.all(
    waysOf(query).map(async (way) => {
      const found = documents
        .find({ ...way, _id: { $gt: after, $lt: before } })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ _id: -1 })
      return (
        await found
          .skip(lookThrough - 1)
          .limit(1)
          .next()
      )?._id
    }),
  )
  return bounds.reduce((nearest, bound) => (bound !== undefined && bound > (nearest ?? first) ? bound : nearest))
}

const filterOf = (query: ActivityQuery): ActivityFilters => {
  const { kinds, types, user, correlationId, domains, since, until, owned } = query
  return {
    ...(types && { type: { $in: [...types] as EventType[] } }),
    ...(user !== undefined && { user }),
    ...(correlationId !== undefined && { correlationId }),
    ...(domains && { domains: { $in: [...domains] } }),
    $and: [
      kinds ? { kind: { $in: [...kinds] } } : {},
      since === undefined ? {} : { time: { $gte: since } },
      until === undefined ? {} : { time: { $lte: until } },
      owned ? { $or: [{ kind: { $nin: [...owned.kinds] } }, { owners: { $in: [...owned.owners] } }] } : {},
    ],
  }
}

const readPage = async (documents: Documents, query: ActivityQuery): Promise<ActivityPage> => {
  const { since, until, limit } = query
  const after = since === undefined ? first : await positionAt(documents, since - 1)
  const last = until === undefined ? end : `${await positionAt(documents, until)}${end}`
  const from = query.before === undefined ? end : numberText(query.before)
  const before = from < last ? from : last
  const bound = await boundOf(documents, query, { after, before })
  const found = await documents
    .find({ ...filterOf(query), _id: { $lt: before, ...(bound === undefined ? { $gt: after } : { $gte: bound }) } })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .toArray()
  const rows = found.slice(0, limit).map(toRow)
  return { rows, next: found.length > limit ? rows.at(-1)?.position : bound === undefined ? undefined : BigInt(bound) }
}

/** Reads from whatever collection is current. */
export const activityReads = (source: Source<ActivityDocument>): Activity => ({
  activity: async (query) => readPage((await source.current()).documents, query),
  activityAt: async (positions) => {
    const { documents } = await source.current()
    return (await documents.find({ _id: { $in: positions.map(numberText) } }).toArray()).map(toRow)
  },
})
