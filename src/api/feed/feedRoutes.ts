import {
  headerParameter,
  queryParameter,
  ok,
  route,
  workRequestOf,
  type Answer,
  type Parameter,
} from '../http/route.ts'
import { z } from 'zod'
import { cloudEventSchema } from '../../events/eventSchemas.ts'
import { eventStream } from '../../subscriptions/feed/eventStream.ts'
import { parseStreamName, positionText, type LogFingerprint, streamName } from '../../events/events.ts'
import type { Feed, FeedLookup, FeedPage, FeedSelection, ReadOptions } from '../../subscriptions/feed/feed.ts'
import { matchWithLabels } from '../../projections/activity/matching.ts'
import { type ActivityFilter, indexesFor } from '../../projections/activity/port.ts'
import { revoked } from '../auth/sessions.ts'
import { makeAccess } from '../access.ts'
import type { Api, CatalogRequest, CatalogRoute } from '../deps.ts'
import { eventFilters, readEventFilter, readFeedPosition, feedView } from './feedQuery.ts'
import { readParameter } from '../http/queryParameters.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import { ProjectionBehind } from '../../projections/errors.ts'
import { storedKinds } from '../../kinds/registry/kinds.ts'

/** Longest wait of a pull in milliseconds; requests end after 30 s. */
const longestWait = 29_000

/** Milliseconds after which a pull without matches returns its position. */
const scanTime = 1_000

const eventPage = z
  .object({
    data: z.array(cloudEventSchema),
    paging: z.object({
      after: z.string().describe('Position to continue from'),
      mark: z.string().describe('The same, with a mark of the event there, so that a replaced log is detected'),
    }),
  })
  .meta({ id: 'EventPage', description: 'Events in log order, and the position to continue from.' })

const after = queryParameter(
  'after',
  'Only what comes after this place: a position, as `paging.after` and the id of an event give it, or ' +
    '`paging.mark`; ' +
    '`latest`: only what is new. Left out: from the beginning',
)

const pageSize = queryParameter('limit', 'Page size', z.int().min(1).max(1000).default(100))

const waiting = queryParameter('wait', 'Seconds to wait when there is nothing yet', z.int().min(0).max(30).default(0))

const shared = { tag: 'events', permission: { operation: 'feed' } } as const

/** Parameters of the pages of events. */
export const pullParameters: readonly Parameter[] = [after, pageSize, waiting, ...eventFilters]

/** Parameters of the stream of events. */
export const streamParameters: readonly Parameter[] = [
  after,
  headerParameter('Last-Event-ID', 'Continues after this position; overrides `after`'),
  ...eventFilters.filter(({ name }) => name !== 'until'),
]

export const feedRoutes: CatalogRoute[] = [
  route('get', '/v1/events', 'pull_events', {
    ...shared,
    summary: 'The next events, in log order',
    parameters: pullParameters,
    bulkhead: ({ query }) => (query.has('wait') ? 'idle' : undefined),
    answers: ok('One page; go on from `paging.after`, also when the page is empty', eventPage),
    handle: (request) => pull(request),
  }),
  route('get', '/v1/events/stream', 'stream_events', {
    ...shared,
    summary: 'The events as they happen, as server-sent events',
    parameters: streamParameters,
    bulkhead: 'idle',
    answers: {
      200: {
        description:
          'Each `data` is a CloudEvent, each `id` its place in the log. Where the log is damaged the stream ends ' +
          'with an event `problem`, whose data is a problem that names the position',
        contentType: 'text/event-stream',
        schema: z.string(),
      },
    },
    handle: (request) => stream(request),
  }),
]

/** What the caller is sent: what the roles say once, and what the caller and its teams own each time. */
const selectionOf = async (request: CatalogRequest): Promise<FeedSelection> => {
  const { api, access, actor } = request
  const { owned, ...filter } = await readEventFilter(request, 'feed')
  const view = feedView(access)
  const make = (of: ActivityFilter) => ({ match: matchWithLabels(of, api.labels), lookup: feedLookup(api, of), view })
  const ofAll = make(filter)
  return async () =>
    owned === undefined ? ofAll : make({ ...filter, owned: { ...owned, owners: await makeAccess(api, actor).own() } })
}

const pull = async (request: CatalogRequest): Promise<Answer> => {
  const { api, query } = request
  const limit = readParameter(query, pageSize)
  const wait = readParameter(query, waiting)
  const select = await selectionOf(request)
  const from = await readFeedPosition(api, query.get('after'), '?after')
  const page = await nextPage(
    api.feed,
    { after: from.position, limit, select, reader: workRequestOf(request) },
    Math.min(wait * 1000, longestWait),
    request.signal,
  )
  if ((await request.actor.holds?.()) === false) throw revoked()
  const mark = positionText(page.position, page.newest ?? from.newest)
  const paging = JSON.stringify({ after: String(page.position ?? 0n), mark })
  const texts = page.items.flatMap(({ text }, at) => (at === 0 ? text : [',', text]))
  return { status: 200, body: utf8Of(['{"data":[', ...texts, `],"paging":${paging}}`]) }
}

/** Reads until there is a match, the wait at the end is over, or it has taken too long. */
const nextPage = async (
  feed: Feed,
  { select, ...options }: Pick<ReadOptions, 'after' | 'limit' | 'reader'> & { readonly select: FeedSelection },
  wait: number,
  signal: AbortSignal,
): Promise<FeedPage> => {
  const begun = performance.now()
  const left = (time: number): number => time - (performance.now() - begun)
  let newest: LogFingerprint | undefined
  for (let position = options.after; ;) {
    const read = await feed.read({ ...options, ...(await select()), after: position, upToDate: true })
    newest = read.newest ?? newest
    const page = { ...read, newest }
    if (page.items.length > 0 || signal.aborted || feed.closing.aborted) return page
    position = page.position
    if (!page.end && left(Math.max(wait, scanTime)) <= 0) return page
    if (!page.end) continue
    if (left(wait) <= 0) return page
    await feed.wait(position, signal, left(wait))
  }
}

const stream = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const select = await selectionOf(request)
  const header = request.headers['last-event-id']
  const from =
    header === undefined
      ? await readFeedPosition(api, request.query.get('after'), '?after')
      : await readFeedPosition(api, String(header), 'Last-Event-ID')
  return {
    status: 200,
    contentType: 'text/event-stream; charset=utf-8',
    headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
    body: await eventStream(api.feed, {
      after: from.position,
      select,
      reader: { ...workRequestOf(request), continues: true },
      signal: request.signal,
      until: request.actor.until,
      mayRead: request.actor.holds,
      problemText: (error) => JSON.stringify(request.problemOf(error)),
    }),
  }
}

/** Encodes texts one by one as UTF-8: joining them first would copy a long text twice, in one turn. */
export const utf8Of = (texts: readonly string[]): Buffer => {
  let size = 0
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  return bytes
}

/** Milliseconds to wait for a lagging activity index before the log is scanned instead. */
const indexTimeout = 500

/** The position of the activity index, after a short wait for what is acknowledged. */
const indexPosition = async ({ runner }: Pick<Api, 'runner'>): Promise<bigint | undefined> => {
  const { name } = activityProjection
  const shown = await runner.shownPosition()
  if (shown === undefined) return undefined
  await runner.waitFor(shown, indexTimeout, name).catch((error: unknown) => {
    if (!(error instanceof ProjectionBehind)) throw error
  })
  return runner.position(name)
}

/** Finds events of one entity in its stream, which has everything acknowledged. A page goes on from the last event. */
export const streamLookup =
  ({ log }: Pick<Api, 'log'>, entityId: string, of: ReadonlySet<string> | undefined): FeedLookup =>
  async (after, limit) => {
    const [head, before] = [await log.head(), after && (await log.eventAt(after))]
    if (head === undefined) return undefined
    const last = before && parseStreamName(before.stream).id === entityId ? before : undefined
    const kinds = storedKinds.flatMap(({ name }) => ((of?.has(name) ?? true) ? [name] : []))
    const streams = last === undefined ? kinds.map((kind) => streamName(kind, entityId)) : [last.stream]
    const positions: bigint[] = []
    for (const stream of streams)
      for await (const { position } of log.readStream(stream, { from: (last?.revision ?? -1n) + 1n })) {
        if (position <= (after ?? -1n)) continue
        positions.push(position)
        if (positions.length === limit) return { positions, reached: position }
      }
    const end = positions.at(-1) ?? head
    return { positions, reached: end > head ? end : head }
  }

/** Finds events by the activity index; `undefined` for a filter that it does not support. */
const indexLookup = (
  api: Pick<Api, 'readModels' | 'runner' | 'log'>,
  filter: ActivityFilter,
): FeedLookup | undefined => {
  if (indexesFor(filter).length === 0 && filter.since === undefined && filter.until === undefined) return undefined
  return async (after, limit) => {
    const [shown, head] = [await indexPosition(api), await api.log.head()]
    if (shown === undefined || head === undefined) return undefined
    const last = shown < head ? shown : head
    const page = await api.readModels.activity({ ...filter, after, before: last + 1n, limit, oldestFirst: true })
    return { positions: page.rows.map(({ position }) => position), reached: page.next ?? last }
  }
}

/** Finds events without scanning the log; `undefined` for a filter without an index. */
const feedLookup = (api: Pick<Api, 'readModels' | 'runner' | 'log'>, filter: ActivityFilter): FeedLookup | undefined =>
  filter.entityId === undefined ? indexLookup(api, filter) : streamLookup(api, filter.entityId, filter.kinds)
