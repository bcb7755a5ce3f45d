import { isBehind } from '../../../events/events.ts'
import { ProjectionBehind } from '../../../projections/errors.ts'
import type { Api } from '../../deps.ts'

/** Waits until a projection has caught up with the entities. @throws ProjectionBehind when it makes no progress */
export const waitForProjection = async ({ runner }: Pick<Api, 'runner'>, projection: string): Promise<void> => {
  const shown = await runner.shownPosition()
  if (shown === undefined) return
  for (const begun = performance.now(); ;) {
    const before = runner.position(projection)
    try {
      return await runner.waitFor(shown, undefined, projection)
    } catch (error) {
      const comesOn = isBehind(before, runner.position(projection)) && performance.now() - begun < longestLevel
      if (!(error instanceof ProjectionBehind) || !comesOn) throw error
    }
  }
}

/** Longest wait in milliseconds. A request has 30 seconds. */
const longestLevel = 20_000

/**
 * Whether this is a valid position. If others append to the same store, positions after the newest event of this
 * catalog can be valid too.
 */
export const isLogPosition = async ({ runner, log }: Pick<Api, 'runner' | 'log'>, position: bigint): Promise<boolean> =>
  position <= (runner.position() ?? -1n) || position <= ((await log.head()) ?? -1n)
