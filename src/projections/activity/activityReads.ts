import type { Documents, DocumentMatch, ValueRange } from '../documents/port.ts'
import { mapInChunks } from '../../shared/bounds.ts'
import {
  defaultMaxScanned,
  indexesFor,
  type Activity,
  type ActivityPage,
  type ActivityQuery,
  type ActivityRow,
} from './port.ts'

type Rows = Documents<ActivityRow>

/** Positions, both inclusive. */
interface Positions {
  readonly first: bigint
  readonly last: bigint
}

const end = BigInt(Number.MAX_SAFE_INTEGER)

const positionAlone = ['position'] as const

/** Position of the earliest (1) or latest (-1) event of a range of times. */
const outermost = async (rows: Rows, time: ValueRange, order: 1 | -1): Promise<bigint | undefined> => {
  const sort = { time: order, position: order } as const
  const [first] = await rows.find({ where: { time }, sort, limit: 1, index: 'time', members: positionAlone })
  return first?.position
}

/** Positions outside of which all events are earlier than `since` or later than `until`, whatever their lateness. */
const positionsOf = async (
  rows: Rows,
  query: Pick<ActivityQuery, 'since' | 'until' | 'before' | 'after'>,
): Promise<Positions> => {
  const { since, until, before = end, after = -1n } = query
  const sort = { lateness: -1 } as const
  const [row] = await rows.find({ where: { lateness: { $gt: 0 } }, sort, limit: 1, index: 'lateness' })
  const late = row?.lateness ?? 0
  const earlier = since === undefined ? after : ((await outermost(rows, { $lt: since - late }, -1)) ?? after)
  const later = until === undefined ? before : ((await outermost(rows, { $gt: until + late }, 1)) ?? before)
  return { first: (earlier > after ? earlier : after) + 1n, last: (later < before ? later : before) - 1n }
}

const among = <V extends string>(values: ReadonlySet<V> | undefined): V | { readonly $in: readonly V[] } | undefined =>
  values?.size === 1 ? [...values][0] : values && { $in: [...values] }

const within = ({ first, last }: Positions): ValueRange => ({ $gte: first, $lte: last })

const orderOf = ({ oldestFirst }: ActivityQuery) => ({ position: oldestFirst ? 1 : -1 }) as const

/** An indexed member with the values to scan; `undefined` for a scan by position. */
type IndexScan = ReturnType<typeof indexesFor>[number] | undefined

const indexOf = (scan: IndexScan) => scan?.[0] ?? 'position'

const boundsAtOnce = 10

/** The bound of a scan: no value of the index has more than `lookThrough` positions up to there. */
const boundOf = async (rows: Rows, query: ActivityQuery, scan: IndexScan, positions: Positions) => {
  const { maxScanned = defaultMaxScanned, oldestFirst } = query
  const index = indexOf(scan)
  const conditions = scan?.[1].map((value) => ({ [index]: value })) ?? [{}]
  const bounds = await mapInChunks(conditions, boundsAtOnce, (condition) => {
    const where = { ...condition, position: within(positions) }
    const nth = { skip: maxScanned - 1, limit: 1 }
    return rows.find({ where, sort: orderOf(query), ...nth, index, members: positionAlone })
  })
  const sorted = bounds.flat().toSorted((a, b) => (a.position < b.position ? -1 : 1))
  return sorted.at(oldestFirst ? 0 : -1)?.position
}

/** A scan and its bound, inclusive; `undefined` if it can be completed. */
interface BoundedScan {
  readonly scan: IndexScan
  readonly bound: bigint | undefined
}

const chooseScan = async (rows: Rows, query: ActivityQuery, positions: Positions): Promise<BoundedScan> => {
  const scans = indexesFor(query)
  let best: BoundedScan | undefined
  for (const scan of scans.length === 0 ? [undefined] : scans) {
    const bound = await boundOf(rows, query, scan, positions)
    if (bound === undefined) return { scan, bound }
    if (best?.bound === undefined || (query.oldestFirst ?? false) === bound > best.bound) best = { scan, bound }
  }
  return best as BoundedScan
}

const whereOf = (query: ActivityQuery, positions: Positions): DocumentMatch<ActivityRow> => {
  const { user, entityId, correlationId, clientCorrelationId, kinds, types, domains, changed, owned } = query
  const { since, until } = query
  const time = { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lte: until }) }
  return {
    position: within(positions),
    user,
    entityId,
    correlationId,
    clientCorrelationId,
    kind: among(kinds),
    type: among(types),
    domains: among(domains),
    changed: among(changed),
    ...(Object.keys(time).length > 0 && { time }),
    ...(owned && { $or: [{ kind: { $nin: [...owned.kinds] } }, { owners: { $in: owned.owners } }] }),
  }
}

const readPage = async (rows: Rows, query: ActivityQuery): Promise<ActivityPage> => {
  const { limit, oldestFirst } = query
  const positions = await positionsOf(rows, query)
  const { scan, bound } = await chooseScan(rows, query, positions)
  const bounded = bound === undefined ? {} : oldestFirst ? { last: bound } : { first: bound }
  const where = whereOf(query, { ...positions, ...bounded })
  const found = await rows.find({ where, sort: orderOf(query), limit: limit + 1, index: indexOf(scan) })
  const page = found.slice(0, limit)
  return { rows: page, next: found.length > limit ? page.at(-1)?.position : bound }
}

const positionAt = async (rows: Rows, time: number): Promise<bigint | undefined> => {
  const where = { position: within(await positionsOf(rows, { until: time })), time: { $lte: time } }
  const newest = { sort: { position: -1 }, limit: 1, index: 'position', members: positionAlone } as const
  return (await rows.find({ where, ...newest }))[0]?.position
}

export const activityReads = (rows: Rows): Activity => ({
  activity: (query) => readPage(rows, query),
  activityAt: (positions) => rows.find({ where: { position: { $in: positions } } }),
  positionAt: (time) => positionAt(rows, time),
})
