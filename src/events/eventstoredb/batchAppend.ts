import { randomUUID } from 'node:crypto'
import type { ClientDuplexStream } from '@grpc/grpc-js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { AppendTooLarge, StoreFailed, StoreUnavailable, type ExpectedRevision } from '../eventStore.ts'
import type { Connection } from './connection.ts'
import { asStoreError } from './clientErrors.ts'
import { uuidOf, uuidText } from './wire/uuid.ts'

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
  readonly size: number
}

export type Answer =
  | { readonly ok: true; readonly revision: bigint; readonly position: bigint }
  | { readonly ok: false; readonly actual: ExpectedRevision }

interface Pending {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends appends over one batch append call, and opens the next when that ends. The client's `appendToStream` is not used: its
 * batch path keeps the pending appends of all streams in one map, so a broken stream rejects appends of another that are
 * stored, and its unary path costs more than twice the processor time.
 */
export interface Batch {
  /**
   * @throws StoreUnavailable when no answer comes within `timeout` milliseconds, StoreFailed when the store fails in
   * another way: it may be written. Other errors say that it is not.
   */
  send(append: AppendBytes, timeout: number): Promise<Answer>
}

/** An append is sent in messages of about so many bytes, since the server takes no larger ones than 16 MiB. */
const messageBytes = 2 ** 20

const messageOf = (event: EventBytes) => {
  const message = new streams.BatchAppendReq.ProposedMessage()
  message.setId(uuidOf(event.id))
  message.getMetadataMap().set('type', event.type).set('content-type', 'application/json')
  message.setData(event.data)
  message.setCustomMetadata(event.metadata)
  return message
}

const optionsOf = ({ stream, expected }: AppendBytes) => {
  const options = new streams.BatchAppendReq.Options()
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream))
  options.setStreamIdentifier(identifier)
  if (expected === 'no_stream') options.setNoStream(new shared.Empty() as never)
  else options.setStreamPosition(expected.toString())
  return options
}

/** The messages of one append; the first one says where to, the last one that it is complete. */
function* requestsOf(append: AppendBytes, correlation: string) {
  const next = () => new streams.BatchAppendReq().setCorrelationId(uuidOf(correlation))
  let request = next().setOptions(optionsOf(append))
  let size = 0
  for (const event of append.events) {
    const bytes = event.data.length + event.metadata.length
    if (size > 0 && size + bytes > messageBytes) {
      yield request
      request = next()
      size = 0
    }
    request.addProposedMessages(messageOf(event))
    size += bytes
  }
  yield request.setIsFinal(true)
}

const refusalOf = (status: Status): unknown => {
  const details = status.getDetails()
  const name = details?.getTypeName().replace('event_store.client.', '')
  if (name === 'MaximumAppendSizeExceeded') {
    const limit = details?.unpack(shared.MaximumAppendSizeExceeded.deserializeBinary, details.getTypeName())
    return new AppendTooLarge(limit?.getMaxappendsize() ?? 0)
  }
  const reason = `${status.getMessage()} (${name})`
  const final = name === 'AccessDenied' || name === 'StreamDeleted' || name === 'BadRequest'
  if (final) return new StoreFailed(`The event store refuses the append: ${reason}`)
  return new StoreUnavailable(`The event store could not append: ${reason}`)
}

const conflictOf = (status: Status): Answer | undefined => {
  const details = status.getDetails()
  const name = details?.getTypeName() ?? ''
  if (!details || !name.endsWith('.WrongExpectedVersion')) return undefined
  const conflict = details.unpack(shared.WrongExpectedVersion.deserializeBinary, name)
  const exists = conflict?.hasCurrentStreamRevision() === true
  return { ok: false, actual: exists ? BigInt(conflict.getCurrentStreamRevision()) : 'no_stream' }
}

/** An answer that cannot be read is none. */
const settle = (answer: BatchAppendResp, waiting: Pending): void => {
  try {
    settleAs(answer, waiting)
  } catch (error) {
    waiting.reject(error)
  }
}

const settleAs = (answer: BatchAppendResp, { resolve, reject }: Pending): void => {
  const error = answer.getError()
  if (error) {
    const conflict = conflictOf(error)
    return conflict ? resolve(conflict) : reject(refusalOf(error))
  }
  const success = answer.getSuccess()
  const position = success?.getPosition()
  if (!success || !position) return reject(new StoreUnavailable('The event store did not say where it wrote.'))
  resolve({ ok: true, revision: BigInt(success.getCurrentRevision()), position: BigInt(position.getCommitPosition()) })
}

type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>

interface OpenCall {
  readonly call: BatchCall
  readonly pending: Map<string, Pending>
  readonly answers: () => number
}

/** @param ended is told when nothing more comes over it */
const openCall = async (connection: Connection, ended: () => void): Promise<OpenCall> => {
  const pending = new Map<string, Pending>()
  let answers = 0
  const end = (error: unknown): void => {
    ended()
    const waiting = [...pending.values()]
    pending.clear()
    for (const { reject } of waiting) reject(error)
  }
  const listenTo = (call: BatchCall): BatchCall => {
    call.on('data', (answer: BatchAppendResp) => {
      answers++
      const id = uuidText(answer.getCorrelationId())
      const waiting = pending.get(id)
      pending.delete(id)
      if (waiting) settle(answer, waiting)
    })
    call.on('error', (error: Error) =>
      end(new StoreUnavailable(`The connection to the event store broke: ${error.message}`, { cause: error })),
    )
    call.on('end', () => end(new StoreUnavailable('The event store ended the connection.', { cause: 'end' })))
    return call
  }
  const call = await connection.openCall('batchAppend', (client, ...given) => listenTo(client.batchAppend(...given)))
  return { call, pending, answers: () => answers }
}

/** @returns forgets who waits */
const sendOver = ({ call, pending }: OpenCall, append: AppendBytes, waiting: Pending): (() => void) => {
  const id = randomUUID()
  pending.set(id, waiting)
  for (const request of requestsOf(append, id)) call.write(request)
  return () => pending.delete(id)
}

const send = (opened: () => Promise<OpenCall>, append: AppendBytes, timeout: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let forget = (): void => {}
    /** A call that answers nobody is given up, so that the next append goes another way. */
    let giveUp = (): void => {}
    const finish = (): void => {
      clearTimeout(timer)
      forget()
    }
    const waiting: Pending = {
      resolve: (answer) => {
        finish()
        resolve(answer)
      },
      reject: (error) => {
        finish()
        reject(asStoreError(error))
      },
    }
    let late = false
    const timer = setTimeout(() => {
      late = true
      waiting.reject(new StoreUnavailable(`The event store did not answer an append within ${timeout} ms.`))
      giveUp()
    }, timeout)
    opened()
      .then((call) => {
        if (late) return
        const before = call.answers()
        forget = sendOver(call, append, waiting)
        giveUp = () => {
          if (call.answers() === before) call.call.cancel()
        }
      })
      .catch(waiting.reject)
  })

/**
 * The server's batch append protocol. The client's own bookkeeping, one map for the process, loses answers when a
 * connection breaks.
 */
export const makeBatch = (connection: Connection): Batch => {
  let current: Promise<OpenCall> | undefined
  const open = (): Promise<OpenCall> => {
    const forget = (): void => {
      if (current === opened) current = undefined
    }
    const opened = openCall(connection, forget)
    opened.catch(forget)
    return opened
  }
  return { send: (append, timeout) => send(() => (current ??= open()), append, timeout) }
}
