import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** How far the read models are behind the log. */
export interface ProjectionProgress {
  /** Position up to which the read models show the log; `undefined`: nothing yet. */
  readonly position: bigint | undefined
  /** Position of the newest event; `undefined`: the log is empty. */
  readonly head: bigint | undefined
  /** Does this process write the read models? */
  readonly projects: boolean
}

/** What the process counts about itself, for Prometheus. */
export interface Metrics {
  /** One request was answered. `route` is the path template, or a fixed word where no route was found. */
  readonly requestAnswered: (method: string, route: string, status: number, seconds: number) => void
  /** Events of one type were appended. */
  readonly eventsAppended: (type: string, count: number) => void
  /** Text of the Prometheus exposition format. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

export interface MetricsOptions {
  readonly version: string
  /** Asked at every scrape; a failure leaves the gauges out. */
  readonly progress?: () => Promise<ProjectionProgress>
  /** The metrics of the process and of Node.js as well. Default true. */
  readonly processMetrics?: boolean
}

/** Makes the metrics with a registry of their own. */
export const makeMetrics = (options: MetricsOptions): Metrics => {
  const registry = new Registry()
  if (options.processMetrics !== false) collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'catalog_info',
    help: 'Version of the catalog',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: options.version }, 1)
  const requests = new Histogram({
    name: 'catalog_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  const appended = new Counter({
    name: 'catalog_events_appended_total',
    help: 'Events that this process appended to the log',
    labelNames: ['type'],
    registers: [registry],
  })
  const refresh = options.progress === undefined ? undefined : progressGauges(registry, options.progress)
  return {
    requestAnswered: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    eventsAppended: (type, count) => appended.inc({ type }, count),
    text: async () => {
      await refresh?.()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

const progressGauges = (registry: Registry, progress: () => Promise<ProjectionProgress>): (() => Promise<void>) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const head = gauge('catalog_log_head_position', 'Position of the newest event in the log')
  const lag = gauge('catalog_projection_lag', 'Distance between the newest event and the read models, in positions')
  const position = gauge('catalog_projection_position', 'Position up to which the read models show the log')
  const projecting = gauge(
    'catalog_projecting',
    'Whether this process writes the read models: 1, or 0 where another does',
  )
  return async () => {
    try {
      const now = await progress()
      projecting.set(now.projects ? 1 : 0)
      head.set(Number(now.head ?? -1n))
      position.set(Number(now.position ?? -1n))
      lag.set(Number(lagOf(now)))
    } catch {
      for (const each of [head, lag, position, projecting]) each.remove()
    }
  }
}

/** Distance between the newest event and the read models, in positions; 0 when they show everything. */
export const lagOf = ({ head, position }: Pick<ProjectionProgress, 'head' | 'position'>): bigint => {
  const distance = (head ?? -1n) - (position ?? -1n)
  return distance > 0n ? distance : 0n
}
