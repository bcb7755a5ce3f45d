import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { backOff, type BackOff } from '../shared/backOff.ts'
import { StoreUnavailable } from '../events/eventStore.ts'

const pauses: BackOff = { shortest: 200, longest: 5000 }

/** Does the work, and again while a store cannot be reached, with growing pauses and jitter. Other errors end it. */
export const retrying = async <T>(
  work: () => Promise<T>,
  what: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || signal.aborted) throw error
      const pause = Math.round(backOff(tries, pauses))
      logger.warn({ error: error.message, pause }, `${what} cannot be reached yet: trying again`)
      await delay(pause, undefined, { signal })
    }
  }
}
