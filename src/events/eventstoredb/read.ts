import { makeNotifier } from '../logTail.ts'
import type { Codec } from '../codec.ts'
import { StoreUnavailable, type ReadStreamOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { type Connection, openRead } from './connection.ts'
import type { StreamNames } from './prefixedNames.ts'
import { bigintOf, bitsOf, rawEventOf, type LogReadRequest, type RecordedMessage } from './protocol.ts'
import { MissingPosition, isConnectionLoss } from './storeErrors.ts'

export interface ReaderOptions {
  readonly connection: Connection
  readonly codec: Codec
  readonly names: StreamNames
  /** Longest silence of the store in milliseconds. */
  readonly readTimeout: number
}

/** Number of events prefetched for one read. */
const readAhead = 256

/** Number of events of others after which a subscription reports its position. */
const reportEvents = 500

/** Page size when the log is searched backwards for events of this catalog. */
const searchPage = 500

/** Number of events of others to search. */
const searchEvents = 10 * reportEvents

const unbounded = Number.MAX_SAFE_INTEGER

const uuidOption = { string: {} } as const

/** Start of a read: a position, inclusive forwards and exclusive backwards. */
type Place = bigint | 'start' | 'end'

const placeOf = (place: Place): LogReadRequest['options']['all'] =>
  typeof place === 'bigint'
    ? { position: { commitPosition: bitsOf(place), preparePosition: bitsOf(place) } }
    : { [place]: {} }

const requestOf = (
  source: Pick<LogReadRequest['options'], 'stream' | 'all'>,
  backwards: boolean,
  count: number,
): LogReadRequest => ({ options: { ...source, readDirection: backwards ? 1 : 0, count, noFilter: {}, uuidOption } })

const streamRequest = (name: string, { from, backwards = false }: ReadStreamOptions, count: number): LogReadRequest => {
  const place = from === undefined ? { [backwards ? 'end' : 'start']: {} } : { revision: bitsOf(from) }
  return requestOf({ stream: { streamIdentifier: { streamName: Buffer.from(name) }, ...place } }, backwards, count)
}

/** The request for a subscription after `from` to streams whose names match a regular expression. */
export const subscriptionRequest = (from: bigint | undefined, regex: string): LogReadRequest => {
  const filter = { streamIdentifier: { regex }, max: reportEvents, checkpointIntervalMultiplier: 1 }
  return { options: { all: placeOf(from ?? 'start'), subscription: {}, filter, uuidOption } }
}

/** The results of one call. Leaving the iteration ends the call. */
async function* eventsOfCall(
  { connection, readTimeout }: Pick<ReaderOptions, 'connection' | 'readTimeout'>,
  request: LogReadRequest,
): AsyncGenerator<RecordedMessage, void, undefined> {
  connection.assertOpen()
  const notifier = makeNotifier()
  let received: RecordedMessage[] = []
  let ending: { readonly reason: unknown } | undefined
  const call = openRead(connection, request, ({ event }) => {
    if (event?.event) received.push(event.event)
    if (received.length >= readAhead) call.setPaused(true)
    notifier.notify()
  })
  void call.ended.then((reason) => {
    ending = { reason }
    notifier.notify()
  })
  const over = (): typeof ending => ending
  try {
    for (;;) {
      const arrived = received
      received = []
      call.setPaused(false)
      yield* arrived
      connection.assertOpen()
      if (arrived.length + received.length > 0) continue
      const ended = over()
      if (ended?.reason !== undefined) throw ended.reason
      if (ended) return
      const isNotified = await notifier.wait(connection.closing, readTimeout)
      connection.assertOpen()
      if (!isNotified) throw new StoreUnavailable(`The event store gave nothing to read for ${readTimeout} ms.`)
    }
  } finally {
    call.end()
  }
}

/**
 * The results of a read. Silence is bounded; a call that breaks before the first result is repeated once.
 * @throws StoreUnavailable when the read breaks or the adapter is closed
 */
async function* eventsOf(...call: Parameters<typeof eventsOfCall>): ReturnType<typeof eventsOfCall> {
  let begun = false
  try {
    for await (const event of eventsOfCall(...call)) {
      begun = true
      yield event
    }
  } catch (error) {
    if (begun || !isConnectionLoss(error)) throw error
    yield* eventsOfCall(...call)
  }
}

/**
 * Searches backwards from the end of the log for the newest event of this catalog, down to `floor`.
 * @returns `end`: position of the last event. `newest`: of this catalog; if the last events are all of others, one of
 * them that every subscription reports
 */
const searchBack = async (
  eventsBefore: (from: Place, count: number) => AsyncIterable<RecordedMessage>,
  isOurs: (message: RecordedMessage) => boolean,
  floor: bigint | undefined,
): Promise<{ end?: bigint; newest?: bigint }> => {
  const found: { end?: bigint; newest?: bigint } = {}
  let middle: bigint | undefined
  let seen = 0
  for (let from: Place = 'end', more = true; more && seen < searchEvents;) {
    more = false
    for await (const message of eventsBefore(from, from === 'end' ? 1 : searchPage)) {
      const position = bigintOf(message.commitPosition)
      found.end ??= position
      if (floor !== undefined && position <= floor) return found
      if (isOurs(message)) return { ...found, newest: position }
      if (++seen === searchEvents / 2) middle = position
      from = position
      more = true
    }
  }
  return seen >= searchEvents && middle !== undefined ? { ...found, newest: middle } : found
}

export const makeReader = (options: ReaderOptions) => {
  const { codec, names } = options
  const isOurs = ({ streamIdentifier }: RecordedMessage): boolean =>
    names.isLocal(streamIdentifier.streamName.toString())
  const decode = (event: RecordedMessage): RecordedEvent => {
    const raw = rawEventOf(event)
    return codec.decode({ ...raw, stream: names.localNameOf(raw.stream) })
  }
  const eventsOfStream = (stream: string, part: ReadStreamOptions, count: number) =>
    eventsOf(options, streamRequest(names.storeNameOf(stream), part, count))
  const eventsOfAll = (from: Place, backwards: boolean, count: number) =>
    eventsOf(options, requestOf({ all: placeOf(from) }, backwards, count))

  async function* readStream(stream: string, part: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent> {
    const count = Math.min(part.limit ?? unbounded, unbounded)
    if (count > 0) for await (const message of eventsOfStream(stream, part, count)) yield decode(message)
  }

  /** The first event of the log at or after the position, including those of others. */
  const firstAt = async (from: bigint): Promise<{ position: bigint; event?: RecordedEvent } | undefined> => {
    for await (const message of eventsOfAll(from, false, 1)) {
      const position = bigintOf(message.commitPosition)
      return isOurs(message) ? { position, event: decode(message) } : { position }
    }
    return undefined
  }

  /** The event of this catalog at exactly the position, which may not exist on this server. */
  const eventAt = async (position: bigint): Promise<RecordedEvent | undefined> => {
    try {
      const first = await firstAt(position)
      return first?.position === position ? first.event : undefined
    } catch (error) {
      if (error instanceof MissingPosition) return undefined
      throw error
    }
  }

  /** Revision of a stream's newest event; `undefined` if there is no such stream. */
  const revisionOf = async (stream: string): Promise<bigint | undefined> => {
    for await (const { streamRevision } of eventsOfStream(stream, { backwards: true }, 1))
      return bigintOf(streamRevision)
    return undefined
  }

  return {
    readStream,
    firstAt,
    eventAt,
    revisionOf,
    searchBack: (floor: bigint | undefined) =>
      searchBack((from, count) => eventsOfAll(from, true, count), isOurs, floor),
    ping: async (): Promise<void> => {
      for await (const _ of eventsOfAll('end', true, 1)) return
    },
  }
}

export type Reader = ReturnType<typeof makeReader>
