import { setImmediate } from 'node:timers/promises'

/** There is more to do than can wait: try again later. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
  /** Seconds after which to try again. */
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
  /** How much is done at a time. */
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

interface Waiting {
  readonly begin: () => void
}

/** Makes a queue in front of costly work: first come first served for each caller, in turn between callers. */
export const makeTurns = ({ of, atOnce, waitingOfOne, waiting }: TurnsOptions): Turns => {
  /** Callers who wait, in the order of their turns. */
  const queues = new Map<string, Waiting[]>()
  let running = 0
  let queued = 0

  const next = (): void => {
    const [first] = queues
    if (first === undefined || running >= atOnce) return
    const [caller, queue] = first
    const [{ begin }] = queue as [Waiting]
    remove(caller, begin)
    const rest = queues.get(caller)
    if (rest !== undefined) {
      queues.delete(caller)
      queues.set(caller, rest)
    }
    running += 1
    begin()
  }

  const remove = (caller: string, begin: () => void): boolean => {
    const queue = queues.get(caller)
    const at = queue?.findIndex((each) => each.begin === begin) ?? -1
    if (queue === undefined || at === -1) return false
    queue.splice(at, 1)
    if (queue.length === 0) queues.delete(caller)
    queued -= 1
    return true
  }

  const wait = ({ caller, signal }: Turn): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        if (remove(caller, begin)) reject(signal.reason as Error)
      }
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      queues.set(caller, [...(queues.get(caller) ?? []), { begin }])
      queued += 1
      next()
    })

  return {
    take: async (turn, work) => {
      turn.signal.throwIfAborted()
      const own = queues.get(turn.caller)?.length ?? 0
      if (own >= waitingOfOne) throw new TooBusy(`You have ${own} ${of} waiting already: wait for their answers.`)
      if (queued >= waiting) throw new TooBusy(`Too many ${of} are waiting already.`)
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
