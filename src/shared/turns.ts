import { setImmediate } from 'node:timers/promises'
import { NamedError } from './errors/namedError.ts'

/** There is more to do than can wait: try again later. */
export class TooBusy extends NamedError {
  override readonly name = 'TooBusy'
  readonly retryAfter: number
  constructor(message: string, retryAfter = 1) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/** Who wants something done, and until when. */
export interface Turn {
  /** Callers come to their turn one after the other, however much each has asked for. */
  readonly caller: string
  /** When it aborts the caller has left: what still waits is dropped. */
  readonly signal: AbortSignal
}

export interface TurnsOptions {
  /** What is done, for messages, e.g. `searches`. */
  readonly of: string
  readonly atOnce: number
  /** How much may wait, of one caller and of all. */
  readonly waitingOfOne: number
  readonly waiting: number
}

/** Lets costly work happen a little at a time, fairly between callers. */
export interface Turns {
  /** @throws TooBusy when too much waits already; the reason of the signal when the caller has left before his turn */
  take<T>(turn: Turn, work: () => Promise<T>): Promise<T>
}

/** What waits, by caller: whoever is at the head of the callers comes next. */
const makeQueues = () => {
  /** In the order of the callers' turns. */
  const queues = new Map<string, (() => void)[]>()
  let waiting = 0

  const remove = (caller: string, begin: () => void): boolean => {
    const queue = queues.get(caller)
    const at = queue?.indexOf(begin) ?? -1
    if (queue === undefined || at === -1) return false
    queue.splice(at, 1)
    if (queue.length === 0) queues.delete(caller)
    waiting -= 1
    return true
  }

  return {
    waiting: (): number => waiting,
    waitingOf: (caller: string): number => queues.get(caller)?.length ?? 0,
    add: (caller: string, begin: () => void): void => {
      const queue = queues.get(caller)
      if (queue === undefined) queues.set(caller, [begin])
      else queue.push(begin)
      waiting += 1
    },
    remove,
    /** Takes the next one out; its caller goes to the end. */
    shift: (): (() => void) | undefined => {
      const [first] = queues
      if (first === undefined) return undefined
      const [caller, queue] = first
      const [begin] = queue as [() => void]
      remove(caller, begin)
      const rest = queues.get(caller)
      if (rest !== undefined) {
        queues.delete(caller)
        queues.set(caller, rest)
      }
      return begin
    },
  }
}

/** Makes a queue in front of costly work: first come first served for each caller, in turn between callers. */
export const makeTurns = ({ of, atOnce, waitingOfOne, waiting }: TurnsOptions): Turns => {
  const queues = makeQueues()
  let running = 0

  const next = (): void => {
    if (running >= atOnce) return
    const begin = queues.shift()
    if (begin === undefined) return
    running += 1
    begin()
  }

  const wait = ({ caller, signal }: Turn): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        if (queues.remove(caller, begin)) reject(signal.reason as Error)
      }
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      queues.add(caller, begin)
      next()
    })

  return {
    take: async (turn, work) => {
      turn.signal.throwIfAborted()
      const own = queues.waitingOf(turn.caller)
      if (own >= waitingOfOne) throw new TooBusy(`You have ${own} ${of} waiting already: wait for their answers.`)
      if (queues.waiting() >= waiting) throw new TooBusy(`Too many ${of} are waiting already.`)
      await wait(turn)
      try {
        turn.signal.throwIfAborted()
        return await work()
      } finally {
        // Whoever asks for little is let through between two turns.
        await setImmediate()
        running -= 1
        next()
      }
    },
  }
}
