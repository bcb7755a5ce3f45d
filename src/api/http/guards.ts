import { LRUCache } from 'lru-cache'
import { inProportion, limits } from '../../shared/limits.ts'
import { makeWorkQueue, Throttled, waitForTurn, type WorkQueue } from '../../shared/workQueue.ts'
import type { ServerResponse } from 'node:http'

/**
 * Costly work with limited concurrency: searches, reconstruction from the log, undoing requests, large bodies, and
 * long lists. `idle` is for long polls and event streams, which compute nothing.
 */
export type Bulkhead = 'search' | 'past' | 'revert' | 'large' | 'list' | 'idle'

/** Seconds. */
const rateWindow = 60

/** Makes the counter of requests, which throws Throttled beyond the rate limit. */
const makeAdmit = (rateLimit: number | undefined) => {
  if (rateLimit === undefined) return undefined
  const loaded = import('rate-limiter-flexible').then(({ RateLimiterMemory, RateLimiterRes }) => ({
    limiter: new RateLimiterMemory({ points: rateLimit, duration: rateWindow }),
    RateLimiterRes,
  }))
  return async (caller: string): Promise<void> => {
    const { limiter, RateLimiterRes } = await loaded
    try {
      await limiter.consume(caller)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      // The limiter ends its minute by a timer, and tells what is left of it by a clock that may have been set back.
      const seconds = Math.min(rateWindow, Math.max(1, Math.ceil(error.msBeforeNext / 1000)))
      throw new Throttled(`At most ${rateLimit} requests a minute are answered: try again in ${seconds} s.`, seconds)
    }
  }
}

/** @param rateLimit requests per minute and caller; default: unlimited */
export const makeGuards = (rateLimit?: number) => ({
  bulkheads: {
    search: makeWorkQueue('searches', limits.searchesAtOnce.value),
    past: makeWorkQueue('questions about the past', limits.pastAtOnce.value),
    revert: makeWorkQueue('requests that undo others', limits.revertsAtOnce.value),
    large: makeWorkQueue('large requests', limits.largeAtOnce.value),
    list: makeWorkQueue('long lists', limits.listsAtOnce.value),
  } satisfies Record<Exclude<Bulkhead, 'idle'>, WorkQueue>,
  slots: makeSlots(limits.requestsPerCaller.value),
  idle: makeSlots(limits.idlePerCaller.value),
  /** The claim of a request on the memory for bodies. */
  claim: makeBudget(),
  admit: makeAdmit(rateLimit),
})

export type Guards = ReturnType<typeof makeGuards>

interface Caller {
  inWork: number
  /** In the order in which they came. */
  readonly waiting: Set<() => void>
}

/** Limits the concurrent requests of each caller. @param most slots; further requests wait without delaying others */
export const makeSlots = (most: number) => {
  const callers = new Map<string, Caller>()

  return {
    isFull: (name: string): boolean => (callers.get(name)?.inWork ?? 0) >= most,
    /** Resolves with an idempotent function that frees the slot. @throws the signal's reason if the caller left before */
    take: async (name: string, signal: AbortSignal) => {
      signal.throwIfAborted()
      let caller = callers.get(name)
      if (caller === undefined) callers.set(name, (caller = { inWork: 0, waiting: new Set() }))
      if (caller.inWork < most) caller.inWork += 1
      else await waitForTurn(signal, caller.waiting)
      let held = true
      return (): void => {
        if (!held) return
        held = false
        const [next] = caller.waiting
        if (next !== undefined && caller.waiting.delete(next)) return next()
        caller.inWork -= 1
        if (caller.inWork === 0) callers.delete(name)
      }
    },
  }
}

/** The share of one request in a budget. Must be released; from then on, nothing is added. */
export interface Claim {
  /** @throws Throttled if the budget is used up */
  readonly add: (bytes: number) => void
  /** Releases the whole claim. Idempotent. */
  readonly release: () => void
}

/** The memory for all bodies, of which one caller can have a quarter; at least a bulk request and what it was compressed to. */
const makeBudget = () => {
  const least = 2 * limits.bulkBody.value
  const total = Math.max(least, inProportion(limits.bodies))
  const most = Math.max(least, total / 4)
  const bytesByCaller = new Map<string, number>()
  let all = 0
  const change = (caller: string, bytes: number): void => {
    const own = (bytesByCaller.get(caller) ?? 0) + bytes
    all += bytes
    if (own === 0) bytesByCaller.delete(caller)
    else bytesByCaller.set(caller, own)
  }
  return (caller: string): Claim => {
    let mine = 0
    let released = false
    return {
      add: (bytes) => {
        if (released) return
        if (all + bytes > total || (bytesByCaller.get(caller) ?? 0) + bytes > most)
          throw new Throttled(
            'The bodies of requests that are being worked on take too much memory: send fewer at a time.',
          )
        mine += bytes
        change(caller, bytes)
      },
      release: () => {
        if (released) return
        released = true
        change(caller, -mine)
      },
    }
  }
}

/** Tracks an answer until it is read or its client leaves; beyond the limit the oldest unread one is closed. */
export type UnreadBudget = (response: ServerResponse, bytes: number) => void

/** @param onEvict called when a client is closed */
export const makeUnreadBudget = (onEvict: () => void): UnreadBudget => {
  const maxSize = inProportion(limits.unreadAnswers)
  const waiting = new LRUCache<ServerResponse, number>({
    maxSize,
    sizeCalculation: (bytes) => Math.min(bytes, maxSize),
    dispose: (_, oldest, reason) => {
      if (reason !== 'evict') return
      oldest.destroy()
      onEvict()
    },
  })
  return (response, bytes) => {
    if (!waiting.has(response)) response.once('close', () => waiting.delete(response))
    waiting.set(response, bytes)
  }
}
