import { Histogram, Registry } from 'prom-client'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'

/** How long requests took, by method, route and status. */
export interface RequestTimes {
  readonly observe: (method: string, route: string, status: number, seconds: number) => void
  /** Text of the Prometheus exposition format, without a line break at its end; made in slices. */
  readonly text: () => Promise<string>
}

const name = 'catalog_http_request_duration_seconds'

/**
 * Makes one histogram that is kept in parts, one for each route: a service whose callers have been everywhere has more
 * than a hundred thousand lines of it, and `prom-client` writes a histogram in one go.
 */
export const makeRequestTimes = (buckets: number[]): RequestTimes => {
  const makePart = (registry: Registry): Histogram<'method' | 'route' | 'status'> =>
    new Histogram({
      name,
      help: 'Time from the arrival of a request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets,
      registers: [registry],
    })
  const empty = new Registry()
  makePart(empty)
  const parts = new Map<string, { readonly registry: Registry; readonly histogram: ReturnType<typeof makePart> }>()
  return {
    observe: (method, route, status, seconds) => {
      let part = parts.get(route)
      if (part === undefined) {
        const registry = new Registry()
        part = { registry, histogram: makePart(registry) }
        parts.set(route, part)
      }
      part.histogram.observe({ method, route, status }, seconds)
    },
    text: async () => {
      const yieldWhenDue = makeYielder()
      const head = await empty.getSingleMetricAsString(name)
      const texts = [head]
      for (const { registry } of parts.values()) {
        const text = await registry.getSingleMetricAsString(name)
        texts.push(text.slice(head.length + 1))
        await yieldWhenDue()
      }
      return texts.join('\n')
    },
  }
}
