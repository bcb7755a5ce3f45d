import type { Logger } from 'pino'
import { backoff, retrying, type Backoff } from '../shared/backOff.ts'
import { StoreUnavailable } from '../events/eventStore.ts'
import { ProjectionBehind } from '../projections/errors.ts'

const pauses: Backoff = { shortest: 200, longest: 5000 }

const unreached = (what: string, seconds: number, cause: Error): Error =>
  new Error(
    `${what} could not be reached for ${seconds} seconds (${cause.message}): check that it runs and that its address is ` +
      'right, or give it longer with CATALOG_START_TIMEOUT.',
    { cause },
  )

export interface Retries {
  readonly logger: Logger
  /** Aborts without a result. */
  readonly signal: AbortSignal
  /** Timeout in seconds. */
  readonly seconds: number
}

/** A long log of others is read before the first event of a new catalog is shown. */
const isLate = (error: unknown): error is Error =>
  error instanceof StoreUnavailable || error instanceof ProjectionBehind

/**
 * Retries work while a store or a projection is late, with growing pauses and jitter. Other errors are thrown, and
 * after the timeout an error that says what to do.
 */
export const untilReady = <T>(
  work: () => Promise<T>,
  what: string,
  { logger, signal, seconds }: Retries,
): Promise<T> => {
  const end = performance.now() + seconds * 1000
  const pauseAfter = (error: unknown, failures: number): number => {
    if (!isLate(error) || signal.aborted) throw error
    if (performance.now() > end) throw unreached(what, seconds, error)
    const pause = Math.round(backoff(failures, pauses))
    logger.warn({ error: error.message, pause }, `${what} is not ready yet: trying again`)
    return pause
  }
  return retrying(work, pauseAfter, signal)
}
