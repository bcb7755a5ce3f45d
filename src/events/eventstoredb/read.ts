import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type Position,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client'
import type { Json } from '../../shared/json.ts'
import { makeNotifier } from '../notifier.ts'
import type { Codec, ParsedEvent } from '../codec.ts'
import { StoreUnavailable, type ReadStreamOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import type { Connection } from './connection.ts'
import { NoSuchPosition, NoSuchStream, asStoreError, isBroken } from './clientErrors.ts'
import type { StreamNames } from './prefixedNames.ts'
import { reportEvents } from './wire/readMessages.ts'

export interface ReaderOptions {
  readonly connection: Connection
  readonly codec: Codec
  readonly names: StreamNames
  /** Longest time without a sign of the store, in milliseconds. */
  readonly readTimeout: number
}

/** Events that the client holds ready for one read. */
const readAhead = 256

/** Events of one page when the log is read backwards in search of ours. */
const searchPage = 500

/** How many events of others are searched. */
const searchEvents = 10 * reportEvents

const storePosition = (position: bigint): Position => ({ commit: position, prepare: position })

/** The event with its name and position in our terms; not yet decoded. */
const parsed = (event: NonNullable<ResolvedEvent['event']>, names: StreamNames): ParsedEvent => ({
  stream: names.ours(event.streamId),
  revision: event.revision,
  position: (event.position as Position).commit,
  id: event.id,
  type: event.type,
  data: event.data as Json,
  metadata: (event.metadata ?? null) as Json,
})

const begun = <T>(begin: () => T): T => {
  try {
    return begin()
  } catch (error) {
    throw asStoreError(error)
  }
}

/** What one call of the client gives, in chunks of what has arrived. Leaving the iteration ends the call. */
async function* chunksOfCall<T>(
  { connection, readTimeout }: Pick<ReaderOptions, 'connection' | 'readTimeout'>,
  begin: () => StreamingRead<T>,
): AsyncGenerator<T[], void, undefined> {
  connection.assertOpen()
  const source = begun(begin)
  let failure: { readonly error: unknown } | undefined
  const notifier = makeNotifier()
  let signs = 0
  const sign = (): void => {
    signs++
    notifier.notify()
  }
  // Stays for good: an error that comes after the iteration was left has nobody else to hear it.
  source.on('error', (error) => (failure ??= { error }))
  for (const name of ['readable', 'end', 'close', 'error']) source.on(name, sign)
  try {
    for (;;) {
      const before = signs
      const chunk: T[] = []
      for (let item = source.read() as T | null; item !== null; item = source.read() as T | null) chunk.push(item)
      if (chunk.length > 0) yield chunk
      connection.assertOpen()
      if (failure) throw failure.error
      if (chunk.length === 0 && source.readableEnded) return
      if (chunk.length > 0) continue
      await notifier.wait(connection.closing, readTimeout)
      if (signs === before) throw new StoreUnavailable(`The event store gave nothing to read for ${readTimeout} ms.`)
    }
  } catch (error) {
    throw asStoreError(error)
  } finally {
    // Read on to nowhere: the client forgets a call only when its end was read.
    source.off('readable', sign).resume()
    source.cancel().catch(() => undefined)
  }
}

/**
 * What a read gives, in chunks. The time without any is bounded; a call that breaks before the first is made again,
 * once. @throws StoreUnavailable when the read breaks or the adapter is closed
 */
async function* chunksOf<T>(...call: Parameters<typeof chunksOfCall<T>>): AsyncGenerator<T[], void, undefined> {
  let begun = false
  try {
    for await (const chunk of chunksOfCall(...call)) {
      begun = true
      yield chunk
    }
  } catch (error) {
    if (begun || !isBroken(error)) throw error
    yield* chunksOfCall(...call)
  }
}

interface Reading {
  readonly options: ReaderOptions
  readonly decode: (event: NonNullable<ResolvedEvent['event']>) => RecordedEvent
  readonly chunksOfAll: (read: Parameters<EventStoreDBClient['readAll']>[0]) => AsyncGenerator<AllStreamResolvedEvent[]>
}

async function* readStream(
  { options, decode }: Reading,
  stream: string,
  { from, backwards = false, upTo, limit }: ReadStreamOptions = {},
): AsyncGenerator<RecordedEvent, void, undefined> {
  if (limit !== undefined && limit <= 0) return
  const passesOver = backwards && upTo !== undefined
  const begin = () =>
    options.connection.client.readStream(
      options.names.theirs(stream),
      {
        direction: backwards ? BACKWARDS : FORWARDS,
        fromRevision: from ?? (backwards ? END : START),
        ...(limit === undefined || limit === Infinity || passesOver ? {} : { maxCount: limit }),
      },
      { highWaterMark: readAhead },
    )
  let left = limit ?? Infinity
  try {
    for await (const chunk of chunksOf(options, begin)) {
      for (const { event } of chunk) {
        if (!event) continue
        const read = decode(event)
        const isLater = upTo !== undefined && read.position > upTo
        if (isLater && !backwards) return
        if (!isLater) yield read
        if (!isLater && --left <= 0) return
      }
    }
  } catch (error) {
    if (!(error instanceof NoSuchStream)) throw error
  }
}

/** First event of the log, whoever's, at or after the position. */
const firstAt = async (
  { options: { names }, decode, chunksOfAll }: Reading,
  position: bigint,
): Promise<{ position: bigint; event?: RecordedEvent } | undefined> => {
  const read = { direction: FORWARDS, fromPosition: storePosition(position), maxCount: 1 } as const
  for await (const chunk of chunksOfAll(read)) {
    for (const { event } of chunk) {
      if (!event) continue
      return { position: event.position.commit, ...(names.areOurs(event.streamId) ? { event: decode(event) } : {}) }
    }
  }
  return undefined
}

/** The event of ours at exactly the position, which may be none of this server's. */
const eventAt = async (reading: Reading, position: bigint): Promise<RecordedEvent | undefined> => {
  try {
    const first = await firstAt(reading, position)
    return first?.position === position ? first.event : undefined
  } catch (error) {
    if (error instanceof NoSuchPosition) return undefined
    throw error
  }
}

/**
 * Looks from the end of the log back to the newest event of ours, not further than `floor`.
 * @returns `end`: position of the last event. `newest`: of ours; where the last are all of others, one among them, far
 * enough back for every subscription to report it
 */
const searchBack = async (
  { options: { names }, chunksOfAll }: Reading,
  floor: bigint | undefined,
): Promise<{ end?: bigint; newest?: bigint }> => {
  const found: { end?: bigint; newest?: bigint } = {}
  let middle: bigint | undefined
  let seen = 0
  for (let from: Position | typeof END = END, more = true; more && seen < searchEvents;) {
    more = false
    const maxCount: number = from === END ? 1 : searchPage
    for await (const chunk of chunksOfAll({ direction: BACKWARDS, fromPosition: from, maxCount })) {
      for (const { event } of chunk) {
        if (!event) continue
        const position = event.position.commit
        found.end ??= position
        if (floor !== undefined && position <= floor) return found
        if (names.areOurs(event.streamId)) return { ...found, newest: position }
        if (++seen === searchEvents / 2) middle = position
        from = event.position
        more = true
      }
    }
  }
  return seen >= searchEvents && middle !== undefined ? { ...found, newest: middle } : found
}

export const makeReader = (options: ReaderOptions) => {
  const { connection, codec, names } = options
  const reading: Reading = {
    options,
    decode: (event) => codec.revive(parsed(event, names)),
    chunksOfAll: (read) => chunksOf(options, () => connection.client.readAll(read, { highWaterMark: readAhead })),
  }
  return {
    readStream: (stream: string, part?: ReadStreamOptions) => readStream(reading, stream, part),
    firstAt: (position: bigint) => firstAt(reading, position),
    eventAt: (position: bigint) => eventAt(reading, position),
    searchBack: (floor: bigint | undefined) => searchBack(reading, floor),
    ping: async (): Promise<void> => {
      for await (const _ of reading.chunksOfAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })) return
    },
  }
}

export type Reader = ReturnType<typeof makeReader>
