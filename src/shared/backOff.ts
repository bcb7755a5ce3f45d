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

/** Repeats work until the signal aborts, with a pause after a failure that grows with each in a row. */
export const repeat = async (
  work: () => Promise<unknown>,
  { signal, pauses, failed }: { signal: AbortSignal; pauses: Backoff; failed: (error: unknown) => void },
): Promise<void> => {
  for (let failures = 0; !signal.aborted;)
    try {
      await work()
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failed(error)
      await sleep(backoff(failures++, pauses), signal)
    }
}

/**
 * Repeats work that fails, with pauses. @param pauseAfter gives the milliseconds before the next try, or throws
 * @throws AbortError when the signal aborts in a pause
 */
export const retrying = async <T>(
  work: () => Promise<T>,
  pauseAfter: (error: unknown, failures: number) => number,
  signal?: AbortSignal,
): Promise<T> => {
  for (let failures = 0; ; failures++)
    try {
      return await work()
    } catch (error) {
      await delay(pauseAfter(error, failures), undefined, { signal })
    }
}

/** The result of work, or `fallback` if it fails or takes longer than this many milliseconds. */
export const inTime = <T, E>(milliseconds: number, work: () => Promise<T>, fallback: E): Promise<T | E> =>
  Promise.race([work().catch(() => fallback), delay(milliseconds, fallback, { ref: false })])

/** Resolves after this many milliseconds, or as soon as the signal aborts. */
export const sleep = (milliseconds: number, signal: AbortSignal, ref = true): Promise<void> =>
  delay(milliseconds, undefined, { signal, ref }).catch(() => undefined)
