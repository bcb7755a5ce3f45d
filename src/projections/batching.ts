import type { EventBatch } from '../events/eventStore.ts'

interface Batching {
  readonly size: number
  readonly mayCollect: () => boolean
  /** Resolves when collecting ends, at the latest after its longest time, or when the signal aborts. */
  readonly whenDue: (signal: AbortSignal) => Promise<void>
}

const mergePages = (pages: readonly EventBatch[]): EventBatch => {
  const [only] = pages as readonly [EventBatch]
  if (pages.length === 1) return only
  return { events: pages.flatMap(({ events }) => events), position: (pages.at(-1) as EventBatch).position }
}

/** Joins pages of the log into batches by time and size; at once unless it may collect. */
export async function* batched(
  pages: AsyncIterable<EventBatch>,
  { size, mayCollect, whenDue }: Batching,
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
      const until = whenDue(over.signal)
      try {
        while (count < size && mayCollect()) {
          const more = await Promise.race([next, until])
          if (more === undefined || more.done === true) break
          batch.push(more.value)
          count += more.value.events.length
          next = iterator.next()
          next.catch(() => undefined)
        }
      } finally {
        over.abort()
      }
      yield mergePages(batch)
    }
  } finally {
    void iterator.return?.()
  }
}
