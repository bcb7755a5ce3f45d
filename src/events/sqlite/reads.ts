import type { EventStore, ReadStreamOptions, EventBatch, SubscribeOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { yieldToEventLoop, quietTurn } from '../../shared/yieldToEventLoop.ts'
import type { SqliteLog, TableReads } from './eventTable.ts'
import type { Notifier } from '../notifier.ts'

/** A position of the log that threads share. */
export type Shown = BigInt64Array<SharedArrayBuffer>

export const newShown = (): Shown => new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

export type ShownLog = Pick<SqliteLog, 'head' | 'revision'> & TableReads

/** The log up to a position, `Infinity` for all: what is behind it may not be on the disk yet, and must not be seen. */
export const upTo = (log: ShownLog, shown: () => number): ShownLog => {
  const most = (position: number, limit: number): number => Math.max(0, Math.min(limit, shown() - position))
  const before = (position: number | undefined): number | undefined => {
    const last = Math.min(position ?? Infinity, shown())
    return last === Infinity ? undefined : last
  }
  return {
    head: () => Math.min(log.head(), shown()),
    revision: (stream, position) => log.revision(stream, before(position)),
    eventAt: (position) => (position > shown() ? undefined : log.eventAt(position)),
    pageAfter: (position, limit) => log.pageAfter(position, most(position, limit)),
    textsAfter: (position, limit) => log.textsAfter(position, most(position, limit)),
    streamPage: (stream, part, limit) => log.streamPage(stream, { ...part, upTo: before(part.upTo) }, limit),
  }
}

/** The same function, which does nothing where `check` throws. */
export const checkedBy =
  (check: () => void) =>
  <A extends unknown[], R>(read: (...args: A) => R) =>
  (...args: A): R => {
    check()
    return read(...args)
  }

export const readableWhile = (check: () => void, log: ShownLog): ShownLog => {
  const checked = checkedBy(check)
  return {
    head: checked(log.head),
    revision: checked(log.revision),
    eventAt: checked(log.eventAt),
    pageAfter: checked(log.pageAfter),
    textsAfter: checked(log.textsAfter),
    streamPage: checked(log.streamPage),
  }
}

/** Events of one page of a read that has no smaller limit. */
export const pageEvents = 500

/** A position or revision as SQLite takes it; what lies beyond every possible one stays beyond. */
export const asNumber = (value: bigint): number =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)

/** Other work gets its turn between two pages. */
async function* pages<E extends RecordedEvent>(
  next: (last: E | undefined, limit: number) => E[],
  limit: number,
): AsyncGenerator<E[], void, undefined> {
  let last: E | undefined
  for (let left = limit; left > 0;) {
    const page = next(last, Math.min(left, pageEvents))
    if (page.length === 0) return
    yield page
    last = page.at(-1)
    left -= page.length
    if (left > 0) await yieldToEventLoop()
  }
}

async function* paged(
  next: (last: RecordedEvent | undefined, limit: number) => RecordedEvent[],
  limit: number,
): AsyncGenerator<RecordedEvent, void, undefined> {
  for await (const page of pages(next, limit)) for (const event of page) yield event
}

/** Who may read much of a stream often leaves after a few events: pages grow. Who asks for few wants them. */
const firstPageEvents = 16
const pageGrowth = 8
const fewEvents = 128

/** Other work gets its turn between two pages. */
async function* readStreamPages(
  page: SqliteLog['streamPage'],
  stream: string,
  { backwards = false, ...options }: ReadStreamOptions,
): AsyncGenerator<RecordedEvent, void, undefined> {
  let from = options.from === undefined ? (backwards ? Number.MAX_SAFE_INTEGER : 0) : asNumber(options.from)
  const upTo = options.upTo === undefined ? undefined : asNumber(options.upTo)
  let left = options.limit ?? Infinity
  for (let size = left > fewEvents ? firstPageEvents : left; left > 0; size = Math.min(size * pageGrowth, pageEvents)) {
    const { events, goesOn } = page(stream, { from, backwards, upTo }, Math.min(left, size))
    for (const event of events) yield event
    left -= events.length
    const last = events.at(-1)
    if (last === undefined || !goesOn || left <= 0) return
    from = Number(last.revision) + (backwards ? -1 : 1)
    await yieldToEventLoop()
  }
}

type Reads = Pick<EventStore, 'readStream' | 'revisionOf' | 'readAll' | 'eventAt' | 'readTextPages' | 'head'>

export const readsOf = (log: ShownLog): Reads => ({
  readStream: (stream, options = {}) => readStreamPages(log.streamPage, stream, options),
  revisionOf: async (stream) => {
    const newest = log.revision(stream)
    return newest < 0 ? undefined : BigInt(newest)
  },
  readAll: ({ after, limit = Infinity } = {}) =>
    paged((last, size) => log.pageAfter(asNumber(last?.position ?? after ?? 0n), size), limit),
  eventAt: async (position) => log.eventAt(asNumber(position)),
  readTextPages: ({ after, limit = Infinity }) =>
    pages((last, size) => log.textsAfter(asNumber(last?.position ?? after ?? 0n), size), limit),
  head: async () => {
    const newest = log.head()
    return newest === 0 ? undefined : BigInt(newest)
  },
})

/** The newest events of a log, in memory, so that those who follow it closely need not read it. */
export interface Tail {
  /**
   * Adds committed events, with the bytes of each. The tail starts afresh where they do not follow on the newest one.
   */
  push(events: readonly RecordedEvent[], sizes: readonly number[]): void
  /** Events after this position, at least one, up to `limit` and about `bytes`; `undefined` beyond the tail. */
  after(position: number, limit: number, bytes: number): RecordedEvent[] | undefined
}

/** A tail that begins after `position` and holds at most `maxEvents` and `maxBytes`. Positions within have no holes. */
export const makeTail = (position: number, maxEvents: number, maxBytes: number): Tail => {
  let events: (RecordedEvent | undefined)[] = []
  let sizes: number[] = []
  let start = 0
  let bytes = 0
  /** Position before the oldest event that is held. */
  let before = position

  const restart = (at: number): void => {
    events = []
    sizes = []
    start = 0
    bytes = 0
    before = at
  }

  const trim = (): void => {
    while (events.length - start > maxEvents || (bytes > maxBytes && start < events.length)) {
      bytes -= sizes[start] as number
      // Else it would be held until its place is given back, together with a thousand like it.
      events[start] = undefined
      start++
      before++
    }
    if (start > 1024 && start > events.length / 2) {
      events = events.slice(start)
      sizes = sizes.slice(start)
      start = 0
    }
  }

  return {
    push(added, addedSizes) {
      const first = added[0]
      if (!first) return
      const newest = before + events.length - start
      if (Number(first.position) !== newest + 1) restart(Number(first.position) - 1)
      for (let index = 0; index < added.length; index++) {
        events.push(added[index] as RecordedEvent)
        sizes.push(addedSizes[index] as number)
        bytes += addedSizes[index] as number
      }
      trim()
    },
    after(position, limit, most) {
      if (position < before) return undefined
      const from = start + position - before
      let end = from
      for (let taken = 0; end < events.length && end - from < limit && taken <= most; end++)
        taken += sizes[end] as number
      return events.slice(from, end) as RecordedEvent[]
    },
  }
}

/** What a subscription reads from and is woken by. */
export interface Followed {
  /** The newest events in memory, if the position is among them. */
  readonly recent: (position: number, limit: number) => readonly RecordedEvent[] | undefined
  readonly pageAfter: (position: number, limit: number) => readonly RecordedEvent[]
  readonly notifier: Notifier
  /** Milliseconds after which to look again unasked. */
  readonly pollInterval?: number
}

export async function* follow(
  { recent, pageAfter, notifier, pollInterval: interval }: Followed,
  { after, signal, batchSize = 1000 }: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  let position = asNumber(after ?? 0n)
  while (!signal.aborted) {
    const events = recent(position, batchSize) ?? pageAfter(position, batchSize)
    const last = events.at(-1)
    if (last) {
      position = Number(last.position)
      yield { events, position: last.position }
      await quietTurn()
    } else {
      await notifier.wait(signal, interval)
    }
  }
}

/** Everything after a position, from memory as far as that reaches. */
export function* eventsSince(
  recent: Followed['recent'],
  pageAfter: Followed['pageAfter'],
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
