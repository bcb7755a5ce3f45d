import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { backoff, sleep, type Backoff } from '../../shared/backOff.ts'
import { makeNotifier } from '../logTail.ts'
import {
  StoreFailed,
  StoreUnavailable,
  type EventBatch,
  type ReadAllOptions,
  type SubscribeOptions,
} from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { makeQueue, type Queue } from './boundedQueue.ts'
import { bigintOf, rawEventOf, type ReadAnswer } from './protocol.ts'
import { subscriptionRequest, type Reader, type ReaderOptions } from './read.ts'
import { MissingPosition, isDropped } from './storeErrors.ts'
import { openRead, type ReadCall } from './connection.ts'

export interface SubscriptionOptions extends ReaderOptions {
  readonly reader: Pick<Reader, 'firstAt'>
  readonly head: () => Promise<bigint | undefined>
  /** Milliseconds of silence after which the subscription is checked for missed events. */
  readonly quietCheck: number
  /** Called with the range of the log that was read, and the position of the newest event of this catalog in it. */
  readonly passed: (from: bigint | undefined, to: bigint, newest: bigint | undefined) => void
}

/** Longest pause between attempts while the store is unavailable, in milliseconds. */
const pauses: Backoff = { shortest: 25, longest: 5000 }

/** The server sent an event before its reported position: a reader may lack events. */
export class LogOutOfOrder extends StoreFailed {
  override readonly name = 'LogOutOfOrder'
  constructor(position: bigint, reached: bigint) {
    super(
      `The event store sent the event at position ${position} after it had come to ${reached}. ` +
        'What was read may lack events: build the read models again.',
    )
  }
}

interface Receiver {
  readonly options: SubscriptionOptions
  readonly queue: Queue
  listening: ReadCall | undefined
  failure: { readonly error: unknown } | undefined
  readonly received: () => void
}

const advance = ({ options, queue, received }: Receiver, to: bigint, event?: RecordedEvent, size?: number): void => {
  options.passed(queue.position(), to, event?.position)
  queue.advance(to, event, size)
  received()
}

/** Receives events and position reports in the server's order. @throws LogOutOfOrder if a reader might miss an event */
const makeAnswerHandler = (receiver: Receiver, from: bigint | undefined) => {
  const { codec, names } = receiver.options
  let last = from
  return ({ event, checkpoint }: ReadAnswer): void => {
    if (event?.event) {
      const raw = rawEventOf(event.event)
      if (last !== undefined && raw.position <= last) throw new LogOutOfOrder(raw.position, last)
      last = raw.position
      const read = codec.decode({ ...raw, stream: names.localNameOf(raw.stream) })
      if (receiver.queue.isNew(raw.position)) advance(receiver, raw.position, read, raw.data.length)
    } else if (checkpoint) {
      const reached = bigintOf(checkpoint.commitPosition)
      if (last !== undefined && reached <= last) return
      last = reached
      if (receiver.queue.isNew(reached)) advance(receiver, reached)
    }
  }
}

/**
 * Start position from which nothing after the queue's position is missed; `undefined` for the beginning. From a
 * position without an event the store may skip one, or fail.
 */
const startPosition = async (receiver: Receiver): Promise<bigint | undefined> => {
  const { options, queue } = receiver
  const after = queue.position()
  if (after === undefined) return undefined
  try {
    const first = await options.reader.firstAt(after)
    if (!first || first.position === after) return after
    advance(receiver, first.position, first.event)
    return first.position
  } catch (error) {
    if (error instanceof MissingPosition) return undefined
    throw error
  }
}

/** Listens until the subscription ends or the signal aborts. @returns the reason of the end */
const listenOnce = async (receiver: Receiver, from: bigint | undefined, signal: AbortSignal): Promise<unknown> => {
  const { connection, names } = receiver.options
  const listening = openRead(connection, subscriptionRequest(from, names.pattern), makeAnswerHandler(receiver, from))
  const stop = (): void => listening.end()
  receiver.listening = listening
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const reason = await listening.ended.finally(() => signal.removeEventListener('abort', stop))
  return reason ?? new StoreUnavailable('The event store ended the subscription.')
}

/**
 * Receives into the queue until the signal aborts. Resubscribes at once if the store dropped a slow subscription, and
 * with growing pauses while the store is unavailable. Rejects with permanent errors.
 */
const receive = async (receiver: Receiver, signal: AbortSignal): Promise<void> => {
  const { queue, options } = receiver
  let begun = false
  for (let failures = 0; !signal.aborted;) {
    const before = queue.position()
    const error = await (async () => {
      const from: bigint | undefined = begun ? queue.position() : await startPosition(receiver)
      begun ||= from === queue.position()
      return listenOnce(receiver, from, signal)
    })().catch((reason: unknown) => reason)
    if (signal.aborted) return
    if (!(error instanceof StoreUnavailable)) throw error
    const position = queue.position()
    options.connection.logger.debug({ err: error, position: String(position) }, 'event store: subscribing again')
    if (isDropped(error)) failures = 0
    else failures = position === before ? failures + 1 : 1
    const pause = failures < 2 ? 0 : backoff(failures, pauses)
    if (pause > 0) await sleep(pause, signal)
  }
}

/**
 * Ends a subscription that delivers nothing although there are events: its connection is dead. @returns function to
 * stop watching
 */
const watchSilence = (receiver: Receiver): (() => void) => {
  const { queue, options } = receiver
  let before = queue.position()
  let checking = false
  const isMissing = async (): Promise<boolean> => {
    const head = await options.head()
    if (head === undefined || !queue.isNew(head)) return false
    // Recently written events may still be in transit.
    await delay(1000, undefined, { ref: false })
    return queue.position() === before
  }
  const check = async (): Promise<void> => {
    const { listening } = receiver
    const quiet = queue.position() === before && queue.isEmpty()
    before = queue.position()
    if (!quiet || checking || !listening) return
    checking = true
    try {
      if (await isMissing()) listening.end(new StoreUnavailable('The subscription is silent.'))
    } catch (error) {
      listening.end(error)
    } finally {
      checking = false
    }
  }
  const timer = setInterval(() => void check(), options.quietCheck)
  return () => clearInterval(timer)
}

/**
 * Follows the log; see `EventStore.subscribe`. @throws StoreUnavailable after `timeout` milliseconds without progress
 */
export async function* followLog(
  options: SubscriptionOptions,
  { after, signal, batchSize = 1000 }: SubscribeOptions,
  timeout?: number,
): AsyncGenerator<EventBatch, void, undefined> {
  options.connection.assertOpen()
  const left = new AbortController()
  const stopping = AbortSignal.any([signal, left.signal, options.connection.closing])
  const notifier = makeNotifier()
  const queue = makeQueue(after)
  const received = (): void => {
    if (queue.fullness() >= 1) receiver.listening?.setPaused(true)
    notifier.notify()
  }
  const receiver: Receiver = { options, queue, received, listening: undefined, failure: undefined }
  receive(receiver, stopping).catch((error: unknown) => {
    receiver.failure = { error }
    received()
  })
  const endWatch = watchSilence(receiver)
  try {
    while (!signal.aborted) {
      options.connection.assertOpen()
      const batch = queue.take(batchSize)
      if (queue.fullness() < 0.5) receiver.listening?.setPaused(false)
      if (batch) {
        yield batch
        continue
      }
      if (receiver.failure) throw receiver.failure.error
      if (!(await notifier.wait(stopping, timeout)) && !stopping.aborted)
        throw new StoreUnavailable(`The event store gave nothing to read for ${timeout} ms.`)
      // Events that arrive in one turn form one batch.
      await nextTurn()
    }
  } finally {
    endWatch()
    left.abort()
  }
}

/** This catalog's part of the log at present. The store's own read would also send events of others. */
export async function* readAll(
  options: SubscriptionOptions,
  { after, limit = Infinity }: ReadAllOptions = {},
): AsyncGenerator<RecordedEvent, void, undefined> {
  const head = await options.head()
  let left = limit
  if (left <= 0 || head === undefined || (after !== undefined && head <= after)) return
  const { signal } = new AbortController()
  for await (const { events, position } of followLog(options, { after, signal }, options.readTimeout)) {
    for (const event of events) {
      if (event.position > head) return
      yield event
      if (--left <= 0) return
    }
    if (position >= head) return
  }
}
