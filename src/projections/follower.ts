import type { EventStore } from '../events/eventStore.ts'
import { needsRebuild, type RebuildNeeded } from './errors.ts'
import { isBehind } from '../events/events.ts'
import { anyProjection, type Progress } from './progress.ts'
import { assertSameLog, type Checkpoint, type ProjectionStore } from './projection.ts'

interface FollowerOptions {
  readonly log: Pick<EventStore, 'eventAt' | 'head' | 'dense'>
  readonly store: ProjectionStore
  readonly progress: Progress
  readonly checkEvery?: number
  readonly onLost: (reason: RebuildNeeded) => void
  /** Called with the time (epoch milliseconds) of the newest event projected by another process. */
  readonly onTime?: (time: number) => void
}

/** Poll interval in milliseconds while somebody waits, growing with each unsuccessful poll. */
const shortestPause = 5
const longestPause = 50

/** Poll interval while nobody waits. */
const quietPause = 1000

/** Follows the checkpoints of another process: those that somebody waits for, otherwise the first. */
export const makeFollower = (options: FollowerOptions) => {
  const { log, store, progress, checkEvery = 2000 } = options
  const names = store.projections.map(({ name }) => name)
  const first = names[0] as string
  let failure: Error | undefined
  let goal: bigint | undefined
  let newest: Checkpoint | undefined
  let checked = performance.now()
  let checking = false

  const look = async (name: string): Promise<boolean> => {
    const shown = await store.shown?.(name)
    const hasMoved = shown?.position !== progress.of(name)
    progress.moveTo(name, shown?.position)
    if (name !== first) return hasMoved
    newest = shown
    if (isBehind(goal, shown?.position)) goal = shown?.position
    const isBack = isBehind(shown?.position, goal)
    failure = isBack ? new Error('The read models were emptied or replaced, and are built again.') : undefined
    if (shown?.time !== undefined) options.onTime?.(Date.parse(shown.time))
    return hasMoved
  }
  const lookAtAwaited = async (): Promise<boolean> => {
    const awaited = names.filter(progress.isAwaited)
    try {
      return (await Promise.all((awaited.length > 0 ? awaited : [first]).map(look))).includes(true)
    } catch (error) {
      failure = error as Error
      return false
    }
  }
  const check = async (): Promise<void> => {
    if (checking || performance.now() - checked < checkEvery) return
    checking = true
    const reason = await assertSameLog(new Map(newest && [[first, newest]]), log).catch((error: unknown) => error)
    if (needsRebuild(reason)) options.onLost(reason)
    checked = performance.now()
    checking = false
  }
  return {
    failure: () => failure,
    run: async (stopping: AbortSignal): Promise<void> => {
      goal = progress.of(first)
      for (let pause = shortestPause; !stopping.aborted;) {
        pause = (await lookAtAwaited()) ? shortestPause : Math.min(longestPause, pause * 1.5)
        void check()
        const isAwaited = names.some(progress.isAwaited)
        if (!isAwaited) pause = shortestPause
        await progress.awaited(anyProjection, stopping, isAwaited ? pause : quietPause)
      }
      failure = undefined
    },
  }
}
