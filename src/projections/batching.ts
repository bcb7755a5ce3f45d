import { setTimeout as delay } from 'node:timers/promises'
import type { EventBatch } from '../events/eventStore.ts'

interface Batching {
  /** Longest time in milliseconds to collect events. */
  readonly time: number
  readonly size: number
  readonly isAwaited: () => boolean
  /** Resolves when somebody starts to wait, or the signal aborts. */
  readonly whenAwaited: (signal: AbortSignal) => Promise<void>
}

const mergePages = (pages: readonly EventBatch[]): EventBatch => {
  const [only] = pages as readonly [EventBatch]
  if (pages.length === 1) return only
  return { events: pages.flatMap(({ events }) => events), position: (pages.at(-1) as EventBatch).position }
}

/** Joins pages of the log into batches by time and size; at once while somebody waits. */
export async function* batched(
  pages: AsyncIterable<EventBatch>,
  { time, size, isAwaited, whenAwaited }: Batching,
): AsyncGenerator<EventBatch> {
  const iterator = pages[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const first = await next
      if (first.done === true) return
      const batch = [first.value]
      let count = first.value.events.length
      next = iterator.next()
      next.catch(() => undefined)
      const over = new AbortController()
      const { signal } = over
      const until = Promise.race([delay(time, undefined, { signal }).catch(() => undefined), whenAwaited(signal)])
      while (count < size && !isAwaited()) {
        const more = await Promise.race([next, until])
        if (more === undefined || more.done === true) break
        batch.push(more.value)
        count += more.value.events.length
        next = iterator.next()
        next.catch(() => undefined)
      }
      over.abort()
      yield mergePages(batch)
    }
  } finally {
    void iterator.return?.()
  }
}
