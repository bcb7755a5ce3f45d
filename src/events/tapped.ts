import type { EventBatch, EventStore, SubscribeOptions } from './eventStore.ts'

/** The log, of whose subscriptions somebody is told what they give, before they give it. */
export const tapped = (log: EventStore, tap: (batch: EventBatch) => void): EventStore => ({
  ...log,
  subscribe: async function* (options: SubscribeOptions) {
    for await (const batch of log.subscribe(options)) {
      tap(batch)
      yield batch
    }
  },
})
