import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventStore, ReadAllOptions, ReadStreamOptions, EventBatch, SubscribeOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { readBytes, type TableReads } from './eventTable.ts'
import type { Notifier } from '../logTail.ts'

/** The durable position of a log, shared between threads. */
export type DurablePosition = BigInt64Array<SharedArrayBuffer>

export const newDurablePosition = (): DurablePosition =>
  new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

/** Largest number of events of a page. */
const pageEvents = 500

/** A position or revision as a number for SQLite, capped at the largest safe integer. */
export const asNumber = (value: bigint): number =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)

/** Reads page by page, and yields to other work once a slice of time is used up. @param page what follows the last event */
async function* inPages(
  page: (last: RecordedEvent | undefined, limit: number) => readonly RecordedEvent[],
  limit = Infinity,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const yieldWhenDue = makeYielder()
  let last: RecordedEvent | undefined
  for (let left = limit; left > 0;) {
    const events = page(last, Math.min(left, pageEvents))
    await yieldWhenDue()
    for (const event of events) yield event
    last = events.at(-1)
    if (last === undefined) return
    left -= events.length
  }
}

const readStream = (
  { streamPage }: TableReads,
  stream: string,
  { backwards = false, from, limit }: ReadStreamOptions,
): AsyncIterable<RecordedEvent> => {
  const first = from === undefined ? (backwards ? Number.MAX_SAFE_INTEGER : 0) : asNumber(from)
  const next = ({ revision }: RecordedEvent): number => Number(revision) + (backwards ? -1 : 1)
  return inPages((last, most) => streamPage(stream, { from: last ? next(last) : first, backwards }, most), limit)
}

type Reads = Pick<EventStore, 'readStream' | 'revisionOf' | 'readAll' | 'eventAt' | 'first' | 'head'>

export const readsOf = (log: TableReads): Reads => ({
  readStream: (stream, options = {}) => readStream(log, stream, options),
  revisionOf: async (stream) => {
    const newest = log.revision(stream)
    return newest < 0 ? undefined : BigInt(newest)
  },
  readAll: ({ after = 0n, limit }: ReadAllOptions = {}) =>
    inPages((last, most) => log.pageAfter(asNumber(last?.position ?? after), most, readBytes), limit),
  eventAt: async (position) => log.eventAt(asNumber(position)),
  first: async () => log.eventAt(1),
  head: async () => {
    const newest = log.head()
    return newest === 0 ? undefined : BigInt(newest)
  },
})

/** An event, and the length of its JSON texts in characters. */
export interface EventSize {
  readonly event: RecordedEvent
  readonly size: number
}

/**
 * Caches the newest events of a log for subscribers that are nearly caught up: at most `maxEvents` and `maxSize`
 * characters, starting after `position`, with gapless positions.
 */
export const makeTail = (position: number, maxEvents: number, maxSize: number) => {
  let cached: EventSize[] = []
  let size = 0
  /** Position before the oldest cached event. */
  let before = position
  return {
    /** Adds committed events. The cache is emptied first unless they directly follow its newest event. */
    push: (added: readonly EventSize[]): void => {
      const from = Number(added[0]?.event.position)
      if (added.length > 0 && from !== before + cached.length + 1) [cached, size, before] = [[], 0, from - 1]
      for (const each of added) {
        cached.push(each)
        size += each.size
      }
      let count = 0
      for (; cached.length - count > maxEvents || (size > maxSize && count < cached.length); count++)
        size -= (cached[count] as EventSize).size
      if (count > 0) cached = cached.slice(count)
      before += count
    },
    /** Events after this position, up to `limit` and about `most` characters; `undefined` if they are not cached. */
    after: (position: number, limit: number, most: number): RecordedEvent[] | undefined => {
      if (position < before) return undefined
      const events: RecordedEvent[] = []
      let taken = 0
      for (let at = position - before; at < cached.length && events.length < limit && taken <= most; at++) {
        const { event, size: one } = cached[at] as EventSize
        events.push(event)
        taken += one
      }
      return events
    },
  }
}

export interface SubscriptionSources {
  /** Cached events after the position; `undefined` if they are not cached. */
  readonly recent: (position: number, limit: number) => readonly RecordedEvent[] | undefined
  readonly pageAfter: (position: number, limit: number) => readonly RecordedEvent[]
  readonly notifier: Notifier
  /** Milliseconds between checks without a notification. */
  readonly pollInterval?: number
}

export async function* followTable(
  { recent, pageAfter, notifier, pollInterval: interval }: SubscriptionSources,
  { after, signal, batchSize = 1000 }: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  let position = asNumber(after ?? 0n)
  while (!signal.aborted) {
    const events = recent(position, batchSize) ?? pageAfter(position, batchSize)
    const last = events.at(-1)
    if (last) {
      position = Number(last.position)
      yield { events, position: last.position }
      await nextTurn()
    } else {
      await notifier.wait(signal, interval)
    }
  }
}

/** All events after a position, from the cache as far as possible. */
export function* eventsSince(
  recent: SubscriptionSources['recent'],
  pageAfter: SubscriptionSources['pageAfter'],
  position: bigint | undefined,
): Generator<RecordedEvent, void, undefined> {
  for (let at = asNumber(position ?? 0n); ;) {
    const page = recent(at, pageEvents) ?? pageAfter(at, pageEvents)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    at = Number(last.position)
  }
}
