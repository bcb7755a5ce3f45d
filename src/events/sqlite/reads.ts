import type { EventStore, ReadStreamOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { yieldToEventLoop } from '../../shared/yieldToEventLoop.ts'
import type { SqliteLog, TableReads } from './eventTable.ts'

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
