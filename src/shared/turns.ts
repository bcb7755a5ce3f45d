import { setImmediate } from 'node:timers/promises'
import { NamedError } from './errors/namedError.ts'
import { makeFairQueue } from './fairQueue.ts'

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

/** Makes a queue in front of costly work: first come first served for each caller, in turn between callers. */
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
      const own = queue.sizeOf(turn.caller)
      if (own >= waitingOfOne) throw new TooBusy(`You have ${own} ${of} waiting already: wait for their answers.`)
      if (queue.size() >= waiting) throw new TooBusy(`Too many ${of} are waiting already.`)
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
