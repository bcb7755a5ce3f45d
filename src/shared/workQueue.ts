import { makeFairQueue } from './fairQueue.ts'
import { CatalogError } from './errors/namedError.ts'
import { limits } from './limits.ts'
import { yieldToEventLoop } from './yieldToEventLoop.ts'

/** The queue is full: try again later. */
export class Throttled extends CatalogError {
  override readonly name = 'Throttled'
  readonly retryAfter: number
  constructor(message: string, retryAfter = 1) {
    super(message)
    this.retryAfter = retryAfter
  }
}

export interface WorkRequest {
  /** The caller: callers take turns, however much each has asked for. */
  readonly caller: string
  /** Aborts when the caller has left: waiting work is dropped. */
  readonly signal: AbortSignal
  /** Continues work that has had a turn: it waits, however full the queue is. */
  readonly continues?: boolean
}

interface Waiting {
  add(begin: () => void): unknown
  delete(begin: () => void): boolean
}

/** Adds a function to those that wait, and resolves when it is called. @throws the signal's reason if it aborts before */
export const waitForTurn = (signal: AbortSignal, waiting: Waiting): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      if (waiting.delete(begin)) reject(signal.reason as Error)
    }
    const begin = (): void => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    signal.addEventListener('abort', leave, { once: true })
    waiting.add(begin)
  })

/** Milliseconds that work has to end after its caller has left. */
const grace = 10_000

/**
 * Creates a queue for costly work: first in, first out for each caller, round robin between callers. Work that never ends
 * keeps its place from others only as long as its caller waits. Its `run` throws {@link Throttled} when the queue is full,
 * and the signal's reason when the caller left before its turn.
 * @param of name of the work for messages, such as `searches`
 * @param atOncePerCaller most turns that one caller has at a time
 */
export const makeWorkQueue = (of: string, concurrency: number, atOncePerCaller = concurrency) => {
  const { queuedPerCaller, waiting } = limits
  const queue = makeFairQueue<() => void>()
  const running: string[] = []
  const mayBegin = (caller: string): boolean => running.filter((one) => one === caller).length < atOncePerCaller

  const next = (): void => {
    const first = running.length < concurrency ? queue.next(mayBegin) : undefined
    if (first === undefined) return
    running.push(first.caller)
    queue.charge(first.caller, 1)
    first.item()
  }

  const acquire = ({ caller, signal }: WorkRequest): Promise<void> =>
    waitForTurn(signal, {
      add: (begin) => {
        queue.add(caller, begin)
        next()
      },
      delete: (begin) => queue.remove(caller, begin),
    })

  return {
    run: async <T>(request: WorkRequest, work: () => Promise<T>): Promise<T> => {
      request.signal.throwIfAborted()
      if (request.continues !== true) {
        const own = queue.sizeOf(request.caller)
        if (own >= queuedPerCaller.value)
          throw new Throttled(`You have ${own} ${of} waiting already: wait for their answers.`)
        if (queue.size() >= waiting.value) throw new Throttled(`Too many ${of} are waiting already.`)
      }
      await acquire(request)
      let isHeld = true
      const release = (): void => {
        if (!isHeld) return
        isHeld = false
        running.splice(running.indexOf(request.caller), 1)
        next()
      }
      // No race with a promise: that would keep what the work returns for as long as the request lasts.
      const leave = (): void => void setTimeout(release, grace).unref()
      request.signal.addEventListener('abort', leave, { once: true })
      try {
        // Work that began at once would use up the turn of the event loop in which other requests begin.
        await yieldToEventLoop()
        request.signal.throwIfAborted()
        return await work()
      } finally {
        request.signal.removeEventListener('abort', leave)
        release()
      }
    },
  }
}

export type WorkQueue = ReturnType<typeof makeWorkQueue>
