import { Readable } from 'node:stream'
import { route, ok, queryParameter, jsonAnswer, noStore, type Route, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { lagOf, type Positions } from './operatingGauges.ts'
import { hash } from 'node:crypto'
import { inTime } from '../../shared/backOff.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { maxClockSkew, type Clock } from '../../commands/recording.ts'
import type { EventStore } from '../../events/eventStore.ts'
import type { ReadModels } from '../../projections/readModels/readModels.ts'
import type { Lag } from '../../projections/projection.ts'
import { entitiesProjection } from '../../projections/entities/row.ts'
import type { ProcessState } from '../../projections/lease.ts'
import { memoizeByKey } from '../../shared/memoize.ts'
import { unknownWord } from '../../shared/nearest.ts'
import { version } from '../../shared/version.ts'
import { badQuery } from '../http/queryParameters.ts'
import { docsRoutes } from '../openapi/docsRoutes.ts'
import type { Metrics } from './metrics.ts'
import { openApiDocument } from '../openapi/openapi.ts'

const processesAnswer = z
  .object({
    data: z.array(
      z.object({
        id: z.string(),
        self: z.boolean().describe('Whether it is the process that sends this response'),
        projects: z.boolean().describe('Whether it projects the entities, as one process at a time does'),
        projections: z.array(z.string()).describe('Names of the projections that it writes'),
        host: z.string(),
        pid: z.number(),
        version: z.string(),
        startedAt: z.iso.datetime(),
        seenAt: z.iso.datetime().describe('Time of its last heartbeat, by its own clock: about every two seconds'),
        position: z.string().optional().describe('Position that the read models have reached, as far as it knows'),
        lag: z.string().describe('Positions between that and the newest event'),
      }),
    ),
  })
  .meta({ id: 'ProcessList' })

/** Who works on the stores, who of them projects, and how far everybody is. */
const processRoutes = ({ processes, eventStore }: Pick<SystemOptions, 'processes' | 'eventStore'>): Route[] => [
  route('get', '/v1/system/processes', 'list_processes', {
    summary: 'The processes that serve this catalog, and what each of them projects',
    description:
      'Processes that share their read models, the longest running first: those that told of themselves in the ' +
      'last half ' +
      'minute. Where the read models are embedded there is one.',
    tag: 'system',
    permission: { operation: 'manage' },
    answers: ok('The processes', processesAnswer),
    handle: async () => {
      const [{ self, all }, head] = await Promise.all([processes(), eventStore.head()])
      const data = all.map(({ position, startedAt, seenAt, projects, ...process }) => ({
        ...process,
        projects: projects.includes(entitiesProjection.name),
        projections: [...projects],
        self: process.id === self,
        startedAt: startedAt.toISOString(),
        seenAt: seenAt.toISOString(),
        ...(position !== undefined && { position: String(position) }),
        lag: String(lagOf({ head, position })),
      }))
      return jsonAnswer({ data }, { headers: noStore })
    },
  }),
]

export interface SystemOptions {
  /** Public base URL before `/api`; default: that of each request. */
  readonly baseUrl?: string | undefined
  /** Which engine each store is, e.g. `{eventStore: 'sqlite', readModels: 'mongodb'}`. */
  readonly engines: Readonly<Record<string, string>>
  readonly eventStore: Pick<EventStore, 'ping' | 'head'>
  readonly readModels: Pick<ReadModels, 'ping'> & { positions(): Promise<Positions> }
  readonly lagBehind: (position: bigint | undefined) => Promise<Lag>
  /** True once the read models have caught up with the log as it was when the process started. */
  readonly caughtUp: () => boolean
  /** Number of deletions that an earlier process left undone, and that are being finished. */
  readonly unfinished: () => number
  /** Position up to which this process knows the log to have been applied; `undefined`: nothing has. */
  readonly applied: () => bigint | undefined
  /** The processes that share the read models, this one with them. */
  readonly processes: () => Promise<{ readonly self: string; readonly all: readonly ProcessState[] }>
  /** True while the process is stopping: it is alive, but no longer ready. */
  readonly stopping: () => boolean
  /** Whether the log is ahead of the machine's clock; `undefined` until that is known. */
  readonly clock: () => Pick<Clock, 'skew' | 'refusal'> | undefined
  readonly metrics: Metrics
}

interface Probe extends JsonObject {
  readonly status: 'up' | 'down'
}

const down: Probe = { status: 'down' }

/** Milliseconds that a dependency has to answer, and to say how long the read models have lagged. */
const probeTimeout = 2_000

/** Whether a store answers in time. */
const pinged = (store: Pick<EventStore, 'ping'>): Promise<Probe> =>
  inTime(probeTimeout, () => store.ping().then((): Probe => ({ status: 'up' })), down)

/** Seconds of lag from which on a projection counts as down. */
const mostLag = 60

type LagProbe = Probe & Lag

/** What each projection lacks that does not show the newest event, if the log says so in time. */
const lagProbes = async (
  { lagBehind }: SystemOptions,
  head: bigint | undefined,
  positions: Positions,
): Promise<Record<string, LagProbe>> => {
  const behind = [...positions].filter(([, position]) => lagOf({ head, position }) > 0n)
  const lagAt = (at: bigint | undefined) => inTime(probeTimeout, () => lagBehind(at), undefined)
  const places = [...new Set(behind.map(([, at]) => at))]
  const lags = new Map(await Promise.all(places.map(async (at) => [at, await lagAt(at)] as const)))
  return Object.fromEntries(
    behind.flatMap(([name, position]): [string, LagProbe][] => {
      const lag = lags.get(position)
      if (lag === undefined) return []
      const seconds = Math.round(lag.seconds * 10) / 10
      return [[name, { status: seconds > mostLag ? 'down' : 'up', events: lag.events, seconds }]]
    }),
  )
}

/** Read models that show less than was applied were emptied, or older ones took their place. */
const projectionProbe = async (options: SystemOptions): Promise<Probe> => {
  const applied = options.applied()
  const read = () => Promise.all([options.eventStore.head(), options.readModels.positions()])
  const found = await inTime(probeTimeout, read, undefined)
  if (found === undefined) return down
  const [head, positions] = found
  const [[first, position] = []] = positions
  const behind = await lagProbes(options, head, positions)
  const complete = applied === undefined || (position !== undefined && position >= applied)
  const isLate = first !== undefined && behind[first]?.status === 'down'
  return {
    status: complete && !isLate && options.caughtUp() ? 'up' : 'down',
    lag: lagOf({ head, position }).toString(),
    ...(position === undefined ? {} : { position: position.toString() }),
    ...(head === undefined ? {} : { head: head.toString() }),
    ...(Object.keys(behind).length > 0 && { behind }),
  }
}

/** Said only of a log that is ahead: `down` when nothing is written therefore. */
const clockProbe = (clock: ReturnType<SystemOptions['clock']>): (Probe & { ahead: number }) | undefined => {
  const ahead = clock?.skew() ?? 0
  return ahead > maxClockSkew
    ? { status: clock?.refusal() ? 'down' : 'up', ahead: Math.round(ahead / 1000) }
    : undefined
}

/** What each dependency says, and whether the process can serve. */
const readiness = async (options: SystemOptions): Promise<Answer> => {
  const [eventStore, readModels, projections] = await Promise.all([
    pinged(options.eventStore),
    pinged(options.readModels),
    projectionProbe(options),
  ])
  const stopping = options.stopping()
  const clock = clockProbe(options.clock())
  const ready =
    !stopping && clock?.status !== 'down' && [eventStore, readModels, projections].every((each) => each.status === 'up')
  const unfinished = options.unfinished()
  const json: Json = {
    ...(unfinished > 0 && { unfinishedDeletions: unfinished }),
    status: ready ? 'ready' : stopping ? 'stopping' : 'not ready',
    dependencies: { eventStore, readModels, projections, ...(clock && { clock }) },
  }
  return jsonAnswer(json, { status: ready ? 200 : 503, headers: noStore })
}

const dependencySchema = z.object({ status: z.enum(['up', 'down']) }).meta({ id: 'Dependency' })

const readinessSchema = z
  .object({
    status: z.enum(['ready', 'not ready', 'stopping']),
    unfinishedDeletions: z
      .int()
      .optional()
      .describe('Deletions and restores whose children lack their own events; reads show them as finished'),
    dependencies: z.object({
      clock: dependencySchema
        .extend({ ahead: z.int().describe('Seconds by which the newest event is ahead of the clock of this machine') })
        .optional()
        .describe('Only if the log is far ahead of the clock of this machine; down if writes are refused'),
      eventStore: dependencySchema,
      readModels: dependencySchema,
      projections: dependencySchema.extend({
        lag: z.string().optional().describe('Positions between the newest event and the read models'),
        position: z.string().optional(),
        head: z.string().optional(),
        behind: z
          .record(
            z.string(),
            dependencySchema.extend({
              events: z.int().describe('Events that it does not show yet; at most 1,000 if positions have gaps'),
              seconds: z.number().describe('Time for which the first of them has waited'),
            }),
          )
          .optional()
          .describe(
            'Read models, such as `search`, that do not show the newest event; one whose first event has waited a minute is down. What needs it waits for it, and is 503 when it stands still',
          ),
      }),
    }),
  })
  .meta({ id: 'Readiness' })

const aliveSchema = z.object({ status: z.literal('alive') }).meta({ id: 'Alive' })

const open = { tag: 'system', permission: 'open' } as const

const probeRoutes = (options: SystemOptions): Route[] => [
  route('get', '/livez', 'is_alive', {
    ...open,
    atRoot: true,
    summary: 'Responds as long as the process is running',
    answers: ok('Alive', aliveSchema),
    handle: async () => ({ status: 200, body: '{"status":"alive"}', headers: noStore }),
  }),
  route('get', '/readyz', 'is_ready', {
    ...open,
    atRoot: true,
    summary: 'Whether requests can be served, with the status of each dependency',
    answers: {
      200: { description: 'Ready', schema: readinessSchema },
      503: { description: 'Not ready', schema: readinessSchema },
    },
    handle: () => readiness(options),
  }),
  route('get', '/metrics', 'read_metrics', {
    ...open,
    atRoot: true,
    summary: 'Metrics in the Prometheus format',
    answers: { 200: { description: 'Metrics', contentType: 'text/plain', schema: z.string() } },
    handle: async () => ({
      status: 200,
      body: Readable.from(await options.metrics.text()),
      contentType: options.metrics.contentType,
      headers: noStore,
    }),
  }),
]

const partsOf = (routes: readonly Route[]): string[] => [...new Set(routes.map(({ tag }) => tag))].toSorted()

const documentRoute = (options: SystemOptions, routes: () => readonly Route[]): Route => {
  const documentOf = memoizeByKey(async (tag: string) => {
    const chosen = routes().filter((each) => tag === '' || each.tag === tag)
    const bytes = Buffer.from(JSON.stringify(await openApiDocument(chosen, options.baseUrl)))
    return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
  })
  return route('get', '/openapi.json', 'read_openapi', {
    ...open,
    summary: 'The OpenAPI document of this API, or the part of it with one tag',
    parameters: [
      queryParameter(
        'part',
        'The tag of a part, such as tables, search or events; default: the whole document',
        z.string(),
      ),
    ],
    answers: {
      200: {
        description: 'OpenAPI 3.1',
        schema: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApi' }),
        headers: ['ETag'],
      },
      304: { description: 'Not modified', headers: ['ETag'] },
    },
    handle: async ({ query }) => {
      const [tag, tags] = [query.get('part') ?? '', partsOf(routes())]
      if (tag !== '' && !tags.includes(tag)) throw badQuery('part', unknownWord(tag, tags))
      const { bytes, etag } = await documentOf(tag)
      return { status: 200, body: bytes, headers: { ETag: etag, 'Access-Control-Allow-Origin': '*' } }
    },
  })
}

const versionSchema = z
  .object({
    name: z.string(),
    version: z.string(),
    node: z.string(),
    engines: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Version' })

const versionRoute = ({ engines }: SystemOptions): Route =>
  route('get', '/v1/system/version', 'read_version', {
    ...open,
    summary: 'Version of the catalog, of Node.js, and the engines in use',
    answers: ok('Versions', versionSchema),
    handle: async () =>
      jsonAnswer({ name: 'metadata-catalog', version, node: process.versions.node, engines: { ...engines } }),
  })

/** Routes about the process itself, which need no token. @param others all other routes, for the OpenAPI document */
export const systemRoutes = (options: SystemOptions, others: () => readonly Route[]): Route[] => {
  const all = (): Route[] => [...own, ...others()]
  const own: Route[] = [
    ...probeRoutes(options),
    documentRoute(options, all),
    versionRoute(options),
    ...processRoutes(options),
    ...docsRoutes(() => partsOf(all())),
  ]
  return own
}
