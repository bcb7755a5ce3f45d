import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '../events/eventStore.ts'
import { isLost, ProjectionBehind, type Lost } from './errors.ts'
import type { FoldOptions } from './fold.ts'
import { makeFollower } from './follower.ts'
import { leadInTurns } from './lease.ts'
import { isBehind } from '../events/events.ts'
import { makeProgress, type Progress } from './progress.ts'
import { mustShow, type Projection, type ProjectionLogger, type ProjectionStore } from './projection.ts'
import type { Projector } from './projector.ts'
import { makeProjectors } from './projectors.ts'

export interface Runner {
  /**
   * Resolves when a projection, the first by default, shows the position.
   * @throws ProjectionBehind after `timeout` milliseconds (default 10,000) or when it stops
   * @throws OtherLog, DamagedReadModels when the read models must be built again
   */
  waitFor(position: bigint, timeout?: number, projection?: string): Promise<void>
  /** Position up to which a projection has come, the first one unless one is named; `undefined`: the beginning. */
  position(projection?: string): bigint | undefined
  /** How far the first projection has come in what is read, whichever process has written it. */
  shown(): Promise<bigint | undefined>
  /** The error that projecting last failed with, until everything that was to be applied by then has been. */
  failure(): Error | undefined
  /** Does this process write the projections now? Always, where it has them to itself. */
  projects(): boolean
  /** Number of the present turn of this process to project; `undefined`: it does not. */
  turn(): number | undefined
  stop(): Promise<void>
}

export interface RunnerOptions extends FoldOptions {
  readonly log: EventStore
  readonly store: ProjectionStore
  readonly logger: ProjectionLogger
  /** Told, once, what only read models that are built again can mend; nothing is projected any more then. */
  readonly onLost: (reason: Lost) => void
  /** Every so many milliseconds it is checked that the projections still show what was applied (default 2,000). */
  readonly checkEvery?: number
  /** Called when this process begins to project, where it shares the projections with others. */
  readonly onTurn?: () => void
  /** Is told the time of the newest event that another process has projected, in epoch milliseconds. */
  readonly onTime?: (time: number) => void
  /** Milliseconds between two signs of life to other processes (default 700). */
  readonly beat?: number
  readonly onMoved?: (projection: string, position: bigint | undefined) => void
}

/** Does who projects get anywhere: it moves, is at work, or shows all that the log has? */
const makeHealth = ({ log }: RunnerOptions, main: Projector, position: () => bigint | undefined) => {
  let before = position()
  return async (within: number): Promise<boolean> => {
    const hasMoved = position() !== before
    before = position()
    if (hasMoved || main.isApplying()) return true
    if (main.failure() !== undefined) return false
    const late = new AbortController()
    const silence = delay(within, false, { signal: late.signal }).catch(() => false)
    const isAtHead = log.head().then(
      (head) => !isBehind(position(), head),
      () => false,
    )
    return Promise.race([isAtHead, silence]).finally(() => late.abort())
  }
}

/** Begins anew with projections that have gone back: somebody has emptied or replaced them, or the log. */
const watch = (
  { log, store, checkEvery = 2000 }: RunnerOptions,
  projectors: ReadonlyMap<string, Projector>,
  progress: Progress,
  onLost: (reason: Lost) => void,
) => {
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    try {
      const before = [...projectors.keys()].map((name) => [name, progress.of(name)] as const)
      const checkpoints = await store.checkpoints()
      for (const [name, position] of before)
        if (isBehind(checkpoints.get(name)?.position, position)) projectors.get(name)?.restart()
      await mustShow(checkpoints, log)
    } catch (error) {
      // Where a store does not answer, whoever projects meets the same error and reports it.
      if (isLost(error)) onLost(error)
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), checkEvery)
  return { end: () => clearInterval(timer) }
}

/** Keeps the projections in step with the log, or follows how far another process does while it has the lease. */
export const startRunner = (options: RunnerOptions): Runner => {
  const { store, beat } = options
  const { lease, worker } = store
  const stopping = new AbortController()
  const { name: first } = store.projections[0] as Projection
  const progress = makeProgress({
    awaited: (projection, position) => {
      if (worker?.projections.includes(projection)) working?.awaited(projection, position)
    },
    moved: options.onMoved,
  })
  let lost: Lost | undefined
  let [turns, turn]: [number, number?] = lease === undefined ? [0, 0] : [0]
  const onLost = (reason: Lost): void => {
    if (lost !== undefined || stopping.signal.aborted) return
    lost = reason
    stopping.abort()
    progress.end(reason)
    options.onLost(reason)
  }
  const projectors = makeProjectors({ ...options, progress, onLost })
  const main = projectors.get(first) as Projector
  const follower = makeFollower({ ...options, progress, onLost })
  const lead = async (term: AbortSignal): Promise<void> => {
    turn = ++turns
    if (lease !== undefined) options.onTurn?.()
    const watching = watch(options, projectors, progress, onLost)
    await Promise.all([...projectors.values()].map((projector) => projector.run(term)))
    watching.end()
    turn = undefined
  }
  const position = (): bigint | undefined => progress.of(first)
  const isHealthy = makeHealth(options, main, position)
  const working = worker?.start({ moved: progress.moveTo, lost: onLost, logger: options.logger })
  const going =
    lease === undefined
      ? lead(stopping.signal)
      : leadInTurns({ lease, lead, follow: follower.run, isHealthy, position, stopping: stopping.signal, beat })
  return {
    position: (projection = first) => progress.of(projection),
    shown: async () => (lease === undefined ? position() : (await store.shown?.(first))?.position),
    failure: () => lost ?? (turn !== undefined ? main.failure() : follower.failure()),
    projects: () => turn !== undefined,
    turn: () => turn,
    waitFor: (awaited, timeout = 10_000, projection = first) => progress.waitFor(projection, awaited, timeout),
    stop: async () => {
      stopping.abort()
      progress.end(lost ?? new ProjectionBehind('The service stops.'))
      await going
      await working?.stop()
    },
  }
}
