import type { Metrics, StoreName } from './metrics.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { inSpan } from '../../shared/tracing.ts'
import type { ReadModels } from '../../projections/readModels/readModels.ts'

type StoreAsked = Pick<Metrics, 'storeAsked'>

const timing =
  ({ storeAsked }: StoreAsked, store: StoreName) =>
  <A extends unknown[], R>(operation: string, call: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    const begun = performance.now()
    const ended = (outcome: 'ok' | 'error'): void =>
      storeAsked(store, operation, outcome, (performance.now() - begun) / 1000)
    try {
      const result = await inSpan(`${store}.${operation}`, { 'catalog.store': store }, () => call(...args))
      ended('ok')
      return result
    } catch (error) {
      ended('error')
      throw error
    }
  }

/** The log, with the time measured that appends and looks at its end take, and what it takes counted by type. */
export const timedLog = (log: EventStore, metrics: StoreAsked & Pick<Metrics, 'eventsAppended'>): EventStore => {
  const timed = timing(metrics, 'event_store')
  const append = timed('append', log.append)
  return {
    ...log,
    head: timed('head', log.head),
    append: async (appends) => {
      const outcomes = await append(appends)
      for (const [at, { events }] of appends.entries())
        if (outcomes[at]?.ok) for (const { type } of events) metrics.eventsAppended(type, 1)
      return outcomes
    },
  }
}

export const timedReadModels = (readModels: ReadModels, metrics: StoreAsked): ReadModels => {
  const timed = timing(metrics, 'read_models')
  return {
    ...readModels,
    get: timed('get', readModels.get),
    getByFqn: timed('get_by_name', readModels.getByFqn),
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
