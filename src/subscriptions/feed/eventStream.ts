import { Readable } from 'node:stream'
import { DamagedLog, StoreUnavailable } from '../../events/eventStore.ts'
import type { Feed, FeedPage, FeedSelection, ReadOptions } from './feed.ts'
import type { WorkRequest } from '../../shared/workQueue.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'

interface EventStreamOptions extends Pick<ReadOptions, 'after'> {
  readonly select: FeedSelection
  readonly reader: WorkRequest
  readonly signal: AbortSignal
  /** End of the stream in epoch milliseconds; absent: when the client leaves. */
  readonly until?: number | undefined
  /** Whether the client may still read, checked before each send and once a second; if absent, always. */
  readonly mayRead?: (() => Promise<boolean>) | undefined
  /** Interval of heartbeats in milliseconds (default 15,000). */
  readonly heartbeat?: number
  /** The JSON text of a problem, for events that cannot be read. */
  readonly problemText: (error: DamagedLog) => string
}

/** Length of one chunk; at most two or three chunks are held per client. */
const chunkSize = 64 * 1024

/** Interval in milliseconds of checking whether the client may still read. */
const checkInterval = 1000

/** Reconnection delay for browsers in milliseconds. */
const retry = 2_000

/**
 * The feed as server-sent events after a position. Nothing is read ahead for a client that does not take what was
 * sent. A heartbeat carries the position as `id`, and is sent only if the log says that nothing is missing; the stream
 * ends if the log does not answer. A damaged log ends it with an event `problem`, or rejects with {@link DamagedLog}.
 */
export const eventStream = async (feed: Feed, options: EventStreamOptions): Promise<Readable> => {
  const first = await nextPage(feed, options, options.after)
  return Readable.from(frames(feed, options, first), { objectMode: false, highWaterMark: chunkSize })
}

const nextPage = async (
  feed: Feed,
  { select, reader }: EventStreamOptions,
  after: bigint | undefined,
  upToDate = false,
): Promise<FeedPage> => feed.read({ ...(await select()), after, reader, limit: 100, maxSize: chunkSize, upToDate })

async function* frames(feed: Feed, options: EventStreamOptions, first: FeedPage): AsyncGenerator<Buffer> {
  const closeStream = feed.openStream()
  try {
    yield* events(feed, options, first)
  } catch (error) {
    // The client reconnects and gets the error then.
    if (error instanceof StoreUnavailable) return
    if (!(error instanceof DamagedLog)) throw error
    yield Buffer.from(`event: problem\ndata: ${options.problemText(error)}\n\n`)
  } finally {
    closeStream()
  }
}

async function* events(feed: Feed, options: EventStreamOptions, first: FeedPage): AsyncGenerator<Buffer> {
  const { signal, mayRead, until = Infinity, heartbeat = 15_000 } = options
  let position = options.after
  let sentPosition = position
  let sentAt = performance.now()
  yield Buffer.from(`retry: ${retry}\n: the id tells the position\n\n`)
  let next: FeedPage | undefined = first
  // A fast reader takes each chunk at once, so that the loop would never leave this turn of the event loop.
  const yieldWhenDue = makeYielder()
  while (!signal.aborted && !feed.closing.aborted && Date.now() < until) {
    const isBeatDue = performance.now() - sentAt >= heartbeat
    const page: FeedPage = next ?? (await nextPage(feed, options, position, isBeatDue))
    next = undefined
    await yieldWhenDue()
    if (mayRead !== undefined && !(await mayRead())) return
    position = page.position
    if (page.items.length > 0) {
      sentPosition = page.items.at(-1)?.event.position
      yield page.items.length === 1
        ? (page.items[0]?.frame as Buffer)
        : Buffer.concat(page.items.map((item) => item.frame))
      sentAt = performance.now()
    } else if (isBeatDue) {
      yield Buffer.from(
        position === undefined || position === sentPosition ? ': alive\n\n' : `: alive\nid: ${position}\n\n`,
      )
      sentPosition = position
      sentAt = performance.now()
    } else if (page.end) {
      const left = Math.min(heartbeat - (performance.now() - sentAt), mayRead === undefined ? Infinity : checkInterval)
      await feed.wait(position, signal, Math.min(left, until - Date.now()))
    }
  }
}
