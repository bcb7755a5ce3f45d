import { setImmediate } from 'node:timers/promises'
import { NamedError } from './errors/namedError.ts'

/** Number of callers that are remembered while nothing waits. */
const remembered = 1000

/**
 * A fair queue: first in, first out for each caller, and between callers the one that has used least since it began to
 * wait.
 * @param tie order of callers with equal use: `newest` if a burst of requests must not delay the next caller
 */
export const makeFairQueue = <T>(tie: 'oldest' | 'newest' = 'oldest') => {
  const queues = new Map<string, T[]>()
  const used = new Map<string, number>()
  /** The use of the caller served last: new callers start there. */
  let reached = 0
  let size = 0

  /** @returns whether it was still waiting */
  const remove = (caller: string, item: T): boolean => {
    const queue = queues.get(caller)
    const at = queue?.indexOf(item) ?? -1
    if (queue === undefined || at === -1) return false
    queue.splice(at, 1)
    size -= 1
    if (queue.length === 0) queues.delete(caller)
    return true
  }

  const lightest = (): string | undefined => {
    let least = Infinity
    let lightest: string | undefined
    for (const caller of queues.keys()) {
      const own = used.get(caller) as number
      if (own < least || (own === least && tie === 'newest')) [least, lightest] = [own, caller]
    }
    return lightest
  }

  return {
    size: (): number => size,
    /** Number of waiting items of a caller. */
    sizeOf: (caller: string): number => queues.get(caller)?.length ?? 0,
    add: (caller: string, item: T): void => {
      if (size === 0 && used.size > remembered) used.clear()
      size += 1
      const queue = queues.get(caller)
      if (queue !== undefined) return void queue.push(item)
      queues.set(caller, [item])
      used.set(caller, Math.max(used.get(caller) ?? 0, reached))
    },
    remove,
    next: (): { readonly caller: string; readonly item: T } | undefined => {
      const caller = lightest()
      if (caller === undefined) return undefined
      const [item] = queues.get(caller) as [T]
      remove(caller, item)
      reached = used.get(caller) as number
      return { caller, item }
    },
    /** Records a caller's use, in any unit such as processor time or turns. */
    charge: (caller: string, cost: number): void => void used.set(caller, (used.get(caller) ?? reached) + cost),
  }
}

/** The queue is full: try again later. */
export class TooBusy extends NamedError {
  override readonly name = 'TooBusy'
  readonly retryAfter: number
  constructor(message: string, retryAfter = 1) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/** A request for a turn. */
export interface Turn {
  /** The caller: callers take turns, however much each has asked for. */
  readonly caller: string
  /** Aborts when the caller has left: waiting work is dropped. */
  readonly signal: AbortSignal
  /** Continues work that has had a turn: it waits, however full the queue is. */
  readonly continues?: boolean
}

interface TurnsOptions {
  /** Name of the work for messages, such as `searches`. */
  readonly of: string
  readonly atOnce: number
  /** Most waiting items, of one caller and of all. */
  readonly waitingOfOne: number
  readonly waiting: number
}

/** Runs costly work a few items at a time, fairly between callers. */
export interface Turns {
  /** @throws TooBusy when the queue is full; the signal's reason when the caller left before its turn */
  take<T>(turn: Turn, work: () => Promise<T>): Promise<T>
}

/** Creates a queue for costly work: first in, first out for each caller, round robin between callers. */
export const makeTurns = ({ of, atOnce, waitingOfOne, waiting }: TurnsOptions): Turns => {
  const queue = makeFairQueue<() => void>()
  let running = 0

  const next = (): void => {
    const first = running < atOnce ? queue.next() : undefined
    if (first === undefined) return
    running += 1
    queue.charge(first.caller, 1)
    first.item()
  }

  const wait = ({ caller, signal }: Turn): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        if (queue.remove(caller, begin)) reject(signal.reason as Error)
      }
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      queue.add(caller, begin)
      next()
    })

  return {
    take: async (turn, work) => {
      turn.signal.throwIfAborted()
      if (turn.continues !== true) {
        const own = queue.sizeOf(turn.caller)
        if (own >= waitingOfOne) throw new TooBusy(`You have ${own} ${of} waiting already: wait for their answers.`)
        if (queue.size() >= waiting) throw new TooBusy(`Too many ${of} are waiting already.`)
      }
      await wait(turn)
      try {
        turn.signal.throwIfAborted()
        return await work()
      } finally {
        // Small requests run between two turns.
        await setImmediate()
        running -= 1
        next()
      }
    },
  }
}
