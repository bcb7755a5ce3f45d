import type { AppendCondition } from './appendCondition.ts'
import type { NewEvent, RecordedEvent } from './events.ts'
import { CatalogError } from '../shared/errors/namedError.ts'

export { StoreFailed, StoreUnavailable, UnsupportedServer } from '../stores/errors.ts'

/** `'no_stream'`: the stream must not exist yet. A bigint: its last event must have exactly this revision. */
export type ExpectedRevision = bigint | 'no_stream'

export interface Append {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly NewEvent[]
  /** Checked only by stores that are {@link EventStore.conditional}. */
  readonly condition?: AppendCondition
}

/**
 * A conflict and an excessive size are ordinary results; all other failures throw. `brokenAt`: position of an event
 * that breaks the condition.
 */
export type AppendOutcome =
  | { readonly ok: true; readonly revision: bigint; readonly position: bigint }
  | { readonly ok: false; readonly actual: ExpectedRevision }
  | { readonly ok: false; readonly tooLarge: AppendTooLarge }
  | { readonly ok: false; readonly brokenAt: bigint }

export interface ReadStreamOptions {
  /** First revision to read, inclusive. Default: the first event, or the last one when reading backwards. */
  readonly from?: bigint
  readonly backwards?: boolean
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
  /** Largest number of events in one batch (default 1,000). */
  readonly batchSize?: number | undefined
}

/** Events in log order, and the position up to which the log was read. */
export interface EventBatch {
  /** May be empty if the store only reports progress. */
  readonly events: readonly RecordedEvent[]
  /** All events of this catalog up to and including this position were delivered. */
  readonly position: bigint
}

export interface EventReads {
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>
  /** The event at exactly this position. */
  eventAt(position: bigint): Promise<RecordedEvent | undefined>
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
  /** Whether the store checks append conditions atomically. See {@link Append.condition}. */
  readonly conditional: boolean
  /** Whether positions number the events from 1 without gaps. */
  readonly dense: boolean
  /** Appends to several distinct streams, each independently. Outcomes have the order of the appends. */
  append(appends: readonly Append[]): Promise<AppendOutcome[]>
  /**
   * Verified reads, for events passed on to others. @throws DamagedLog at an event that is not exactly what was written
   */
  readonly proven: EventReads & {
    /** The event exactly as stored: in its own schema version and with its secrets encrypted. */
    exactAt(position: bigint): Promise<RecordedEvent | undefined>
  }
  /** Revision of the stream's newest event; `undefined` if there is no such stream. */
  revisionOf(stream: string): Promise<bigint | undefined>
  /** The first event, which tells one log from another; `undefined` in an empty log. */
  first(): Promise<RecordedEvent | undefined>
  /** Position of the newest event, `undefined` in an empty log. */
  head(): Promise<bigint | undefined>
  /** Resolves when the store answers and takes writes. @throws StoreUnavailable, DamagedLog when it does not */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Turns events into others, in their order. */
export type MapEvents = (events: readonly RecordedEvent[]) => Promise<readonly RecordedEvent[]>

/** Whether the data of an event can be read: at a position alone an event is given also without. */
const hasData = (event: RecordedEvent): boolean => {
  try {
    return event.data !== undefined
  } catch (error) {
    if (error instanceof DamagedLog) return false
    throw error
  }
}

/** The reads of a log, with each event turned into another, unless its data cannot be read. */
export const mapReads = (log: EventReads, map: MapEvents): EventReads => {
  async function* each(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    for await (const event of events) yield* await map([event])
  }
  return {
    readStream: (stream, options) => each(log.readStream(stream, options)),
    readAll: (options) => each(log.readAll(options)),
    eventAt: async (position) => {
      const event = await log.eventAt(position)
      return event && hasData(event) ? (await map([event]))[0] : event
    },
    subscribe: async function* (options) {
      for await (const batch of log.subscribe(options)) yield { ...batch, events: await map(batch.events) }
    },
  }
}

/** A part of the log cannot be read. It is never skipped: the reader stops there, and only a backup can repair it. */
export class DamagedLog extends CatalogError {
  override readonly name: string = 'DamagedLog'
  /** The first unreadable position; `undefined` if nothing can be read. */
  readonly position: bigint | undefined
  constructor(message: string, position: bigint | undefined, options?: ErrorOptions) {
    super(message, options)
    this.position = position
  }
}

export class MissingEvents extends DamagedLog {
  override readonly name = 'MissingEvents'
}

/** Advice about a damaged log. @param place where the log is, for people */
export const repairAdvice = (place: string): string =>
  `Stop the service and put a backup of ${place} in place: one for which catalog audit verify finds nothing.`

export class AppendTooLarge extends CatalogError {
  override readonly name = 'AppendTooLarge'
  /** Largest append in bytes. */
  readonly limit: number
  constructor(limit: number) {
    super(`The change is larger than the ${limit} bytes that the event store takes at once.`)
    this.limit = limit
  }
}
