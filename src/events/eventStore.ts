import type { AppendCondition } from './appendCondition.ts'
import type { NewEvent, RecordedEvent, TextEvent } from './events.ts'
import { NamedError } from '../shared/errors/namedError.ts'

export { StoreFailed, StoreUnavailable, UnsupportedServer } from '../stores/errors.ts'

/** `'no_stream'`: the stream must not exist yet. A bigint: its last event must have exactly this revision. */
export type ExpectedRevision = bigint | 'no_stream'

export interface Append {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly NewEvent[]
  /** Only stores that are {@link EventStore.conditional} look at it. */
  readonly condition?: AppendCondition
}

/**
 * A conflict and a wrong size are ordinary answers; all other failures throw. `brokenAt`: position of an event that
 * breaks a condition.
 */
export type AppendOutcome =
  | { readonly ok: true; readonly revision: bigint; readonly position: bigint }
  | { readonly ok: false; readonly actual: ExpectedRevision }
  | { readonly ok: false; readonly tooLarge: AppendTooLarge }
  | { readonly ok: false; readonly brokenAt: bigint }

export interface ReadStreamOptions {
  /** First revision to read: inclusive. Left out: the first event, or the last when backwards. */
  readonly from?: bigint
  readonly backwards?: boolean
  /** Only events up to this position of the log, inclusive. */
  readonly upTo?: bigint
  readonly limit?: number
}

export interface ReadAllOptions {
  readonly after?: bigint | undefined
  readonly limit?: number
}

export interface SubscribeOptions {
  readonly after?: bigint | undefined
  /** Ends the subscription: the iteration returns. */
  readonly signal: AbortSignal
  /** At most so many events in one batch (default 1,000). */
  readonly batchSize?: number
}

/** Some events in log order and how far the log has been looked through with them. */
export interface EventBatch {
  /** May be empty when the store only reports that it has looked further. */
  readonly events: readonly RecordedEvent[]
  /** Every event of ours up to and including this position has been delivered. */
  readonly position: bigint
}

/** How events come out of the log. */
export interface EventReads {
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>
  /** The event at exactly this position. Where a store keeps texts its data is parsed only when somebody looks. */
  eventAt(position: bigint): Promise<RecordedEvent | undefined>
  /** As `readAll`, in pages, parsed only when looked at; `undefined` for stores that parse anyway. */
  readonly readTextPages: ((options: ReadAllOptions) => AsyncIterable<readonly TextEvent[]>) | undefined
  subscribe(options: SubscribeOptions): AsyncIterable<EventBatch>
}

/**
 * The append-only log. Positions and revisions are `bigint` inside, decimal strings outside.
 *
 * Every adapter promises, and `test/events/eventStoreContract.ts` proves:
 * - an append is atomic per stream, durable when its promise resolves, and refused whole on a wrong revision;
 * - a repeated append (same event ids, same expected revision) answers as the first did and writes nothing;
 * - a reader never sees a gap that fills later: positions are given in the order in which they become visible;
 * - reads iterate, they never collect; a missing stream is an empty one;
 * - a subscription goes from catch-up to live without a gap or a double, and resumes by itself where the store drops
 * it;
 * - what cannot be read is never skipped: the events before it are given, and then {@link DamagedLog} is thrown;
 * - when the store cannot be reached the call rejects with {@link StoreUnavailable} in bounded time;
 * - when it fails in another way the call rejects with {@link StoreFailed}, whatever its client made of that.
 */
export interface EventStore extends EventReads {
  /** Can it make an append depend on the whole log, atomically? See {@link Append.condition}. */
  readonly conditional: boolean
  /** Do positions count the events, from 1 on and without holes? */
  readonly dense: boolean
  /** Appends to several streams, none twice, each on its own terms. Outcomes come in the order of the appends. */
  append(appends: readonly Append[]): Promise<AppendOutcome[]>
  /** The same reads for whoever passes events on. @throws DamagedLog at one that is not exactly what was written */
  readonly proven: EventReads & {
    /** The event as the log has it: of the schema version, and with the secrets sealed, that it was written with. */
    exactAt(position: bigint): Promise<RecordedEvent | undefined>
  }
  /** Revision of the stream's newest event; `undefined` where it is not known without reading that. */
  readonly revisionOf: ((stream: string) => Promise<bigint | undefined>) | undefined
  /** Position of the newest event, `undefined` in an empty log. */
  head(): Promise<bigint | undefined>
  /** Resolves when the store answers, rejects with {@link StoreUnavailable} when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Turns events into others, in their order. */
export type MapEvents = <E extends RecordedEvent>(events: readonly E[]) => Promise<readonly E[]>

/** The reads of a log, with each event turned into another. */
export const mapReads = (log: EventReads, map: MapEvents): EventReads => {
  const { readTextPages } = log
  async function* each(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    for await (const event of events) yield* await map([event])
  }
  async function* pages<E extends RecordedEvent>(read: AsyncIterable<readonly E[]>): AsyncGenerator<readonly E[]> {
    for await (const page of read) yield await map(page)
  }
  return {
    readStream: (stream, options) => each(log.readStream(stream, options)),
    readAll: (options) => each(log.readAll(options)),
    eventAt: async (position) => {
      const event = await log.eventAt(position)
      return event && (await map([event]))[0]
    },
    readTextPages: readTextPages && ((options) => pages(readTextPages(options))),
    subscribe: async function* (options) {
      for await (const batch of log.subscribe(options)) yield { ...batch, events: await map(batch.events) }
    },
  }
}

/** What the log holds cannot be read. Never skipped: the reader stops there, and only a backup can mend it. */
export class DamagedLog extends NamedError {
  override readonly name: string = 'DamagedLog'
  /** The first position that cannot be read; `undefined`: nothing can. */
  readonly position: bigint | undefined
  constructor(message: string, position: bigint | undefined, options?: ErrorOptions) {
    super(message, options)
    this.position = position
  }
}

export class MissingEvents extends DamagedLog {
  override readonly name = 'MissingEvents'
}

/** What to do about a damaged log. @param place where it is, for people */
export const howToMend = (place: string): string =>
  `Stop the service and put a backup of ${place} in place: one for which catalog audit verify finds nothing.`

/** One append is larger than the store takes. */
export class AppendTooLarge extends NamedError {
  override readonly name = 'AppendTooLarge'
  /** Largest append in bytes. */
  readonly limit: number
  constructor(limit: number) {
    super(`The change is larger than the ${limit} bytes that the event store takes at once.`)
    this.limit = limit
  }
}
