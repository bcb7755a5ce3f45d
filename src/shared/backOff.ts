import { setTimeout as delay } from 'node:timers/promises'

export interface BackOff {
  readonly shortest: number
  readonly longest: number
}

/**
 * Milliseconds until the next try: anything up to a bound that doubles with each failure, so that those who failed
 * together do not come back together.
 * @param failures in a row; 0: this was the first
 */
export const backOff = (failures: number, { shortest, longest }: BackOff): number =>
  Math.random() * Math.min(longest, shortest * 2 ** failures)

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export const rest = (milliseconds: number, signal: AbortSignal, ref = true): Promise<void> =>
  delay(milliseconds, undefined, { signal, ref }).catch(() => undefined)
