import type { Logger } from 'pino'
import { finishAllCascades, finishUntil } from '../commands/cascade.ts'
import type { Context } from '../commands/caller.ts'
import type { Ports } from '../commands/ports.ts'
import { makeKeyedMutex } from '../commands/unitOfWork/keyedMutex.ts'
import { StoreUnavailable, type EventBatch } from '../events/eventStore.ts'
import { makeNotifier } from '../events/notifier.ts'
import { treeIn } from '../projections/entities/lookup.ts'
import type { PendingRoots } from '../projections/entities/pending.ts'
import type { EntityLists, EntityReads } from '../projections/entities/port.ts'
import { backOff, rest } from '../shared/backOff.ts'
import { makeDue } from './due.ts'
import { makeHidden } from './hidden.ts'
import { settledPorts } from './settledPorts.ts'

/**
 * The one consumer of the log that writes what follows from a deletion or a restore: in the log's order it gives
 * children their own events, and takes back what requests began and could not.
 */
export interface Integrity {
  /** Is told what the log gives, in its order, before the read models show it. What was told before does nothing. */
  saw(batch: EventBatch): void
  /** Looks at all there is: what the log gave before was not told. */
  lookEverywhere(): void
  /** What requests work with. */
  readonly requests: Ports
  close(): Promise<void>
}

export interface IntegrityOptions {
  readonly ports: Ports
  readonly pending: PendingRoots
  /** Reads as they are by definition. */
  readonly reads: EntityReads & EntityLists
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /**
   * Does no request carry its own deletion down? Only where one process has the log and the read models to itself:
   * whoever reads and writes must know what is still to come.
   */
  readonly alone: boolean
  /** Milliseconds that requests have where they do, from the last deletion or restore on (default 2,000). */
  readonly grace?: number
  /** Milliseconds that a request has to look below what it has hidden (default 12,000). */
  readonly hidingGrace?: number
  /** Milliseconds for which an answer waits for the events of children (default 900). */
  readonly patience?: number
}

/** Longer than a request waits for the read models. */
const defaultHidingGrace = 12_000

const pauses = { shortest: 50, longest: 5000 }

/** Milliseconds after which who waits looks anew. */
const longestWait = 60_000

/** Waits, a moment, until none of these is pending any more. */
const makeWaiting = ({ pending, patience = 900 }: IntegrityOptions, stopping: AbortSignal) => {
  const moved = makeNotifier()
  return {
    moved: moved.notify,
    until: async (ids: readonly string[], time = patience): Promise<boolean> => {
      const end = performance.now() + time
      const isDone = (): boolean => !ids.some(pending.has)
      for (let left = time; left > 0 && !isDone() && !stopping.aborted; left = end - performance.now())
        await moved.wait(stopping, Math.min(left, longestWait))
      return isDone()
    },
  }
}

interface Working {
  readonly options: IntegrityOptions
  readonly context: Context
  readonly due: ReturnType<typeof makeDue>
  readonly waiting: ReturnType<typeof makeWaiting>
}

/** What is done at each step. After an error how far that had come is not known: then all is looked at. */
const makeWork = ({ options, context, due, waiting }: Working) => {
  const { pending, alone, hidingGrace = defaultHidingGrace } = options
  const hidden = makeHidden(context, hidingGrace)
  let everywhere = false
  let last: bigint | undefined

  const finishEverywhere = async (): Promise<void> => {
    const found = pending.ids()
    last = (await finishAllCascades(context)) ?? last
    await hidden.find()
    pending.remove(found.filter((id) => !due.has(id)))
    waiting.moved()
  }
  const finishDue = async (): Promise<void> => {
    for (let ids = due.take(); ids.length > 0; ids = due.take()) {
      await context.projected(due.position())
      const seen = due.seen()
      // Whatever turns meanwhile comes first: what is left may have turned with it.
      const finished = await finishUntil(context, ids, () => alone && due.seen() > seen)
      last = finished.last ?? last
      if (finished.left.length > 0) due.giveBack([...ids, ...finished.left])
      pending.remove(ids.filter((id) => !due.has(id)))
      waiting.moved()
    }
  }
  return {
    hidden,
    lookEverywhere: (): void => void (everywhere = true),
    /** Position of the last event that was written. */
    last: () => last,
    step: async (): Promise<void> => {
      const isAsked = everywhere
      everywhere = false
      try {
        if (isAsked) await finishEverywhere()
        await finishDue()
        last = (await hidden.reveal()) ?? last
      } catch (error) {
        everywhere = true
        throw error
      }
    },
  }
}

/** What requests work with where children follow by themselves. */
const followingPorts = ({ options, context, due, waiting }: Working, last: () => bigint | undefined): Ports => {
  const { ports, pending, reads } = options
  const { hasChild, hasBelow } = treeIn(reads, ports.kindNamed)
  return {
    ...ports,
    ...settledPorts(ports, context, pending, due.expect),
    tree: { ...ports.tree, hasChild, hasBelow },
    followed: async (ids, time) => ((await waiting.until(ids, time)) ? last() : undefined),
  }
}

/** Follows the log, and writes what follows from it. */
export const startIntegrity = (options: IntegrityOptions): Integrity => {
  const { ports, pending, logger, alone, grace = 2000 } = options
  const stopping = new AbortController()
  const progress = (): void => {
    if (stopping.signal.aborted) throw new StoreUnavailable('The service stops.')
  }
  // A request may wait for what is done here while its own entity is kept for it.
  const context = { ...ports, queued: makeKeyedMutex(), progress }
  const due = makeDue({ alone, grace })
  const told = makeNotifier()
  const working = { options, context, due, waiting: makeWaiting(options, stopping.signal) }
  const work = makeWork(working)

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      try {
        await work.step()
        failures = 0
        await told.wait(stopping.signal, grace / 4)
      } catch (error) {
        if (stopping.signal.aborted) return
        logger.warn({ err: error }, 'children cannot follow at the moment; it is tried again')
        await rest(backOff(failures++, pauses), stopping.signal)
      }
    }
  }
  const running = run()
  return {
    saw: ({ events }) => {
      for (const event of events) {
        const id = due.saw(event)
        if (id !== undefined && alone) pending.add([id])
        work.hidden.saw(event)
      }
      if (!due.isEmpty()) told.notify()
    },
    lookEverywhere: () => {
      work.lookEverywhere()
      told.notify()
    },
    requests: alone ? followingPorts(working, work.last) : ports,
    close: async () => {
      stopping.abort()
      await running
    },
  }
}
