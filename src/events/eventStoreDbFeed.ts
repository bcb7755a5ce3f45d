import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { START, streamNameFilter, UnknownError, type AllStreamSubscription } from '@eventstore/db-client'
import { makeBell } from './bell.ts'
import { StoreUnavailable, type EventBatch, type ReadAllOptions, type SubscribeOptions } from './eventStore.ts'
import type { RecordedEvent } from './events.ts'
import { asStoreError, isDropped } from './eventStoreDbErrors.ts'
import { makeDecoder, reportEvents, storePosition, type Reader, type ReaderOptions } from './eventStoreDbRead.ts'

export interface FeedOptions extends ReaderOptions {
  readonly reader: Pick<Reader, 'firstAt'>
  readonly head: () => Promise<bigint | undefined>
  /** Milliseconds of silence after which it is checked whether something should have come. */
  readonly quietCheck: number
  /** Called with how far the log has been looked through, from where, and where the newest event of ours in it is. */
  readonly passed: (from: bigint | undefined, to: bigint, newest: bigint | undefined) => void
}

/** Events that wait for the subscriber before the store is left to wait too. */
const queueEvents = 4000

/** Longest pause before the next try while the store is away, in milliseconds. */
const longestPause = 5000

/** What has been received and not been taken yet. */
interface Queue {
  events: RecordedEvent[]
  /** Everything of ours up to here is in `events` or was taken. */
  position: bigint | undefined
  /** What ended the feed for good. */
  failure: { readonly error: unknown } | undefined
}

/** One subscription of the client, from its begin to its end. */
interface Listening {
  /** Resolves with what ended it. */
  readonly ended: Promise<unknown>
  end(reason: unknown): void
  /** Lets the store wait, or go on. */
  hold(wait: boolean): void
}

const listen = (
  options: FeedOptions,
  queue: Queue,
  from: bigint | undefined,
  received: () => void,
): Listening => {
  const { connection, names } = options
  const decode = makeDecoder(options)
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  const subscription: AllStreamSubscription = connection.client.subscribeToAll(
    {
      fromPosition: from === undefined ? START : storePosition(from),
      filter: streamNameFilter({
        regex: names.pattern,
        maxSearchWindow: reportEvents,
        checkpointInterval: 1,
        checkpointReached: (_, { commit }) => advance(commit),
      }),
    },
    { highWaterMark: 64 },
  )
  let over = false
  const end = (reason: unknown): void => {
    if (over) return
    over = true
    resolve(reason)
    // Read on to nowhere: the client forgets a call only when its end was read.
    subscription.resume()
    subscription.unsubscribe().catch(() => undefined)
  }
  const isNew = (position: bigint): boolean => !over && (queue.position === undefined || position > queue.position)
  const advance = (to: bigint, event?: RecordedEvent): void => {
    if (!isNew(to)) return
    options.passed(queue.position, to, event?.position)
    queue.position = to
    if (event) queue.events.push(event)
    received()
  }
  subscription.on('error', end)
  subscription.on('end', () => end(new StoreUnavailable('The event store ended the subscription.')))
  subscription.on('data', ({ event }) => {
    if (!event || !isNew(event.position.commit)) return
    try {
      advance(event.position.commit, decode(event))
    } catch (error) {
      queue.failure = { error }
      end(error)
    }
  })
  const hold = (wait: boolean): void => {
    if (over || wait === subscription.isPaused()) return
    if (wait) subscription.pause()
    else subscription.resume()
  }
  return { ended, end, hold }
}

/**
 * Where to begin so that nothing behind `queue.position` is left out: from a position that is no event's the store
 * would leave out the next event, or it cannot read from there at all.
 * @returns `undefined`: the beginning of the log
 */
const beginning = async ({ reader, passed }: FeedOptions, queue: Queue): Promise<bigint | undefined> => {
  const after = queue.position
  if (after === undefined) return undefined
  try {
    const first = await reader.firstAt(after)
    if (!first || first.position === after) return after
    if (first.event) queue.events.push(first.event)
    queue.position = first.position
    passed(after, first.position, first.event?.position)
    return first.position
  } catch (error) {
    if (error instanceof UnknownError) return undefined
    throw error
  }
}

/**
 * Receives into the queue until the signal aborts: subscribes, and again from the last position whenever a
 * subscription ends. Where the store dropped it for being slow that happens at once; while the store is away, with
 * growing pauses.
 */
const receive = async (options: FeedOptions, queue: Queue, state: { now?: Listening }, received: () => void, signal: AbortSignal) => {
  let begun = false
  for (let failures = 0; !signal.aborted && !queue.failure; ) {
    const from = queue.position
    let reason: unknown
    try {
      const start: bigint | undefined = begun ? queue.position : await beginning(options, queue)
      if (!begun) received()
      state.now = listen(options, queue, start, received)
      begun ||= start === queue.position
      const listening = state.now
      const stop = (): void => listening.end(undefined)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
      reason = await listening.ended
      signal.removeEventListener('abort', stop)
    } catch (error) {
      reason = error
    }
    if (signal.aborted) return
    const error = asStoreError(reason)
    if (!(error instanceof StoreUnavailable)) queue.failure ??= { error }
    received()
    failures = queue.position === from ? failures + 1 : isDropped(reason) ? 0 : 1
    options.connection.logger.debug({ err: reason, position: String(queue.position) }, 'event store: subscribing again')
    const pause = failures < 2 ? 0 : Math.random() * Math.min(longestPause, 25 * 2 ** failures)
    if (pause > 0) await delay(pause, undefined, { signal }).catch(() => undefined)
  }
}

/** Ends a subscription from which nothing came although there is something: its connection is dead without saying so. */
const watch = (options: FeedOptions, queue: Queue, state: { now?: Listening }): (() => void) => {
  let before = queue.position
  let checking = false
  const check = async (): Promise<void> => {
    const listening = state.now
    const quiet = queue.position === before && queue.events.length === 0
    before = queue.position
    if (!quiet || checking || !listening) return
    checking = true
    try {
      const head = await options.head()
      const missing = head !== undefined && (queue.position === undefined || head > queue.position)
      // Whatever was written a moment ago may still be on its way.
      if (missing) await delay(1000, undefined, { ref: false })
      if (missing && queue.position === before) listening.end(new StoreUnavailable('The subscription is silent.'))
    } catch (error) {
      listening.end(error)
    } finally {
      checking = false
    }
  }
  const timer = setInterval(() => void check(), options.quietCheck)
  return () => clearInterval(timer)
}

/** The batch that can be taken now. */
const take = (queue: Queue, taken: bigint | undefined, batchSize: number): EventBatch | undefined => {
  const events = queue.events.splice(0, batchSize)
  const last = events.at(-1)
  const position = queue.events.length > 0 ? last?.position : queue.position
  return position === undefined || position === taken ? undefined : { events, position }
}

/**
 * Follows the log from catch-up to live; see `EventStore.subscribe`.
 * @param patience milliseconds without a batch after which {@link StoreUnavailable} is thrown; left out: none is
 */
export async function* follow(
  options: FeedOptions,
  { after, signal, batchSize = 1000 }: SubscribeOptions,
  patience?: number,
): AsyncGenerator<EventBatch, void, undefined> {
  options.connection.assertOpen()
  const left = new AbortController()
  const stopping = AbortSignal.any([signal, left.signal, options.connection.closing])
  const queue: Queue = { events: [], position: after, failure: undefined }
  const state: { now?: Listening } = {}
  const bell = makeBell()
  let rung = 0
  const received = (): void => {
    rung++
    if (queue.events.length >= queueEvents) state.now?.hold(true)
    bell.ring()
  }
  receive(options, queue, state, received, stopping).catch((error: unknown) => {
    queue.failure ??= { error }
    bell.ring()
  })
  const unwatch = watch(options, queue, state)
  let taken = after
  try {
    while (!signal.aborted) {
      options.connection.assertOpen()
      const batch = take(queue, taken, batchSize)
      if (queue.events.length < queueEvents / 2) state.now?.hold(false)
      if (batch) {
        taken = batch.position
        yield batch
      } else if (queue.failure) {
        throw queue.failure.error
      } else {
        const before = rung
        await bell.wait(stopping, patience)
        if (rung === before && patience !== undefined && !stopping.aborted) {
          throw new StoreUnavailable(`The event store gave nothing to read for ${patience} ms.`)
        }
        // What arrives in one turn makes one batch.
        await nextTurn()
      }
    }
  } finally {
    unwatch()
    left.abort()
  }
}

/**
 * Our part of the log as it is now. The store's own read of the log would send the events of others too; a
 * subscription leaves them out.
 */
export async function* readAll(
  options: FeedOptions,
  { after, limit = Infinity }: ReadAllOptions = {},
): AsyncGenerator<RecordedEvent, void, undefined> {
  const head = await options.head()
  let left = limit
  if (left <= 0 || head === undefined || (after !== undefined && head <= after)) return
  const { signal } = new AbortController()
  for await (const { events, position } of follow(options, { after, signal }, options.readTimeout)) {
    for (const event of events) {
      if (event.position > head) return
      yield event
      if (--left <= 0) return
    }
    if (position >= head) return
  }
}
