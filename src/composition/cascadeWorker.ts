import type { Logger } from 'pino'
import type { Background } from '../api/deps.ts'
import { StoreUnavailable, type EventBatch } from '../events/eventStore.ts'
import type { RecordedEvent } from '../events/events.ts'
import { parseStreamName } from '../events/streamName.ts'
import { finishCascades, finishAllCascades } from '../commands/cascade.ts'
import { isHiding } from '../commands/overtaken/hiding.ts'
import { revealHidden } from '../commands/overtaken/revealing.ts'
import type { Context } from '../commands/caller.ts'
import type { Ports } from '../commands/ports.ts'

/**
 * Finishes what requests began and did not end: deletions whose children were not taken, children below a deleted
 * parent.
 */
export interface CascadeWorker {
  /** Is told what the log gives, in its order. What was told before does nothing. */
  saw(batch: EventBatch): void
  /** Looks at all there is: what the log gave before was not told. @param finished is told when nothing is left */
  lookEverywhere(finished?: () => void): void
  close(): Promise<void>
}

export interface SettlerOptions {
  readonly ports: Ports
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Milliseconds that requests have to do it themselves, from the last deletion or restore on (default 2,000). */
  readonly grace?: number
  /** Milliseconds that a request has to look below what it has hidden (default 12,000). */
  readonly hidingGrace?: number
}

/** Milliseconds after which it is done although deletions go on, and for which a parent is known to have ended. */
const longestGrace = 30_000
const memory = 600_000

/** Longer than a request waits for the read models. */
const defaultHidingGrace = 12_000

/** Ids that one step looks at, and parents that are remembered. */
const stepSize = 1000
const maxEnded = 10_000

/** Entities that may contradict a parent or a child, and since when that is known. */
const makeDue = () => {
  const due = new Map<string, number>()
  const ended = new Map<string, number>()
  let newest = -1n
  let last = 0

  const end = (id: string, now: number): void => {
    ended.delete(id)
    ended.set(id, now)
    for (const [oldest, since] of ended) {
      if (ended.size <= maxEnded && now - since <= memory) break
      ended.delete(oldest)
    }
  }
  const isBelowEnded = ({ type, data }: RecordedEvent): boolean =>
    type === 'Created' && data.parent !== undefined && ended.has(data.parent.id)
  const saw = (event: RecordedEvent): void => {
    if (event.position <= newest) return
    newest = event.position
    const now = performance.now()
    const { id } = parseStreamName(event.stream)
    const changesLife = event.type === 'SoftDeleted' || event.type === 'HardDeleted' || event.type === 'Restored'
    if (changesLife) last = now
    if (changesLife && event.type !== 'Restored') end(id, now)
    if (changesLife || isBelowEnded(event)) if (!due.has(id)) due.set(id, now)
  }
  return {
    saw,
    position: () => newest,
    /** What is to be looked at now: nothing while requests are at it. */
    take: (grace: number): string[] => {
      const now = performance.now()
      const [oldest = now] = due.values()
      if (now - last < grace && now - oldest < longestGrace) return []
      const ids = [...due.keys()].slice(0, stepSize)
      for (const id of ids) due.delete(id)
      return ids
    },
    giveBack: (ids: readonly string[]): void => {
      for (const id of ids) due.set(id, performance.now())
    },
  }
}

/** Entities that requests have hidden to look below them, and since when that is known. */
const makeHidden = (grace: number) => {
  const hidden = new Map<string, number>()
  const add = (id: string): void => void (hidden.has(id) || hidden.set(id, performance.now()))
  return {
    add,
    saw: (event: RecordedEvent): void => {
      const { id } = parseStreamName(event.stream)
      const isDeletion = event.type === 'SoftDeleted' && event.data.inherited !== true
      if (isDeletion && isHiding(event.data.deletion)) add(id)
      else if (event.type === 'Restored' || event.type === 'HardDeleted') hidden.delete(id)
    },
    /** Those whose requests should have gone on by now. */
    take: (): string[] => {
      const now = performance.now()
      const ids = [...hidden].flatMap(([id, since]) => (now - since < grace ? [] : [id]))
      for (const id of ids) hidden.delete(id)
      return ids
    },
  }
}

interface Working {
  readonly context: Context
  readonly logger: SettlerOptions['logger']
  readonly retryLater: (error: unknown) => void
}

const makeRevealing = ({ context, logger, retryLater }: Working, grace: number) => {
  const hidden = makeHidden(grace)
  return {
    saw: hidden.saw,
    /** Finds what was hidden before anything was told. */
    find: async (): Promise<void> => {
      if (!context.log.conditional) for await (const ids of context.tree.hidden()) ids.forEach(hidden.add)
    },
    work: async (): Promise<void> => {
      const ids = hidden.take()
      if (ids.length === 0) return
      try {
        const position = await revealHidden(context, ids)
        if (position === undefined) return
        logger.info({ position: String(position) }, 'what a request had hidden and left so was brought back')
      } catch (error) {
        ids.forEach(hidden.add)
        retryLater(error)
      }
    },
  }
}

const makeFinishing = ({ context, logger, retryLater }: Working, grace: number) => {
  const due = makeDue()
  const finish = async (ids?: readonly string[]): Promise<void> => {
    const position = await (ids === undefined ? finishAllCascades(context) : finishCascades(context, ids))
    if (position === undefined) return
    logger.info({ position: String(position) }, 'a deletion or restore that a request left undone was finished')
  }
  return {
    saw: due.saw,
    everywhere: () => finish(),
    work: async (): Promise<void> => {
      for (let ids = due.take(grace); ids.length > 0; ids = due.take(grace)) {
        try {
          await context.projected(due.position())
          await finish(ids)
        } catch (error) {
          due.giveBack(ids)
          return retryLater(error)
        }
      }
    },
  }
}

/** Looks again and again at what was deleted, restored or created below what was, and mends what contradicts. */
export const startCascadeWorker = (options: SettlerOptions): CascadeWorker => {
  const { ports, logger, grace = 2000, hidingGrace = defaultHidingGrace } = options
  let everywhere: (() => void)[] = []
  let working: Promise<void> | undefined
  let closed = false
  const progress = (): void => {
    if (closed) throw new StoreUnavailable('The service stops.')
  }
  const retryLater = (error: unknown): void => {
    if (closed) return
    logger.warn({ err: error }, 'what requests left undone cannot be finished at the moment; it is tried again')
  }
  const context = { ...ports, progress }
  const finishing = makeFinishing({ context, logger, retryLater }, grace)
  const revealing = makeRevealing({ context, logger, retryLater }, hidingGrace)

  const workEverywhere = async (): Promise<void> => {
    const asked = everywhere
    if (asked.length === 0) return
    try {
      await finishing.everywhere()
      await revealing.find()
      everywhere = everywhere.slice(asked.length)
      for (const finished of asked) finished()
    } catch (error) {
      retryLater(error)
    }
  }
  const work = async (): Promise<void> => {
    await workEverywhere()
    await finishing.work()
    await revealing.work()
  }
  const timer = setInterval(() => {
    working ??= work().finally(() => (working = undefined))
  }, grace / 4)
  timer.unref()
  return {
    saw: ({ events }) => {
      for (const event of events) {
        finishing.saw(event)
        revealing.saw(event)
      }
    },
    lookEverywhere: (finished = () => undefined) => void (everywhere = [...everywhere, finished]),
    close: async () => {
      closed = true
      clearInterval(timer)
      await working
    },
  }
}

export interface KeptBackground extends Background {
  /** Ends what runs at its next step, and waits for that. */
  close(): Promise<void>
}

/** Keeps what goes on behind answers. What a step has not done is found again, by this process or the next start. */
export const keepBackground = (logger: Pick<Logger, 'info' | 'warn'>, stopping: AbortSignal): KeptBackground => {
  const running = new Set<Promise<unknown>>()
  let closed = false
  const isOver = (): boolean => closed || stopping.aborted
  return {
    keep: (work) => {
      const kept = work
        .catch((error: unknown) => {
          const fields = { err: error }
          if (isOver()) logger.info(fields, 'a deletion or restore is left to the next start')
          else logger.warn(fields, 'a deletion or restore could not go on; it is tried again')
        })
        .finally(() => running.delete(kept))
      running.add(kept)
    },
    progress: () => {
      if (isOver()) throw new StoreUnavailable('The service stops.')
    },
    close: async () => {
      closed = true
      await Promise.all(running)
    },
  }
}
