import type { ClientDuplexStream } from '@grpc/grpc-js'
import {
  AppendTooLarge,
  StoreFailed,
  StoreUnavailable,
  type AppendOutcome,
  type ExpectedRevision,
} from '../eventStore.ts'
import type { Connection } from './connection.ts'
import {
  bigintOf,
  bitsOf,
  detailsOf,
  methods,
  type BatchAppendAnswer,
  type BatchAppendRequest,
  type Bits,
  type AppendStatus,
} from './protocol.ts'
import { asEventStoreError, withTimeout } from './storeErrors.ts'

export interface EventBytes {
  readonly id: string
  readonly type: string
  readonly data: Buffer
  readonly metadata: Buffer
}

export interface AppendBytes {
  /** Name in the store. */
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly EventBytes[]
}

interface Pending {
  readonly resolve: (answer: AppendOutcome) => void
  readonly reject: (error: unknown) => void
}

/** Approximate size of one message in bytes; the server accepts up to 16 MiB. */
const messageBytes = 2 ** 20

const optionsOf = ({ stream, expected }: AppendBytes): BatchAppendRequest['options'] => ({
  streamIdentifier: { streamName: Buffer.from(stream) },
  ...(expected === 'no_stream' ? { noStream: {} } : { streamPosition: bitsOf(expected) }),
})

const proposed = ({ id, type, data, metadata }: EventBytes): BatchAppendRequest['proposedMessages'][number] => ({
  id: { string: id },
  metadata: { type, 'content-type': 'application/json' },
  customMetadata: metadata,
  data,
})

/** The messages of one append: the first has the stream, the last marks the end. */
const requestsOf = (append: AppendBytes, number: number): BatchAppendRequest[] => {
  const parts: EventBytes[][] = []
  let size = Infinity
  for (const event of append.events) {
    const bytes = event.data.length + event.metadata.length
    if (size + bytes > messageBytes) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(event)
    size += bytes
  }
  return parts.map((events, index) => ({
    correlationId: { structured: { mostSignificantBits: 0, leastSignificantBits: number } },
    ...(index === 0 && { options: optionsOf(append) }),
    proposedMessages: events.map(proposed),
    isFinal: index === parts.length - 1,
  }))
}

/** Maps an error status to a result. @throws the port's error if it is not one */
const answerOf = (error: AppendStatus): AppendOutcome => {
  const { name, members } = detailsOf(error)
  if (name === 'WrongExpectedVersion') {
    const revision = members['currentStreamRevision'] as Bits | undefined
    return { ok: false, actual: revision ? bigintOf(revision) : 'no_stream' }
  }
  if (name === 'MaximumAppendSizeExceeded') throw new AppendTooLarge((members['maxAppendSize'] as number) ?? 0)
  const reason = `${error.message} (${name})`
  if (name === 'AccessDenied' || name === 'StreamDeleted' || name === 'BadRequest')
    throw new StoreFailed(`The event store refuses the append: ${reason}`)
  throw new StoreUnavailable(`The event store could not append: ${reason}`)
}

/** Resolves or rejects a pending append with its answer. */
const settle = ({ error, success }: BatchAppendAnswer, { resolve, reject }: Pending): void => {
  try {
    if (error) resolve(answerOf(error))
    else if (success?.position)
      resolve({
        ok: true,
        revision: bigintOf(success.currentRevision),
        position: bigintOf(success.position.commitPosition),
      })
    else reject(new StoreFailed('The event store did not say where it appended.'))
  } catch (failure) {
    reject(failure)
  }
}

interface OpenCall {
  readonly call: ClientDuplexStream<BatchAppendRequest, BatchAppendAnswer>
  /** Pending appends by number. */
  readonly pending: Map<number, Pending>
  /** Numbers of sent appends and of answers. */
  sent: number
  answered: number
}

const openCall = async (connection: Connection, ended: () => void): Promise<OpenCall> => {
  const call = await connection.duplex(methods.batchAppend)
  const opened: OpenCall = { call, pending: new Map(), sent: 0, answered: 0 }
  const { pending } = opened
  const end = (error: Error): void => {
    ended()
    const all = [...pending.values()]
    pending.clear()
    for (const { reject } of all) reject(error)
  }
  call.on('data', (answer: BatchAppendAnswer) => {
    opened.answered++
    const number = (answer.correlationId.structured?.leastSignificantBits.low ?? 0) >>> 0
    const waiting = pending.get(number)
    pending.delete(number)
    if (waiting) settle(answer, waiting)
  })
  call.on('error', (error: Error) => end(asEventStoreError(error)))
  call.on('end', () => end(new StoreUnavailable('The event store ended the connection.', { cause: 'end' })))
  return opened
}

const send = async (opened: OpenCall, append: AppendBytes, timeout: number): Promise<AppendOutcome> => {
  const { promise, resolve, reject } = Promise.withResolvers<AppendOutcome>()
  const number = ++opened.sent
  const { answered } = opened
  const timer = setTimeout(() => {
    opened.pending.delete(number)
    reject(new StoreUnavailable(`The event store did not answer an append within ${timeout} ms.`))
    // A call without any answer is cancelled, so that the next append opens another.
    if (opened.answered === answered) opened.call.cancel()
  }, timeout)
  opened.pending.set(number, { resolve, reject })
  try {
    for (const request of requestsOf(append, number)) opened.call.write(request)
    return await promise
  } finally {
    clearTimeout(timer)
    opened.pending.delete(number)
  }
}

/** Sends appends over one batch append call; reopens it when it ends. */
export const makeBatch = (connection: Connection) => {
  let current: Promise<OpenCall> | undefined
  const open = (): Promise<OpenCall> => {
    const forget = (): void => {
      if (current === opening) current = undefined
    }
    const opening = openCall(connection, forget)
    opening.catch(forget)
    return opening
  }
  return {
    /**
     * @throws StoreUnavailable when no answer arrives within `timeout` milliseconds; StoreFailed for other failures of
     * the store: the append may have been written. After any other error it was not.
     */
    send: async (append: AppendBytes, timeout: number): Promise<AppendOutcome> => {
      const began = performance.now()
      try {
        const opened = await withTimeout(timeout, 'an append', (current ??= open()))
        return await send(opened, append, timeout - (performance.now() - began))
      } catch (error) {
        throw asEventStoreError(error)
      }
    },
  }
}

export type AppendBatch = ReturnType<typeof makeBatch>
