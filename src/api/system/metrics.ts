import { Registry, collectDefaultMetrics, Counter, Gauge } from 'prom-client'
import { chunksOf } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { operatingGauges, type GaugeSources } from './operatingGauges.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { inSpan } from '../../shared/tracing.ts'
import { version } from '../../shared/version.ts'
import type { ReadModels } from '../../projections/readModels/readModels.ts'

/** Upper bounds in seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, Infinity]

const bounds = buckets.map((bound) => (bound === Infinity ? '+Inf' : String(bound)))

/** Number of series in a part: to join all would take a long turn. */
const seriesInPart = 500

/**
 * Makes a histogram that counts in a few steps, and can have tens of thousands of lines: that of `prom-client` sorts and
 * checks labels at each observation, and writes everything in one go.
 */
const makeHistogram = (name: string, help: string) => {
  const all = new Map<string, { readonly counts: number[]; sum: number }>()
  return {
    /** @param labels as in the text of Prometheus */
    observe: (labels: string, seconds: number): void => {
      let series = all.get(labels)
      if (series === undefined) all.set(labels, (series = { counts: buckets.map(() => 0), sum: 0 }))
      let at = 0
      while (seconds > (buckets[at] as number)) at++
      series.counts[at] = (series.counts[at] as number) + 1
      series.sum += seconds
    },
    /** The Prometheus text in parts, built in slices. */
    text: async (): Promise<readonly string[]> => {
      const yieldWhenDue = makeYielder()
      const parts = [`# HELP ${name} ${help}\n# TYPE ${name} histogram\n`]
      for (const some of chunksOf([...all], seriesInPart)) {
        const texts: string[] = []
        for (const [labels, { counts, sum }] of some) {
          let total = 0
          for (const [at, count] of counts.entries())
            texts.push(`${name}_bucket{le="${bounds[at]}",${labels}} ${(total += count)}\n`)
          texts.push(`${name}_sum{${labels}} ${sum}\n${name}_count{${labels}} ${total}\n`)
          await yieldWhenDue()
        }
        parts.push(texts.join(''))
      }
      return parts
    },
  }
}

type StoreName = 'event_store' | 'read_models'

/** Gauges with counter-like names, which promtool refuses; the same figures exist by type. */
const misnamed = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/** The process's metrics for Prometheus. */
export const makeMetrics = (sources: GaugeSources = {}) => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  new Gauge({
    name: 'catalog_info',
    help: 'Version of the catalog',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1)
  const requests = makeHistogram(
    'catalog_http_request_duration_seconds',
    'Time from the arrival of a request to the end of its answer',
  )
  const answered = new Counter({
    name: 'catalog_http_requests_total',
    help: 'Requests that were answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const storeCalls = makeHistogram('catalog_store_request_duration_seconds', 'Time that a store took for a call')
  const appended = new Counter({
    name: 'catalog_events_appended_total',
    help: 'Events that this process appended to the log',
    labelNames: ['type'],
    registers,
  })
  const refused = new Counter({
    name: 'catalog_connections_refused_total',
    help: 'Connections that were refused because too many were open',
    registers,
  })
  const refresh = operatingGauges(registry, sources)
  const make = async (): Promise<readonly string[]> => {
    await refresh()
    const own = [await requests.text(), await storeCalls.text()]
    return [`${await registry.metrics()}\n`, ...own.flat()]
  }
  let making: ReturnType<typeof make> | undefined
  return {
    requestAnswered: (method: string, route: string, status: number, seconds: number) => {
      // With statuses the histogram would have sixteen buckets for each status of each route.
      requests.observe(`method="${method}",route="${route}"`, seconds)
      answered.inc({ method, route, status })
    },
    connectionRefused: () => refused.inc(),
    eventsAppended: (type: string, count: number) => appended.inc({ type }, count),
    storeCalled: (store: StoreName, operation: string, outcome: 'ok' | 'error', seconds: number) =>
      storeCalls.observe(`store="${store}",operation="${operation}",outcome="${outcome}"`, seconds),
    /** Prometheus text in parts; concurrent calls share one. */
    text: () => (making ??= make().finally(() => (making = undefined))),
    contentType: registry.contentType,
  }
}

export type Metrics = ReturnType<typeof makeMetrics>

type StoreMetrics = Pick<Metrics, 'storeCalled'>

const timing =
  ({ storeCalled }: StoreMetrics, store: StoreName) =>
  <A extends unknown[], R>(operation: string, call: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    const begun = performance.now()
    const ended = (outcome: 'ok' | 'error'): void =>
      storeCalled(store, operation, outcome, (performance.now() - begun) / 1000)
    try {
      const result = await inSpan(`${store}.${operation}`, { 'catalog.store': store }, () => call(...args))
      ended('ok')
      return result
    } catch (error) {
      ended('error')
      throw error
    }
  }

/**
 * The log with metrics: durations of appends and head reads, and appended events by type. A repeated append answers with
 * the position of the first, which is not beyond what was known of the log before.
 */
export const timedLog = (log: EventStore, metrics: StoreMetrics & Pick<Metrics, 'eventsAppended'>): EventStore => {
  const timed = timing(metrics, 'event_store')
  const [append, head] = [timed('append', log.append), timed('head', log.head)]
  let known = -1n
  return {
    ...log,
    head: async () => {
      const newest = await head()
      if (newest !== undefined && newest > known) known = newest
      return newest
    },
    append: async (appends) => {
      const before = known
      const outcomes = await append(appends)
      for (const [at, { events }] of appends.entries()) {
        const outcome = outcomes[at]
        if (!outcome?.ok || outcome.position <= before) continue
        if (outcome.position > known) known = outcome.position
        for (const { type } of events) metrics.eventsAppended(type, 1)
      }
      return outcomes
    },
  }
}

export const timedReadModels = (readModels: ReadModels, metrics: StoreMetrics): ReadModels => {
  const timed = timing(metrics, 'read_models')
  return {
    ...readModels,
    get: timed('get', readModels.get),
    getMany: timed('get_many', readModels.getMany),
    getHeads: timed('get_heads', readModels.getHeads),
    getReferences: timed('get_references', readModels.getReferences),
    list: timed('list', readModels.list),
    search: timed('search', readModels.search),
    projections: readModels.projections.map((projection) => ({
      ...projection,
      apply: timed('commit', projection.apply),
    })),
  }
}
