import { Readable } from 'node:stream'
import type { Feed } from './feed.ts'
import type { Match } from './filter.ts'

/** A reader of server-sent events took nothing for so long that its connection is given up; it may resume. */
export class SlowReader extends Error {
  override readonly name = 'SlowReader'
}

export interface EventStreamOptions {
  readonly after: bigint | undefined
  readonly match: Match
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
  /** When it ends, in milliseconds since the epoch; absent: when the client goes. */
  readonly until?: number | undefined
  /** Milliseconds after which a silent stream says that it lives. Default 15,000. */
  readonly heartbeat?: number
  /** Milliseconds that a reader may leave a full buffer standing. Default 60,000. */
  readonly stall?: number
}

/** Length of the texts that go into one chunk; two or three chunks are all that is ever held for a reader. */
const chunkSize = 64 * 1024

/** Where browsers try again after a lost connection, in milliseconds. */
const retry = 2_000

/**
 * The feed as server-sent events, beginning after a position. Nothing is read for a client that does not take what it
 * was sent: it goes on where it was, from the log, and one that takes nothing at all is cut with {@link SlowReader}.
 * A heartbeat carries the position as `id`, so that a client with a narrow filter resumes near where it was.
 */
export const eventStream = (feed: Feed, options: EventStreamOptions): Readable => {
  const { stall = 60_000 } = options
  const stream = Readable.from(
    watched(frames(feed, options), () => stream.destroy(new SlowReader('A reader took nothing.')), stall),
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

async function* frames(feed: Feed, options: EventStreamOptions): AsyncGenerator<Buffer> {
  const over = feed.opened()
  try {
    yield* framesOf(feed, options)
  } finally {
    over()
  }
}

async function* framesOf(
  feed: Feed,
  { match, signal, until = Infinity, ...options }: EventStreamOptions,
): AsyncGenerator<Buffer> {
  const heartbeat = options.heartbeat ?? 15_000
  let position = options.after
  let told = position
  let spoke = performance.now()
  yield Buffer.from(`retry: ${retry}\n: the id tells the position\n\n`)
  while (!signal.aborted && !feed.closing.aborted && Date.now() < until) {
    const page = await feed.read({ after: position, match, limit: 1000, maxSize: chunkSize })
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
    } else if (page.end) await feed.wait(position, signal, Math.min(left, until - Date.now()))
  }
}
