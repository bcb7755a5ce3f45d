import { makeNotifier } from '../../events/logTail.ts'
import { type RecordedEvent, isBehind, fingerprintOf, type LogFingerprint } from '../../events/events.ts'
import { DamagedLog, type EventStore } from '../../events/eventStore.ts'
import { backoff, sleep } from '../../shared/backOff.ts'
import type { LeafReader } from '../../projections/tree/leafReader.ts'
import { chunksOf, mapInChunks } from '../../shared/bounds.ts'
import { limits } from '../../shared/limits.ts'
import { makeWorkQueue, type WorkRequest } from '../../shared/workQueue.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { WriteEvent } from './cloudEvent.ts'
import { countLeaves, makeFeedTail, makeFeedItem, type FeedItem, type FeedTail } from './feedTail.ts'
import type { EventMatcher } from '../../projections/activity/matching.ts'

export interface ReadOptions {
  /** Exclusive; `undefined` for the beginning of the log. */
  readonly after: bigint | undefined
  readonly match: EventMatcher
  /** An index that finds matches without reading the log. */
  readonly lookup?: FeedLookup | undefined
  /** Maps items for this consumer; absent: unchanged. */
  readonly view?: FeedView | undefined
  readonly limit: number
  /** Most characters of the texts of a page, unless its first is longer (default 4 Mi). */
  readonly maxSize?: number
  /** Include everything committed before the call, even if the subscription has not delivered it yet. */
  readonly upToDate?: boolean
  /** Who waits for a turn where the log must be read, fairly between callers; absent: it is read at once. */
  readonly reader?: WorkRequest | undefined
}

/** What a consumer is sent; asked for again before each page, since the consumer's teams may change. */
export type FeedSelection = () => Promise<Pick<ReadOptions, 'match' | 'lookup' | 'view'>>

/** Maps an item for a reader who may not view everything that it names; returns the item itself if unchanged. */
export type FeedView = (item: FeedItem) => FeedItem

/** Finds at most `limit` positions after a position; `undefined` if the index does not cover it. */
export type FeedLookup = (after: bigint | undefined, limit: number) => Promise<Found | undefined>

interface Found {
  /** Positions of all matches, possibly with others, in log order. */
  readonly positions: readonly bigint[]
  /** The position up to which the result is complete. */
  readonly reached: bigint
}

export interface FeedPage {
  /** Those that match, in log order. */
  readonly items: readonly FeedItem[]
  /** The position to continue from: there is no match between the last item and this. */
  readonly position: bigint | undefined
  /** The last event that was read, if any. */
  readonly newest: LogFingerprint | undefined
  /** Whether the end of the log was reached. */
  readonly end: boolean
}

export interface FeedOptions {
  readonly log: Pick<EventStore, 'readAll' | 'eventAt' | 'subscribe' | 'head'>
  readonly write: WriteEvent
  /** Makes the counter of leaf indexes for consecutive events. */
  readonly leaves: () => LeafReader
  /** Called when the subscription failed; it is started again. */
  readonly onError?: (error: unknown) => void
  /** Number of newest items kept in memory (default 10,000), and total length of their texts (default 16 Mi). */
  readonly tailItems?: number
  readonly tailSize?: number
}

/** Number of events scanned by one read. */
const scanEvents = 5_000

/** Number of indexed events read concurrently. Each may be as large as an entity. */
const readAtOnce = 10

/** The log for consumers. All followers share one subscription and its texts. */
export const makeFeed = (options: FeedOptions) => {
  const { log } = options
  const closing = new AbortController()
  const liveTail = makeLiveTail(options, closing.signal)
  const turns = makeWorkQueue('pages of events', limits.listsAtOnce.value)
  let streams = 0
  return {
    /** Reads the next items; scans a bounded number of events, so a page may be empty before the end. */
    read: async (wanted: ReadOptions): Promise<FeedPage> => {
      const { reader } = wanted
      const inTurn = (read: () => Promise<FeedPage>) => (reader === undefined ? read() : turns.run(reader, read))
      const tail = liveTail.tail()
      if (tail?.covers(wanted.after) !== true) {
        // It may wait for its index, so it takes no turn.
        const found = await wanted.lookup?.(wanted.after, wanted.limit).catch(ifDamaged)
        const indexed = () => fromIndex(options, wanted, found).catch(ifDamaged)
        return inTurn(async () => (await indexed()) ?? fromLog(options, wanted))
      }
      const page = await fromTail(tail, wanted)
      if (!page.end || wanted.upToDate !== true || !isBehind(page.position, await log.head())) return page
      if (page.items.length > 0) return { ...page, end: false }
      return inTurn(() => fromLog(options, { ...wanted, after: page.position }))
    },
    /** Resolves when there is an event after the position, the signal aborts, the feed closes, or the timeout ends. */
    wait: async (position: bigint | undefined, signal: AbortSignal, milliseconds: number): Promise<void> => {
      await liveTail.start()
      if (signal.aborted || closing.signal.aborted || isBehind(position, liveTail.tail()?.position())) return
      await liveTail.changed.wait(signal, milliseconds)
    },
    /** Counts an open stream. @returns function to call when it ends */
    openStream: (): (() => void) => {
      streams++
      return () => void streams--
    },
    streams: (): number => streams,
    closing: closing.signal,
    close: async (): Promise<void> => {
      closing.abort()
      liveTail.changed.notify()
      await liveTail.ended()
    },
  }
}

export type Feed = ReturnType<typeof makeFeed>

const itemOf = ({ write }: FeedOptions, event: RecordedEvent, leafIndex: number | undefined): FeedItem =>
  makeFeedItem(event, write(event, leafIndex))

/** The newest events, from one shared subscription that starts with the first use. */
const makeLiveTail = (options: FeedOptions, closing: AbortSignal) => {
  const { log, tailItems = 10_000, tailSize = 16 * 2 ** 20 } = options
  const changed = makeNotifier()
  let tail: FeedTail | undefined
  let starting: Promise<void> | undefined
  let following: Promise<void> = Promise.resolve()

  /** Later reads go to the log, and report the damage themselves. */
  const resetTail = (): void => {
    tail = undefined
    starting = undefined
    changed.notify()
  }

  const publish = (items: readonly FeedItem[], last: RecordedEvent | undefined): void => {
    // Consumers only get positions of events: other processes may not know the position of a batch without events.
    if (last === undefined) return
    tail?.push(items, last.position)
    changed.notify()
  }

  const follow = async (from: bigint | undefined): Promise<void> => {
    const cursor = { position: from }
    for (let failures = 0; !closing.aborted; failures++) {
      const before = cursor.position
      try {
        await followOnce(options, cursor, publish, closing)
        if (!closing.aborted) throw new Error('The subscription ended.')
      } catch (error) {
        if (closing.aborted) return
        options.onError?.(error)
        if (error instanceof DamagedLog) return resetTail()
        if (cursor.position !== before) failures = 0
        await sleep(backoff(failures, { shortest: 50, longest: 5000 }), closing)
      }
    }
  }

  return {
    changed,
    tail: () => tail,
    start: (): Promise<void> => {
      starting ??= log.head().then(
        (head) => {
          tail = makeFeedTail(head, tailItems, tailSize)
          following = follow(head)
        },
        (error: unknown) => {
          starting = undefined
          throw error
        },
      )
      return starting
    },
    ended: async (): Promise<void> => {
      await starting?.catch(() => undefined)
      await following
    },
  }
}

const followOnce = async (
  options: FeedOptions,
  cursor: { position: bigint | undefined },
  publish: (items: readonly FeedItem[], last: RecordedEvent | undefined) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { log, leaves } = options
  let count = countLeaves(leaves())
  for await (const batch of log.subscribe({ after: cursor.position, signal })) {
    if (count.isUnknown()) count = countLeaves(leaves())
    const items: FeedItem[] = []
    for (const event of batch.events) items.push(itemOf(options, event, await count.next(event)))
    cursor.position = batch.position
    publish(items, batch.events.at(-1))
  }
}

const fromTail = async (tail: FeedTail, wanted: ReadOptions): Promise<FeedPage> => {
  const page = newPage(wanted)
  for (const item of tail.after(wanted.after)) {
    page.add(item.event, (await wanted.match(item.event)) ? item : undefined)
    if (page.full()) return page.result(false)
  }
  return page.result(true)
}

const ifDamaged = (error: unknown): undefined => {
  if (!(error instanceof DamagedLog)) throw error
}

/** The next page by an index; `undefined` if none covers it, or it belongs to another log. */
const fromIndex = async (options: FeedOptions, wanted: ReadOptions, found?: Found): Promise<FeedPage | undefined> => {
  const { log, leaves } = options
  if (found === undefined || !isBehind(wanted.after, found.reached)) return undefined
  const page = newPage(wanted)
  const leafOf = leaves()
  const yieldWhenDue = makeYielder()
  for (const positions of chunksOf(found.positions, readAtOnce)) {
    for (const event of await mapInChunks(positions, readAtOnce, (position) => log.eventAt(position))) {
      if (event === undefined) return undefined
      const matches = await wanted.match(event)
      page.add(event, matches ? itemOf(options, event, await leafOf(event.position)) : undefined)
      if (page.full()) return page.result(false)
      await yieldWhenDue()
    }
  }
  const last = await log.eventAt(found.reached)
  return { ...page.result(false), position: found.reached, newest: last && fingerprintOf(last) }
}

const fromLog = async (options: FeedOptions, wanted: ReadOptions): Promise<FeedPage> => {
  const { log, leaves } = options
  const head = await log.head()
  const page = newPage(wanted)
  const count = countLeaves(leaves())
  let scanned = 0
  try {
    for await (const event of log.readAll({ after: wanted.after, limit: scanEvents })) {
      const leafIndex = await count.next(event)
      page.add(event, (await wanted.match(event)) ? itemOf(options, event, leafIndex) : undefined)
      if (page.full()) return page.result(false)
      scanned++
    }
  } catch (error) {
    // Events before the damage are returned first.
    if (error instanceof DamagedLog && page.hasRead()) return page.result(false)
    throw error
  }
  const result = page.result(scanned < scanEvents)
  return result.end && isBehind(result.position, head) ? { ...result, position: head } : result
}

const newPage = ({ after, limit, view = (item) => item, maxSize = 4 * 2 ** 20 }: ReadOptions) => {
  const items: FeedItem[] = []
  let size = 0
  let last: RecordedEvent | undefined
  return {
    add: (event: RecordedEvent, matching: FeedItem | undefined): void => {
      const item = matching && view(matching)
      size += item?.text.length ?? 0
      if (item !== undefined && items.length > 0 && size > maxSize) return
      last = event
      if (item !== undefined) items.push(item)
    },
    hasRead: (): boolean => last !== undefined,
    full: (): boolean => items.length >= limit || size > maxSize,
    result: (end: boolean): FeedPage => ({
      items,
      position: last?.position ?? after,
      newest: last && fingerprintOf(last),
      end,
    }),
  }
}
