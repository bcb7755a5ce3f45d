import type { EventBatch, EventStore, SubscribeOptions } from '../events/eventStore.ts'
import { isBehind } from './progress.ts'

type Log = Pick<EventStore, 'subscribe'>

interface Page extends EventBatch {
  /** Exclusive: the events are all of the log from here to the position. */
  readonly after: bigint | undefined
}

/** Events that are held for whoever has not taken them yet, and pages that they may be spread over. */
const mostEvents = 4000
const mostPages = 500

/** The newest pages of one subscription. */
const openTail = (log: Log, start: bigint | undefined, batchSize: number | undefined) => {
  const ending = new AbortController()
  const options = { after: start, signal: ending.signal, ...(batchSize !== undefined && { batchSize }) }
  const pages = log.subscribe(options)[Symbol.asyncIterator]()
  const held: Page[] = []
  let events = 0
  let end = start
  let pulling: Promise<boolean> | undefined

  const pull = async (): Promise<boolean> => {
    const next = await pages.next()
    if (next.done === true) return false
    held.push({ ...next.value, after: end })
    end = next.value.position
    events += next.value.events.length
    while (held.length > 1 && (events > mostEvents || held.length > mostPages))
      events -= held.shift()?.events.length ?? 0
    return true
  }
  return {
    end: () => end,
    reaches: (position: bigint | undefined): boolean =>
      !isBehind(position, held.length === 0 ? end : held[0]?.after) && !isBehind(end, position),
    pageAfter: (position: bigint | undefined) => held.find((page) => isBehind(position, page.position)),
    /** Waits for the next page, together with all others who do. @returns false when there is none any more */
    pull: (): Promise<boolean> => (pulling ??= pull().finally(() => (pulling = undefined))),
    close: (): void => {
      ending.abort()
      void pages.return?.().catch(() => undefined)
    },
  }
}

/** The same, or false when the signal aborts before. */
const unlessAborted = async (more: Promise<boolean>, signal: AbortSignal): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<false>()
  const leave = (): void => resolve(false)
  if (signal.aborted) return false
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([more, promise]).finally(() => signal.removeEventListener('abort', leave))
}

const behind = (page: Page, position: bigint | undefined): EventBatch =>
  page.after === position || position === undefined
    ? page
    : { events: page.events.filter((event) => event.position > position), position: page.position }

/**
 * One subscription for all who follow the log at about the same place: each event is read and decoded once. Nobody
 * waits for a subscriber that is slow: it goes on with a subscription of its own until it has caught up.
 */
export const shareSubscription = (log: Log, batchSize?: number): Log => {
  let tail: ReturnType<typeof openTail> | undefined
  let subscribers = 0

  const close = (): void => {
    tail?.close()
    tail = undefined
  }
  const tailAt = (position: bigint | undefined): NonNullable<typeof tail> | undefined => {
    if (tail !== undefined && isBehind(tail.end(), position)) close()
    tail ??= openTail(log, position, batchSize)
    return tail.reaches(position) ? tail : undefined
  }
  const pull = async (current: NonNullable<typeof tail>): Promise<boolean> => {
    try {
      return await current.pull()
    } catch (error) {
      if (tail === current) close()
      throw error
    }
  }
  async function* follow({ after, signal }: SubscribeOptions): AsyncGenerator<EventBatch> {
    let position = after
    while (!signal.aborted) {
      const current = tailAt(position)
      if (current === undefined) {
        for await (const page of log.subscribe({ after: position, signal, ...(batchSize && { batchSize }) })) {
          position = page.position
          yield page
          if (tail?.reaches(position) === true) break
        }
        if (tail?.reaches(position) !== true) return
        continue
      }
      const page = current.pageAfter(position)
      if (page !== undefined) {
        yield behind(page, position)
        position = page.position
      } else if (!(await unlessAborted(pull(current), signal)) && tail === current) return
    }
  }
  return {
    subscribe: async function* (options) {
      subscribers++
      try {
        yield* follow(options)
      } finally {
        if (--subscribers === 0) close()
      }
    },
  }
}
