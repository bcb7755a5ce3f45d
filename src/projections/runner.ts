import { makeNotifier } from '../events/notifier.ts'
import type { EventStore } from '../events/eventStore.ts'
import { makeRowFold, type FoldOptions } from './fold.ts'
import { followCheckpoints } from './processes/followCheckpoints.ts'
import { makeHearing } from './processes/hearing.ts'
import { isLost, newLane, runLanes, type Lost } from './lanes.ts'
import { makeLabels } from './labels.ts'
import { makeProgress, ProjectionBehind } from './progress.ts'
import type { Projection, ProjectionLogger, ProjectionStore } from './projection.ts'
import { takeTurns } from './processes/takeTurns.ts'

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
  /** Called when it becomes the turn of this process to project, after another one did. */
  readonly onTurn?: () => void
  /** Is told the time of the newest event that another process has projected, in epoch milliseconds. */
  readonly onTime?: (time: number) => void
  /** Milliseconds between two signs of life to other processes (default 700). */
  readonly beat?: number
  readonly onMoved?: (projection: string, position: bigint | undefined) => void
}

/** Keeps the projections in step by a subscription, or follows how far another process does while it is its turn. */
export const startRunner = (options: RunnerOptions): Runner => {
  const { store } = options
  const stopping = new AbortController()
  const awaited = makeNotifier()
  const main = newLane(store.projections)
  const { name: first } = store.projections[0] as Projection
  const progress = makeProgress({
    awaited: (projection, position) => {
      awaited.notify()
      if (projection !== first) main.kept?.hurry()
      if (store.beside?.projections.includes(projection)) beside?.hurry(projection, position)
    },
    moved: options.onMoved,
  })
  let lost: Lost | undefined
  let projects = store.sharing === undefined
  const onLost = (reason: Lost): void => {
    if (lost !== undefined || stopping.signal.aborted) return
    lost = reason
    stopping.abort()
    progress.end(reason)
    options.onLost(reason)
  }
  const running = { ...options, onLost, fold: makeRowFold(options), labelsOf: makeLabels(options.log), progress, main }
  const project = async (term: AbortSignal): Promise<void> => {
    projects = true
    if (store.sharing !== undefined) options.onTurn?.()
    await runLanes(running, term)
    projects = false
  }
  const follow = (signal: AbortSignal): Promise<void> =>
    followCheckpoints({ ...running, isLost, awaited, stopping: signal })
  const state = () => ({
    place: `${main.position} ${main.given} ${progress.of(first)}`,
    due: main.failure !== undefined || progress.isAwaited(first),
    position: progress.of(first),
  })
  const beside = store.beside?.start({ moved: progress.moveTo, lost: onLost, logger: options.logger })
  const hear = () => makeHearing({ log: options.log, main })
  const { sharing } = store
  const going =
    sharing === undefined
      ? project(stopping.signal)
      : takeTurns({ sharing, project, follow, state, hear, stopping: stopping.signal, beat: options.beat })
  return {
    position: (projection = first) => progress.of(projection),
    shown: async () => (sharing === undefined ? progress.of(first) : (await sharing.shown(first))?.position),
    failure: () => lost ?? main.failure,
    projects: () => projects,
    waitFor: (position, timeout = 10_000, projection = first) => progress.waitFor(projection, position, timeout),
    stop: async () => {
      stopping.abort()
      progress.end(lost ?? new ProjectionBehind('The service stops.'))
      await Promise.all([going, beside?.stop()])
    },
  }
}
