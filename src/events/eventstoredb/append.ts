import type { Codec } from '../codec.ts'
import { AppendTooLarge, StoreFailed, type Append, type AppendOutcome, type ReadStreamOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { isBroken } from './clientErrors.ts'
import type { AppendBytes, Batch, EventBytes } from './batchAppend.ts'
import { endOf, type StoredEvent } from './ownEvents.ts'
import type { StreamNames } from './prefixedNames.ts'

export interface AppenderOptions {
  readonly batch: Batch
  readonly codec: Codec
  readonly names: StreamNames
  /** Bytes of event data. */
  readonly maxAppendBytes: number
  /** Milliseconds. */
  readonly appendTimeout: number
  readonly readStream: (stream: string, options: ReadStreamOptions) => AsyncIterable<RecordedEvent>
  /** Called with the position of each append that was written. */
  readonly written: (position: bigint) => void
  /** Called with each event that was appended alone: where it stands is what the append was answered. */
  readonly appended: (event: StoredEvent) => void
}

interface Turn {
  /** Sends at once; behind an append whose connection broke, after that has been made up for. */
  send<T>(work: () => Promise<T>): Promise<T>
  /** Makes up for an answer that was lost, when that was done for all before it. */
  recover<T>(work: () => Promise<T>): Promise<T>
}

/** Keeps the appends of one call in their order when the connection breaks. */
const makeTurns = () => {
  const ended: Promise<unknown>[] = []
  /** Appends that are being made up for, or wait for such. */
  let late = 0
  return {
    take: <T>(index: number, work: (turn: Turn) => Promise<T>): Promise<T> => {
      const before = ended[index - 1] ?? Promise.resolve()
      const after = async <R>(next: () => Promise<R>): Promise<R> => {
        late++
        try {
          await before
        } catch (error) {
          late--
          throw error
        }
        late--
        return next()
      }
      const turn: Turn = {
        send: (next) => (late === 0 ? next() : after(next)),
        recover: async (next) => {
          late++
          return before.then(next).finally(() => late--)
        },
      }
      const working = work(turn)
      ended[index] = working
      return working
    },
  }
}

/** Appends under way at the same time, over all calls. More do not make the server faster. */
const inFlight = 256

/** And of one call, so that a bulk of thousands leaves room for the others. */
const inFlightPerCall = 128

/** And at most so many bytes, over all calls; a single larger one goes alone. */
const bytesInFlight = 32 * 2 ** 20

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const makeGate = (count: number, bytes: number) => {
  let running = 0
  let size = 0
  const waiting: { bytes: number; start: () => void }[] = []
  const fits = (more: number): boolean => running === 0 || (running < count && size + more <= bytes)
  const admit = (): void => {
    for (let next = waiting[0]; next && fits(next.bytes); next = waiting[0]) {
      waiting.shift()
      running++
      size += next.bytes
      next.start()
    }
  }
  return async <T>(more: number, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((start) => {
      waiting.push({ bytes: more, start })
      admit()
    })
    try {
      return await work()
    } finally {
      running--
      size -= more
      admit()
    }
  }
}

/** Runs `work` for every item, some at a time. When one fails no further one begins, and at the end it rejects. */
const mapSome = async <T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = []
  const failures: unknown[] = []
  let next = 0
  const run = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++
      try {
        results[index] = await work(items[index] as T, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run))
  if (failures.length > 0) throw failures[0]
  return results
}

/** @returns AppendTooLarge for more than the server takes */
const encodeAppend = (
  append: Append,
  { codec, names, maxAppendBytes }: AppenderOptions,
): AppendBytes | AppendTooLarge => {
  const stream = names.theirs(append.stream)
  if (!names.areOurs(stream)) throw new RangeError(`No subscription would see the stream ${append.stream}.`)
  if (append.events.length === 0) throw new RangeError(`There is no event to append to ${append.stream}.`)
  let dataBytes = 0
  let size = 0
  const events = append.events.map((event): EventBytes => {
    const { id, type, data, metadata } = codec.encode(event)
    if (!uuid.test(id)) throw new TypeError(`The id of an event is no UUID: ${id}.`)
    const bytes = { id, type, data: Buffer.from(data), metadata: Buffer.from(metadata) }
    dataBytes += bytes.data.length
    size += bytes.data.length + bytes.metadata.length
    return bytes
  })
  if (dataBytes > maxAppendBytes) return new AppendTooLarge(maxAppendBytes)
  return { stream, expected: append.expected, events, size }
}

const tellOf = (
  { stream, events }: AppendBytes,
  { revision, position }: { revision: bigint; position: bigint },
  { written, appended }: AppenderOptions,
): void => {
  written(position)
  const [event] = events
  if (event === undefined || events.length > 1) return
  const { id, type, data, metadata } = event
  const lengths = { stream: stream.length, type: type.length, data: data.length, metadata: metadata.length }
  const end = endOf(position, lengths)
  appended({ stream, revision, position, id, type, data: data.toString(), metadata: metadata.toString(), end })
}

/** Whether the appended events stand where they were to stand: the same ids, all of them. */
const isWritten = (append: Append, found: readonly RecordedEvent[]): boolean =>
  found.length === append.events.length && found.every(({ id }, index) => id === append.events[index]?.id)

/**
 * Appends with expected revisions. A lost answer is made up for by looking into the stream, and by sending the append
 * again when it is not there: neither can double anything.
 */
export const makeAppender = (options: AppenderOptions) => {
  const { batch, appendTimeout, readStream } = options
  const gate = makeGate(inFlight, bytesInFlight)

  /** The outcome of an append as the stream shows it; `undefined` when nothing stands where it would. */
  const lookUp = async (append: Append): Promise<AppendOutcome | undefined> => {
    const from = append.expected === 'no_stream' ? 0n : append.expected + 1n
    const found = await Array.fromAsync(readStream(append.stream, { from, limit: append.events.length }))
    const last = found.at(-1)
    if (!last) return undefined
    if (isWritten(append, found)) return { ok: true, revision: last.revision, position: last.position }
    const [newest = last] = await Array.fromAsync(readStream(append.stream, { backwards: true, limit: 1 }))
    return { ok: false, actual: newest.revision }
  }

  /** Sends an append and makes up for an answer that was lost. */
  const appendOne = async (append: Append, bytes: AppendBytes, turn: Turn): Promise<AppendOutcome> => {
    const began = performance.now()
    try {
      return await turn.send(() => batch.send(bytes, appendTimeout))
    } catch (error) {
      if (error instanceof AppendTooLarge) return { ok: false, tooLarge: error }
      if (!(error instanceof StoreFailed)) throw error
      return await turn.recover(async () => {
        const found = await lookUp(append)
        if (found) return found
        const left = appendTimeout - (performance.now() - began)
        if (left <= 0 || !isBroken(error)) throw error
        return batch.send(bytes, left)
      })
    }
  }

  return async (appends: readonly Append[]): Promise<AppendOutcome[]> => {
    if (new Set(appends.map(({ stream }) => stream)).size < appends.length) {
      throw new RangeError('One call appends to the same stream twice.')
    }
    const encoded = appends.map((append) => ({ append, bytes: encodeAppend(append, options) }))
    const turns = makeTurns()
    return mapSome(encoded, inFlightPerCall, async ({ append, bytes }, index) => {
      if (bytes instanceof AppendTooLarge) return { ok: false, tooLarge: bytes }
      const outcome = await turns.take(index, (turn) => gate(bytes.size, () => appendOne(append, bytes, turn)))
      if (outcome.ok) tellOf(bytes, outcome, options)
      return outcome
    })
  }
}
