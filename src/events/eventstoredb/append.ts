import type { Codec } from '../codec.ts'
import { AppendTooLarge, StoreFailed, type Append, type AppendOutcome, type ReadStreamOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { chunksOf } from '../../shared/bounds.ts'
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

/** Number of appends of one call that are sent at a time. More do not make the server faster. */
const sentTogether = 128

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** @returns AppendTooLarge beyond the server's limit */
const encodeAppend = (
  append: Append,
  { codec, names, maxAppendBytes }: AppenderOptions,
): AppendBytes | AppendTooLarge => {
  const stream = names.storeNameOf(append.stream)
  if (!names.isLocal(stream)) throw new RangeError(`No subscription would see the stream ${append.stream}.`)
  if (append.events.length === 0) throw new RangeError(`There is no event to append to ${append.stream}.`)
  let dataBytes = 0
  const events = append.events.map((event): EventBytes => {
    const { id, type, data, metadata } = codec.encode(event)
    if (!uuid.test(id)) throw new TypeError(`The id of an event is not a UUID: ${id}.`)
    const bytes = { id, type, data: Buffer.from(data), metadata: Buffer.from(metadata) }
    dataBytes += bytes.data.length
    return bytes
  })
  if (dataBytes > maxAppendBytes) return new AppendTooLarge(maxAppendBytes)
  return { stream, expected: append.expected, events }
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

interface Encoded {
  readonly append: Append
  readonly bytes: AppendBytes | AppendTooLarge
}

/** Why an answer was lost, and when its append was sent. */
interface LostAnswer {
  readonly error: StoreFailed
  readonly began: number
}

/** The outcome of an append whose answer was lost. One that was not written, since its connection broke, is sent again. */
const recover = async ({ append, bytes }: Encoded, { error, began }: LostAnswer, options: AppenderOptions) => {
  const found = await recoverOutcome(append, options)
  if (found) return found
  const left = options.appendTimeout - (performance.now() - began)
  if (left <= 0 || !isConnectionLoss(error)) throw error
  return options.batch.send(bytes as AppendBytes, left)
}

/**
 * Appends with expected revisions. After a lost answer it reads the stream, and repeats the append if it is not there:
 * neither can write twice. Further appends of a call are sent when the outcomes of those before them are known.
 */
export const makeAppender = (options: AppenderOptions) => {
  const { batch, appendTimeout, onWritten } = options
  const send = async ({ bytes }: Encoded): Promise<AppendOutcome | LostAnswer> => {
    if (bytes instanceof AppendTooLarge) return { ok: false, tooLarge: bytes }
    const began = performance.now()
    try {
      return await batch.send(bytes, appendTimeout)
    } catch (error) {
      if (error instanceof AppendTooLarge) return { ok: false, tooLarge: error }
      if (!(error instanceof StoreFailed)) throw error
      return { error, began }
    }
  }
  return async (appends: readonly Append[]): Promise<AppendOutcome[]> => {
    if (new Set(appends.map(({ stream }) => stream)).size < appends.length)
      throw new RangeError('One call appends to the same stream twice.')
    const encoded = appends.map((append) => ({ append, bytes: encodeAppend(append, options) }))
    const outcomes: AppendOutcome[] = []
    for (const some of chunksOf(encoded, sentTogether))
      for (const [at, each] of (await Promise.all(some.map(send))).entries()) {
        const outcome = 'ok' in each ? each : await recover(some[at] as Encoded, each, options)
        if (outcome.ok) onWritten(outcome.position)
        outcomes.push(outcome)
      }
    return outcomes
  }
}
