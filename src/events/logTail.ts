import { jsonLength } from '../shared/json.ts'
import { type RecordedEvent, isBehind } from './events.ts'
import type { EventBatch, EventStore } from './eventStore.ts'

/** Wakes all current waiters at each notification. */
export const makeNotifier = () => {
  let waiting: ((isNotified: boolean) => void)[] = []
  return {
    notify: (): void => {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake(true)
    },
    /** Waits for the next notification. @returns false when the signal aborts, or after `timeout` milliseconds */
    wait: (signal: AbortSignal, timeout?: number): Promise<boolean> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        const wake = (isNotified: boolean): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
          resolve(isNotified)
        }
        const leave = (): void => {
          waiting = waiting.filter((other) => other !== wake)
          wake(false)
        }
        const timer = timeout === undefined ? undefined : setTimeout(leave, timeout)
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(wake)
      }),
  }
}

export type Notifier = ReturnType<typeof makeNotifier>

interface Page extends EventBatch {
  /** Exclusive start: the events are the whole log from here to the position. */
  readonly after: bigint | undefined
  readonly characters: number
}

/** Limits of the cache. */
const maxPages = 500
const maxEvents = 4000
const maxCharacters = 8 * 1024 * 1024

const charactersOf = ({ events }: EventBatch): number => events.reduce((sum, { data }) => sum + jsonLength(data), 0)

const unlessAborted = async (more: Promise<boolean>, signal: AbortSignal): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<false>()
  const leave = (): void => resolve(false)
  more.catch(() => undefined)
  if (signal.aborted) return false
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([more, promise]).finally(() => signal.removeEventListener('abort', leave))
}

const remainingPage = (page: Page, position: bigint | undefined): EventBatch =>
  page.after === position || position === undefined
    ? page
    : { events: page.events.filter((event) => event.position > position), position: page.position }

/** The newest pages of one shared subscription: each event is read and decoded once for all followers. */
export const openLogTail = (log: Pick<EventStore, 'subscribe'>, start: bigint | undefined, batchSize?: number) => {
  const ending = new AbortController()
  const pages = log.subscribe({ after: start, signal: ending.signal, batchSize })[Symbol.asyncIterator]()
  const cache: Page[] = []
  let [events, characters] = [0, 0]
  let end = start
  let pulling: Promise<boolean> | undefined

  const pull = async (): Promise<boolean> => {
    const next = await pages.next()
    if (next.done === true) return false
    const page = { ...next.value, after: end, characters: charactersOf(next.value) }
    cache.push(page)
    end = page.position
    events += page.events.length
    characters += page.characters
    while (cache.length > 1 && (events > maxEvents || cache.length > maxPages || characters > maxCharacters)) {
      const [oldest] = cache.splice(0, 1) as [Page]
      events -= oldest.events.length
      characters -= oldest.characters
    }
    return true
  }
  /** Index of the first page with events after a position. Searched from the end, since most positions are near it. */
  const firstAfter = (position: bigint | undefined): number =>
    cache.findLastIndex((page) => !isBehind(position, page.position)) + 1
  return {
    end: (): bigint | undefined => end,
    /** Whether the tail holds everything after this position. */
    covers: (position: bigint | undefined): boolean => !isBehind(position, cache.length === 0 ? end : cache[0]?.after),
    /** The first page with events after a position. */
    pageAfter: (position: bigint | undefined): EventBatch | undefined => {
      const page = cache[firstAfter(position)]
      return page && remainingPage(page, position)
    },
    /** The events after a position, up to another one. */
    between: (after: bigint | undefined, to: bigint): RecordedEvent[] =>
      cache
        .slice(firstAfter(after))
        .flatMap((page) => page.events.filter(({ position }) => isBehind(after, position) && position <= to)),
    /** Waits for the next page with other followers. @returns false at the end, or if the signal aborts first */
    pull: (signal: AbortSignal): Promise<boolean> =>
      unlessAborted((pulling ??= pull().finally(() => (pulling = undefined))), signal),
    close: (): void => {
      ending.abort()
      void pages.return?.().catch(() => undefined)
    },
  }
}

export type LogTail = ReturnType<typeof openLogTail>
