import { Readable } from 'node:stream'
import { DamagedLog } from '../../events/eventStore.ts'
import type { Feed, FeedPage, Lookup, Shown } from './feed.ts'
import type { EventMatcher } from '../../projections/activity/matching.ts'
import { NamedError } from '../../shared/errors/namedError.ts'

/** A reader of server-sent events took nothing for so long that its connection is given up; it may resume. */
export class SlowReader extends NamedError {
  override readonly name = 'SlowReader'
}

export interface EventStreamOptions {
  readonly after: bigint | undefined
  readonly match: EventMatcher
  readonly lookup?: Lookup | undefined
  /** How the client sees items; `undefined`: as they are. */
  readonly shown: Shown | undefined
  readonly signal: AbortSignal
  /** When it ends, in milliseconds since the epoch; absent: when the client goes. */
  readonly until?: number | undefined
  /** May the client still read? Asked before anything is sent, and once a second; left out: until the end. */
  readonly holds?: (() => Promise<boolean>) | undefined
  /** Milliseconds after which a silent stream says that it lives. Default 15,000. */
  readonly heartbeat?: number
  /** The JSON text of a problem, for what cannot be read. */
  readonly problemText: (error: DamagedLog) => string
  /** Milliseconds that a reader may leave a full buffer standing. Default 60,000. */
  readonly stall?: number
}

/** Length of the texts that go into one chunk; two or three chunks are all that is ever held for a reader. */
const chunkSize = 64 * 1024

/** Milliseconds between two looks at whether a client may still read. */
const lookEvery = 1000

/** Where browsers try again after a lost connection, in milliseconds. */
const retry = 2_000

/**
 * The feed as server-sent events after a position. Nothing is read for a client that does not take what it was sent;
 * one that takes nothing at all is cut with {@link SlowReader}. A heartbeat carries the position as `id`. A damaged log
 * ends the stream with an event `problem`, or rejects with {@link DamagedLog}.
 */
export const eventStream = async (feed: Feed, options: EventStreamOptions): Promise<Readable> => {
  const { stall = 60_000 } = options
  const first = await nextPage(feed, options, options.after)
  const stream = Readable.from(
    watched(frames(feed, options, first), () => stream.destroy(new SlowReader('A reader took nothing.')), stall),
    {
      objectMode: false,
      highWaterMark: chunkSize,
    },
  )
  return stream
}

/** Calls `cut` when what was given is not taken within `milliseconds`. */
async function* watched(chunks: AsyncGenerator<Buffer>, cut: () => void, milliseconds: number): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const timer = setTimeout(cut, milliseconds)
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
    }
  }
}

const nextPage = (
  feed: Feed,
  { match, lookup, shown }: Pick<EventStreamOptions, 'match' | 'lookup' | 'shown'>,
  after: bigint | undefined,
): Promise<FeedPage> => feed.read({ after, match, lookup, shown, limit: 1000, maxSize: chunkSize })

async function* frames(feed: Feed, options: EventStreamOptions, first: FeedPage): AsyncGenerator<Buffer> {
  const over = feed.opened()
  try {
    yield* events(feed, options, first)
  } catch (error) {
    if (!(error instanceof DamagedLog)) throw error
    yield Buffer.from(`event: problem\ndata: ${options.problemText(error)}\n\n`)
  } finally {
    over()
  }
}

async function* events(
  feed: Feed,
  { match, lookup, shown, signal, holds, until = Infinity, ...options }: EventStreamOptions,
  first: FeedPage,
): AsyncGenerator<Buffer> {
  const heartbeat = options.heartbeat ?? 15_000
  let position = options.after
  let told = position
  let spoke = performance.now()
  yield Buffer.from(`retry: ${retry}\n: the id tells the position\n\n`)
  let next: FeedPage | undefined = first
  while (!signal.aborted && !feed.closing.aborted && Date.now() < until) {
    const page: FeedPage = next ?? (await nextPage(feed, { match, lookup, shown }, position))
    next = undefined
    if (holds !== undefined && !(await holds())) return
    position = page.position
    if (page.items.length > 0) {
      told = page.items.at(-1)?.event.position
      yield page.items.length === 1
        ? (page.items[0]?.frame as Buffer)
        : Buffer.concat(page.items.map((item) => item.frame))
      spoke = performance.now()
      continue
    }
    const left = heartbeat - (performance.now() - spoke)
    if (left <= 0) {
      yield Buffer.from(position === undefined || position === told ? ': alive\n\n' : `: alive\nid: ${position}\n\n`)
      told = position
      spoke = performance.now()
    } else if (page.end)
      await feed.wait(position, signal, Math.min(left, until - Date.now(), holds === undefined ? Infinity : lookEvery))
  }
}
