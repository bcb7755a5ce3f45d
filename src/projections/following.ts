import type { Bell } from '../events/bell.ts'
import type { EventStore } from '../events/eventStore.ts'
import { mustShow, type Checkpoint, type ProjectionStore } from './projection.ts'
import { isBehind, type Progress } from './progress.ts'

export interface FollowingOptions<Lost extends Error> {
  readonly log: Pick<EventStore, 'eventAt'>
  readonly store: ProjectionStore
  readonly progress: Progress
  readonly stopping: AbortSignal
  /** Rings when somebody begins to wait. */
  readonly awaited: Bell
  /** What is known of the first projection; `goal`: as far as it was ever to be applied. */
  readonly main: { goal: bigint | undefined; failure: Error | undefined }
  readonly checkEvery?: number
  readonly isLost: (error: unknown) => error is Lost
  readonly onLost: (reason: Lost) => void
  readonly onTime?: (time: number) => void
}

/** Milliseconds between two looks while somebody waits for what another process projects, and while nobody does. */
const shortPause = 5
const longPause = 250

/**
 * Follows how far another process has projected, until the signal aborts: the log is not read for it. While somebody waits
 * for a projection its checkpoint is read again and again, else all of them now and then.
 */
export const followCheckpoints = async <Lost extends Error>(options: FollowingOptions<Lost>): Promise<void> => {
  const { log, store, progress, stopping, awaited, main, checkEvery = 2000 } = options
  const names = store.projections.map(({ name }) => name)
  const first = names[0] as string
  let checked = performance.now()

  const look = async (name: string): Promise<void> => {
    const shown = await store.sharing?.shown(name)
    progress.moveTo(name, shown?.position)
    if (name === first) reached(shown)
  }
  const reached = (shown: Checkpoint | undefined): void => {
    if (isBehind(main.goal, shown?.position)) main.goal = shown?.position
    const isBack = isBehind(shown?.position, main.goal)
    main.failure = isBack ? new Error('The read models were emptied or replaced, and are built again.') : undefined
    if (shown?.time !== undefined) options.onTime?.(Date.parse(shown.time))
  }
  const check = async (): Promise<void> => {
    checked = performance.now()
    const reason = await mustShow(store, log).catch((error: unknown) => error)
    if (options.isLost(reason)) options.onLost(reason)
  }
  while (!stopping.aborted) {
    const waitedFor = names.filter(progress.isAwaited)
    try {
      await Promise.all((waitedFor.length > 0 ? waitedFor : names).map(look))
    } catch (error) {
      main.failure = error as Error
    }
    if (performance.now() - checked > checkEvery) await check()
    await awaited.wait(stopping, names.some(progress.isAwaited) ? shortPause : longPause)
  }
}
