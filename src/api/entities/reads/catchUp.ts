import type { Api } from '../../deps.ts'

/** Milliseconds, of which a request has 30,000. */
const longestWait = 20_000

/**
 * Waits until a projection has caught up. @param position default: with the entities
 * @throws ProjectionBehind when it takes too long
 */
export const waitForProjection = async (
  { runner }: Pick<Api, 'runner'>,
  projection: string,
  position?: bigint,
): Promise<void> => {
  const awaited = position ?? (await runner.shownPosition())
  if (awaited !== undefined) await runner.waitFor(awaited, longestWait, projection)
}

/**
 * Whether this is a valid position. If others append to the same store, positions after the newest event of this
 * catalog can be valid too.
 */
export const isLogPosition = async ({ runner, log }: Pick<Api, 'runner' | 'log'>, position: bigint): Promise<boolean> =>
  position <= (runner.position() ?? -1n) || position <= ((await log.head()) ?? -1n)
