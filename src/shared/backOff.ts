import { setTimeout as delay } from 'node:timers/promises'

/** How long to pause after failures, in milliseconds. */
export interface BackOff {
  /** Bound of the first pause. */
  readonly shortest: number
  /** Bound of all pauses. */
  readonly longest: number
}

/**
 * The pause before the next try: its bound doubles with each failure, and it is anything up to that, so that those who
 * failed together do not come back together.
 * @param failures in a row; 0: this was the first
 * @returns milliseconds
 */
export const backOff = (failures: number, { shortest, longest }: BackOff): number =>
  Math.random() * Math.min(longest, shortest * 2 ** failures)

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export const rest = (milliseconds: number, signal: AbortSignal, ref = true): Promise<void> =>
  delay(milliseconds, undefined, { signal, ref }).catch(() => undefined)
