import type { ClientReadableStream } from '@grpc/grpc-js'
import grpcStreams from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { StoreFailed, StoreUnavailable } from '../eventStore.ts'
import { asStoreError, clientErrorOf } from './clientErrors.ts'
import type { Connection } from './connection.ts'
import type { StoredEvent } from './ownEvents.ts'
import { readMessage, subscriptionRequest } from './wire/readMessages.ts'

/**
 * What a subscription tells, in the order in which the server says it. The client's `subscribeToAll` is not used: it reports
 * progress past events that a slow reader has not been given yet, so resuming from there skips them.
 */
export interface Listener {
  /** An event stands at this position; its stream is named as in the store. */
  event(position: bigint, read: () => StoredEvent): void
  /** Every event up to this position has been told. */
  reached(position: bigint): void
}

export interface SubscriptionCall {
  /** Gives an error that the port knows, or `undefined`. */
  readonly ended: Promise<unknown>
  end(reason: unknown): void
  hold(wait: boolean): void
}

/** The server told an event after it had said that it was past it: what a reader has of the log may lack events. */
export class LogOutOfOrder extends StoreFailed {
  override readonly name = 'LogOutOfOrder'
  constructor(position: bigint, reached: bigint) {
    super(
      `The event store sent the event at position ${position} after it had come to ${reached}. ` +
        'What was read may lack events: build the read models again.',
    )
  }
}

const { path, requestSerialize } = grpcStreams.StreamsService.read

/** Messages are read here: the client's own reader makes objects of all that is in them. */
const asItIs = (message: Buffer): Buffer => message

/** Tells what the messages say; throws {@link LogOutOfOrder} where a reader that trusts them would miss something. */
const makeTeller = (from: bigint | undefined, { event: tell, reached }: Listener) => {
  let last = from
  return (message: Buffer): void => {
    const { position, checkpoint, event } = readMessage(message)
    if (position !== undefined) {
      if (last !== undefined && position <= last) throw new LogOutOfOrder(position, last)
      last = position
      tell(position, event)
    }
    if (checkpoint === undefined || (last !== undefined && checkpoint <= last)) return
    last = checkpoint
    reached(checkpoint)
  }
}

/**
 * Subscribes to the events behind `from` of streams whose names match the `pattern`. Events and reports of how far the
 * log was looked through are told in one order; the client's own subscription lets reports overtake events.
 */
export const subscribe = (
  connection: Connection,
  from: bigint | undefined,
  pattern: string,
  listener: Listener,
): SubscriptionCall => {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  const tell = makeTeller(from, listener)
  let call: ClientReadableStream<Buffer> | undefined
  let over = false

  /** The rest is read to nowhere: a call is forgotten only when its end was read. */
  const release = (): void => {
    call?.resume()
    setImmediate(() => call?.cancel())
  }
  const end = (reason: unknown): void => {
    if (over) return
    over = true
    resolve(reason === undefined ? undefined : asStoreError(reason))
    release()
  }
  const take = (message: Buffer): void => {
    if (over) return
    try {
      tell(message)
    } catch (error) {
      end(error)
    }
  }
  const opening = connection.openCall('subscribeToAll', (client, ...given) => {
    const request = subscriptionRequest(from, pattern)
    const opened = client.makeServerStreamRequest(path, requestSerialize, asItIs, request, ...given)
    opened.on('data', take)
    opened.on('error', (error: Error) => end(clientErrorOf(error)))
    opened.on('end', () => end(new StoreUnavailable('The event store ended the subscription.')))
    return opened
  })
  opening.then((opened) => {
    call = opened
    if (over) release()
  }, end)
  const hold = (wait: boolean): void => {
    if (over || !call || wait === call.isPaused()) return
    if (wait) call.pause()
    else call.resume()
  }
  return { ended, end, hold }
}
