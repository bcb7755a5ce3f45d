import type { Codec } from '../codec.ts'
import {
  AppendTooLarge,
  StoreFailed,
  StoreUnavailable,
  type Append,
  type AppendOutcome,
  type ReadStreamOptions,
} from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import type { AppendBytes, AppendBatch, EventBytes } from './batchAppend.ts'
import type { StreamNames } from './prefixedNames.ts'
import { isConnectionLoss } from './storeErrors.ts'

interface AppenderOptions {
  readonly batch: AppendBatch
  readonly codec: Codec
  readonly names: StreamNames
  /** Bytes of event data. */
  readonly maxAppendBytes: number
  /** Milliseconds. */
  readonly appendTimeout: number
  readonly readStream: (stream: string, options: ReadStreamOptions) => AsyncIterable<RecordedEvent>
  /** Called with the position of each append that was written. */
  readonly onWritten: (position: bigint) => void
}

interface Turn {
  /** Sends at once, or after the recovery of an earlier append whose connection broke. */
  send<T>(work: () => Promise<T>): Promise<T>
  /** Recovers a lost answer, after all earlier recoveries. */
  recover<T>(work: () => Promise<T>): Promise<T>
}

/** Preserves the order of a call's appends when the connection breaks. */
const makeTurns = () => {
  const ended: Promise<unknown>[] = []
  /** Appends in recovery or waiting for one. */
  let late = 0
  return {
    take: <T>(index: number, work: (turn: Turn) => Promise<T>): Promise<T> => {
      const before = ended[index - 1] ?? Promise.resolve()
      const after = async <R>(next: () => Promise<R>): Promise<R> => {
        late++
        await before.finally(() => late--)
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

/** Largest number of concurrent appends over all calls. More do not make the server faster. */
const inFlight = 256

/** Largest number for one call, so that a bulk of thousands leaves room for others. */
const inFlightPerCall = 128

/** Largest number of bytes over all calls; a single larger append is sent alone. */
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

/** @returns AppendTooLarge beyond the server's limit */
const encodeAppend = (
  append: Append,
  { codec, names, maxAppendBytes }: AppenderOptions,
): AppendBytes | AppendTooLarge => {
  const stream = names.storeNameOf(append.stream)
  if (!names.isLocal(stream)) throw new RangeError(`No subscription would see the stream ${append.stream}.`)
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

const isWritten = (append: Append, found: readonly RecordedEvent[]): boolean =>
  found.length === append.events.length && found.every(({ id }, index) => id === append.events[index]?.id)

/** The outcome of an append according to the stream; `undefined` if its place is still free. */
const recoverOutcome = async (append: Append, { readStream }: AppenderOptions): Promise<AppendOutcome | undefined> => {
  const from = append.expected === 'no_stream' ? 0n : append.expected + 1n
  const found = await Array.fromAsync(readStream(append.stream, { from, limit: append.events.length }))
  const last = found.at(-1)
  if (!last) return undefined
  if (isWritten(append, found)) return { ok: true, revision: last.revision, position: last.position }
  const [newest = last] = await Array.fromAsync(readStream(append.stream, { backwards: true, limit: 1 }))
  return { ok: false, actual: newest.revision }
}

const appendOne = async (
  append: Append,
  bytes: AppendBytes,
  turn: Turn,
  options: AppenderOptions,
): Promise<AppendOutcome> => {
  const { batch, appendTimeout } = options
  const began = performance.now()
  try {
    return await turn.send(() => batch.send(bytes, appendTimeout))
  } catch (error) {
    if (error instanceof AppendTooLarge) return { ok: false, tooLarge: error }
    if (!(error instanceof StoreFailed)) throw error
    return await turn.recover(async () => {
      const found = await recoverOutcome(append, options)
      if (found) return found
      const left = appendTimeout - (performance.now() - began)
      if (left <= 0 || !isConnectionLoss(error)) throw error
      return batch.send(bytes, left)
    })
  }
}

/**
 * Appends with expected revisions. After a lost answer it reads the stream, and repeats the append if it is not there:
 * neither can write twice.
 */
export const makeAppender = (options: AppenderOptions) => {
  const gate = makeGate(inFlight, bytesInFlight)
  return async (appends: readonly Append[]): Promise<AppendOutcome[]> => {
    if (new Set(appends.map(({ stream }) => stream)).size < appends.length) {
      throw new RangeError('One call appends to the same stream twice.')
    }
    const encoded = appends.map((append) => ({ append, bytes: encodeAppend(append, options) }))
    const [turns, ownGate] = [makeTurns(), makeGate(inFlightPerCall, Infinity)]
    let failed = false
    const appendInTurn = async (append: Append, bytes: AppendBytes, index: number): Promise<AppendOutcome> => {
      // Appends after a failed one are not started; the call fails.
      if (failed) throw new StoreUnavailable('An append before this one failed.')
      try {
        const outcome = await turns.take(index, (turn) =>
          gate(bytes.size, () => appendOne(append, bytes, turn, options)),
        )
        if (outcome.ok) options.onWritten(outcome.position)
        return outcome
      } catch (error) {
        failed = true
        throw error
      }
    }
    const outcomes = await Promise.allSettled(
      encoded.map(async ({ append, bytes }, index): Promise<AppendOutcome> => {
        if (bytes instanceof AppendTooLarge) return { ok: false, tooLarge: bytes }
        return ownGate(bytes.size, () => appendInTurn(append, bytes, index))
      }),
    )
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    })
  }
}
