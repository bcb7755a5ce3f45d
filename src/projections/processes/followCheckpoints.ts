import type { Notifier } from '../../events/notifier.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { mustShow, type Checkpoint, type ProjectionStore } from '../projection.ts'
import { isBehind, type Progress } from '../progress.ts'

export interface FollowingOptions<Lost extends Error> {
  readonly log: Pick<EventStore, 'eventAt' | 'head' | 'dense'>
  readonly store: ProjectionStore
  readonly progress: Progress
  readonly stopping: AbortSignal
  /** Is notified when somebody begins to wait. */
  readonly awaited: Notifier
  /** What is known of the first projection; `goal`: as far as it was ever to be applied. */
  readonly main: { goal: bigint | undefined; failure: Error | undefined }
  readonly checkEvery?: number
  readonly isLost: (error: unknown) => error is Lost
  readonly onLost: (reason: Lost) => void
  readonly onTime?: (time: number) => void
}

/** Milliseconds between two looks while somebody waits, more with each look in vain. */
const shortestPause = 5
const longestPause = 50

/** And while nobody waits. */
const quietPause = 1000

/**
 * Follows how far another process has projected, by checkpoints alone: again and again those that somebody waits for,
 * else that of the first now and then.
 */
export const followCheckpoints = async <Lost extends Error>(options: FollowingOptions<Lost>): Promise<void> => {
  const { log, store, progress, stopping, awaited, main, checkEvery = 2000 } = options
  const names = store.projections.map(({ name }) => name)
  const first = names[0] as string
  let newest: Checkpoint | undefined
  let checked = performance.now()

  /** @returns whether it has moved */
  const look = async (name: string): Promise<boolean> => {
    const shown = await store.sharing?.shown(name)
    const before = progress.of(name)
    progress.moveTo(name, shown?.position)
    if (name === first) reached(shown)
    return shown?.position !== before
  }
  const reached = (shown: Checkpoint | undefined): void => {
    newest = shown
    if (isBehind(main.goal, shown?.position)) main.goal = shown?.position
    const isBack = isBehind(shown?.position, main.goal)
    main.failure = isBack ? new Error('The read models were emptied or replaced, and are built again.') : undefined
    if (shown?.time !== undefined) options.onTime?.(Date.parse(shown.time))
  }
  const lookAll = async (): Promise<boolean> => {
    const waitedFor = names.filter(progress.isAwaited)
    try {
      return (await Promise.all((waitedFor.length > 0 ? waitedFor : [first]).map(look))).includes(true)
    } catch (error) {
      main.failure = error as Error
      return false
    }
  }
  const check = async (): Promise<void> => {
    if (performance.now() - checked < checkEvery) return
    checked = performance.now()
    const shown = new Map(newest && [[first, newest]])
    const reason = await mustShow(shown, log).catch((error: unknown) => error)
    if (options.isLost(reason)) options.onLost(reason)
  }
  for (let pause = shortestPause; !stopping.aborted;) {
    pause = (await lookAll()) ? shortestPause : Math.min(longestPause, pause * 1.5)
    await check()
    const isAwaited = names.some(progress.isAwaited)
    if (!isAwaited) pause = shortestPause
    await awaited.wait(stopping, isAwaited ? pause : quietPause)
  }
}
