import { makeNotifier } from '../../events/notifier.ts'
import {
  type RecordedEvent,
  type TextEvent,
  isBehind,
  fingerprintOf,
  type LogFingerprint,
} from '../../events/events.ts'
import { DamagedLog, type EventStore } from '../../events/eventStore.ts'
import { textPagesOf } from '../../events/textEvent.ts'
import { backOff, rest } from '../../shared/backOff.ts'
import type { LeafReader } from '../../projections/tree/leafReader.ts'
import { chunksOf } from '../../shared/chunks.ts'
import type { WriteEvent } from './cloudEvent.ts'
import { countLeaves, makeFeedTail, makeItem, type FeedItem, type FeedTail } from './feedTail.ts'
import type { EventMatcher } from '../../projections/activity/matching.ts'

export interface ReadOptions {
  /** Exclusive; `undefined`: the beginning of the log. */
  readonly after: bigint | undefined
  readonly match: EventMatcher
  /** Finds what matches in place of looking through the log. */
  readonly lookup?: Lookup | undefined
  /** How this consumer sees items; left out: as they are. */
  readonly shown?: Shown | undefined
  readonly limit: number
  /** No further item once their texts have this length together. Default 4 Mi. */
  readonly maxSize?: number
  /** Include what was committed before the call, although the subscription may not have brought it yet. */
  readonly upToDate?: boolean
}

/** An item as somebody may see it who may not see all that it names; the item itself where that is the same. */
export type Shown = (item: FeedItem) => FeedItem

/** What an index knows of the log after a position: at most `limit` places; `undefined` when it knows nothing there. */
export type Lookup = (after: bigint | undefined, limit: number) => Promise<Found | undefined>

export interface Found {
  /** Where everything stands that matches, and maybe more, in the order of the log. */
  readonly positions: readonly bigint[]
  /** As far as that is all. */
  readonly reached: bigint
}

export interface FeedPage {
  /** Those that match, in log order. */
  readonly items: readonly FeedItem[]
  /** How far the log was looked through: nothing that matches lies between the last item and this. Go on from here. */
  readonly position: bigint | undefined
  /** The last event that was looked at; `undefined`: none was. */
  readonly newest: LogFingerprint | undefined
  /** There was nothing more at the moment. */
  readonly end: boolean
}

/** The log as consumers read it. All who follow it share one subscription and its texts. */
export interface Feed {
  /** The next items; looks through a bounded number of events at a time, so the page may be empty before the end. */
  read(options: ReadOptions): Promise<FeedPage>
  /** Resolves when there is something after the position, the signal aborts, the feed closes, or the time is over. */
  wait(position: bigint | undefined, signal: AbortSignal, milliseconds: number): Promise<void>
  /** Somebody has opened a stream. @returns what to call when it is over */
  opened(): () => void
  streams(): number
  readonly closing: AbortSignal
  close(): Promise<void>
}

export type FollowedLog = Pick<EventStore, 'readAll' | 'readTextPages' | 'eventAt' | 'subscribe' | 'head'>

export interface FeedOptions {
  readonly log: FollowedLog
  readonly write: WriteEvent
  /** Makes what tells which leaves events are; it is asked for one event of those that follow each other. */
  readonly leaves: () => LeafReader
  /** The subscription failed; it begins again. */
  readonly onError?: (error: unknown) => void
  /** Items of the newest events that stay in memory (default 10,000), and the length of their texts (default 16 Mi). */
  readonly tailItems?: number
  readonly tailSize?: number
}

/** Events that one read looks through. */
const scanEvents = 5_000

/** Events that are read side by side where an index told their places. */
const readAtOnce = 50

export const makeFeed = (options: FeedOptions): Feed => {
  const { log } = options
  const closing = new AbortController()
  const newest = makeNewest(options, closing.signal)
  let streams = 0
  return {
    read: async (wanted) => {
      const tail = newest.tail()
      if (tail?.covers(wanted.after) !== true) return (await fromIndex(options, wanted)) ?? fromLog(options, wanted)
      const page = await fromTail(tail, wanted)
      if (!page.end || wanted.upToDate !== true || !isBehind(page.position, await log.head())) return page
      return page.items.length > 0 ? { ...page, end: false } : fromLog(options, { ...wanted, after: page.position })
    },
    wait: async (position, signal, milliseconds) => {
      await newest.start()
      if (signal.aborted || closing.signal.aborted || isBehind(position, newest.tail()?.position)) return
      await newest.changed.wait(signal, milliseconds)
    },
    opened: () => {
      streams++
      return () => void streams--
    },
    streams: () => streams,
    closing: closing.signal,
    close: async () => {
      closing.abort()
      newest.changed.notify()
      await newest.ended()
    },
  }
}

const itemOf = ({ write }: FeedOptions, event: TextEvent, leafIndex: number | undefined): FeedItem =>
  makeItem(event, write(event, leafIndex))

/** The newest events: one subscription for all, from when somebody wants them for the first time. */
const makeNewest = (options: FeedOptions, closing: AbortSignal) => {
  const { log, tailItems = 10_000, tailSize = 16 * 2 ** 20 } = options
  const changed = makeNotifier()
  let tail: FeedTail | undefined
  let starting: Promise<void> | undefined
  let following: Promise<void> = Promise.resolve()

  /** Whoever goes on from here reads the log, and learns there what is wrong with it. */
  const leave = (): void => {
    tail = undefined
    starting = undefined
    changed.notify()
  }

  const take = (items: readonly FeedItem[], last: RecordedEvent | undefined): void => {
    // Consumers are only given positions of events: how far a store has looked, others may not know yet.
    if (last === undefined) return
    tail?.push(items, last.position)
    changed.notify()
  }

  const follow = async (from: bigint | undefined): Promise<void> => {
    const place = { position: from }
    for (let failures = 0; !closing.aborted; failures++) {
      const before = place.position
      try {
        await followOnce(options, place, take, closing)
        if (!closing.aborted) throw new Error('The subscription ended.')
      } catch (error) {
        if (closing.aborted) return
        options.onError?.(error)
        if (error instanceof DamagedLog) return leave()
        if (place.position !== before) failures = 0
        await rest(backOff(failures, { shortest: 50, longest: 5000 }), closing)
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
  place: { position: bigint | undefined },
  take: (items: readonly FeedItem[], last: RecordedEvent | undefined) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { log, leaves } = options
  let count = countLeaves(leaves())
  for await (const batch of log.subscribe({ after: place.position, signal })) {
    if (count.isUnknown()) count = countLeaves(leaves())
    const items: FeedItem[] = []
    for (const event of batch.events) items.push(itemOf(options, event, await count.next(event)))
    place.position = batch.position
    take(items, batch.events.at(-1))
  }
}

const fromTail = async (held: FeedTail, wanted: ReadOptions): Promise<FeedPage> => {
  const reached = isBehind(held.position, wanted.after) ? wanted.after : held.position
  const page = newPage(wanted)
  for (const item of held.after(wanted.after)) {
    const matches = wanted.match(item.event)
    page.look(item.event, (matches instanceof Promise ? await matches : matches) ? item : undefined)
    if (page.full()) return page.result(false)
  }
  return { ...page.result(true), position: reached }
}

/** `undefined`: no index knows what comes next, or it is one of another log, or the log is damaged there. */
const fromIndex = (options: FeedOptions, wanted: ReadOptions): Promise<FeedPage | undefined> =>
  lookUp(options, wanted).catch((error: unknown) => {
    if (error instanceof DamagedLog) return undefined
    throw error
  })

const lookUp = async (options: FeedOptions, wanted: ReadOptions): Promise<FeedPage | undefined> => {
  const { log, leaves } = options
  const found = await wanted.lookup?.(wanted.after, wanted.limit)
  if (found === undefined || !isBehind(wanted.after, found.reached)) return undefined
  const page = newPage(wanted)
  const leafOf = leaves()
  for (const positions of chunksOf(found.positions, readAtOnce)) {
    const events = await Promise.all(positions.map((position) => log.eventAt(position)))
    for (const event of events) {
      if (event === undefined) return undefined
      const matches = await wanted.match(event)
      page.look(event, matches ? itemOf(options, event, await leafOf(event.position)) : undefined)
      if (page.full()) return page.result(false)
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
  let looked = 0
  try {
    for await (const events of textPagesOf(log, { after: wanted.after, limit: scanEvents })) {
      for (const event of events) {
        const matches = wanted.match(event)
        const matching = matches instanceof Promise ? await matches : matches
        const leaf = count.next(event)
        const leafIndex = leaf instanceof Promise ? await leaf : leaf
        page.look(event, matching ? itemOf(options, event, leafIndex) : undefined)
        if (page.full()) return page.result(false)
      }
      looked += events.length
    }
  } catch (error) {
    // What stands before the damage is given first.
    if (error instanceof DamagedLog && page.hasLooked()) return page.result(false)
    throw error
  }
  const result = page.result(looked < scanEvents)
  return result.end && isBehind(result.position, head) ? { ...result, position: head } : result
}

const asItIs: Shown = (item) => item

const newPage = ({ after, limit, shown = asItIs, maxSize = 4 * 2 ** 20 }: ReadOptions) => {
  const items: FeedItem[] = []
  let size = 0
  let last: RecordedEvent | undefined
  return {
    look: (event: RecordedEvent, matching: FeedItem | undefined): void => {
      last = event
      if (matching === undefined) return
      const item = shown(matching)
      items.push(item)
      size += item.text.length
    },
    hasLooked: (): boolean => last !== undefined,
    full: (): boolean => items.length >= limit || size >= maxSize,
    result: (end: boolean): FeedPage => ({
      items,
      position: last?.position ?? after,
      newest: last && fingerprintOf(last),
      end,
    }),
  }
}
