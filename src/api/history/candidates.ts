import type { RecordedEvent } from '../../events/events.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { chunksOf } from '../../shared/chunks.ts'
import type { FeedFilter } from '../../subscriptions/feed/filter.ts'
import type { Lookup } from '../../subscriptions/feed/feed.ts'

type Log = Pick<EventStore, 'readStream' | 'eventAt'>

/** Events of a stream among which everything stands that matches, in their order. */
export interface Candidates {
  readonly events: AsyncIterable<RecordedEvent>
  /** They go up to this revision, and the stream goes on; `undefined`: there are no more. */
  readonly upTo: bigint | undefined
}

export interface Asked {
  readonly stream: string
  /** Revision, inclusive. */
  readonly from: bigint
  readonly filter: Pick<FeedFilter, 'since' | 'until'>
  /** Of events that match; one more is found. */
  readonly limit: number
  /** Finds what matches along an index; `undefined`: the filter has none. */
  readonly lookup: Lookup | undefined
  /** So many events are read sooner than anything is looked up (default 1,000). */
  readonly few?: number
  /** Events that a page looks through (default 20,000). */
  readonly lookThrough?: number
}

/** Default of `few`. */
const sooner = 1_000

/** Clocks of several processes on one log may differ by so much, in milliseconds. */
const skew = 60_000

/** Events that are read side by side where an index told their places. */
const readAtOnce = 50

const eventOf = async (log: Log, stream: string, from: bigint): Promise<RecordedEvent | undefined> => {
  for await (const event of log.readStream(stream, { from, limit: 1 })) return event
  return undefined
}

const newestOf = async (log: Log, stream: string): Promise<RecordedEvent | undefined> => {
  for await (const event of log.readStream(stream, { backwards: true, limit: 1 })) return event
  return undefined
}

/** The first revision from the first up to and without the last whose event is late enough; else the last. */
const firstWhere = async (
  read: (revision: bigint) => Promise<RecordedEvent | undefined>,
  [first, last]: readonly [bigint, bigint],
  isLate: (event: RecordedEvent) => boolean,
): Promise<bigint> => {
  let [low, high] = [first, last]
  while (low < high) {
    const middle = (low + high) / 2n
    const event = await read(middle)
    if (event === undefined || isLate(event)) high = middle
    else low = middle + 1n
  }
  return low
}

const timeOf = ({ metadata }: RecordedEvent): number => Date.parse(metadata.time)

/** Finds where in a stream to look for events that match a filter, without reading all of a long one. */
export const findCandidates = async (log: Log, asked: Asked): Promise<Candidates> => {
  const { stream, filter, few = sooner } = asked
  const newest = await newestOf(log, stream)
  const end = (newest?.revision ?? -1n) + 1n
  if (newest === undefined || end - asked.from <= few) return walk(log, asked, [asked.from, end])
  const read = (revision: bigint) => eventOf(log, stream, revision)
  const { since, until } = filter
  const from =
    since === undefined
      ? asked.from
      : await firstWhere(read, [asked.from, end], (event) => timeOf(event) >= since - skew)
  const to = until === undefined ? end : await firstWhere(read, [from, end], (event) => timeOf(event) > until + skew)
  const first = to - from > few ? await read(from) : undefined
  const indexed = first && (await alongIndex(log, asked, { first, newest, read }))
  return indexed ?? walk(log, asked, [from, to])
}

const walk = (log: Log, { stream, lookThrough = 20_000 }: Asked, [from, to]: readonly [bigint, bigint]): Candidates => {
  const rest = to > from ? Number(to - from) : 0
  const limit = Math.min(rest, lookThrough)
  return {
    events: log.readStream(stream, { from, limit }),
    upTo: limit < rest ? from + BigInt(limit) - 1n : undefined,
  }
}

interface Known {
  /** The first event that may match. */
  readonly first: RecordedEvent
  readonly newest: RecordedEvent
  readonly read: (revision: bigint) => Promise<RecordedEvent | undefined>
}

/** `undefined`: no index knows what comes next. */
const alongIndex = async (
  log: Log,
  { lookup, limit, few = sooner }: Asked,
  { first, newest, read }: Known,
): Promise<Candidates | undefined> => {
  const found = await lookup?.(first.position - 1n, limit + 1)
  if (found === undefined || found.reached < first.position) return undefined
  const { positions, reached } = found
  const events = eventsAt(log, positions)
  if (reached >= newest.position) return { events, upTo: undefined }
  const after = await firstWhere(read, [first.revision, newest.revision + 1n], ({ position }) => position > reached)
  // What is common elsewhere and rare here is found sooner by reading all that is here.
  if (positions.length <= limit && after - first.revision <= few) return undefined
  return { events, upTo: after - 1n }
}

async function* eventsAt(log: Log, positions: readonly bigint[]): AsyncGenerator<RecordedEvent> {
  for (const chunk of chunksOf(positions, readAtOnce))
    for (const event of await Promise.all(chunk.map((position) => log.eventAt(position)))) if (event) yield event
}
