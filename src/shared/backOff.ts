import { setTimeout as delay } from 'node:timers/promises'

export interface Backoff {
  readonly shortest: number
  readonly longest: number
}

/**
 * A random delay in milliseconds below a bound that doubles with each failure, so that callers that failed together do
 * not retry together.
 * @param failures consecutive failures before this one
 */
export const backoff = (failures: number, { shortest, longest }: Backoff): number =>
  Math.random() * Math.min(longest, shortest * 2 ** failures)

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export const sleep = (milliseconds: number, signal: AbortSignal, ref = true): Promise<void> =>
  delay(milliseconds, undefined, { signal, ref }).catch(() => undefined)
