import { NamedError } from '../shared/errors/namedError.ts'

/** A projection did not reach a position in time. What was written is durable and will be seen. */
export class ProjectionBehind extends NamedError {
  override readonly name = 'ProjectionBehind'
}

/** Whether a position is before another one; `undefined` is the beginning of the log. */
export const isBehind = (position: bigint | undefined, other: bigint | undefined): boolean =>
  other !== undefined && (position === undefined || position < other)

export const earlier = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  isBehind(one, other) ? one : other

interface Waiter {
  readonly projection: string
  readonly position: bigint
  readonly wake: () => void
  readonly giveUp: (reason: Error) => void
}

export interface Progress {
  of(projection: string): bigint | undefined
  moveTo(projection: string, position: bigint | undefined): void
  isAwaited(projection: string): boolean
  /** @throws ProjectionBehind when it takes longer than `timeout` milliseconds */
  waitFor(projection: string, position: bigint, timeout: number): Promise<void>
  /** Nothing moves any more: who waits, or would wait from now on, is told why. */
  end(reason: Error): void
}

export interface ProgressOptions {
  readonly awaited?: (projection: string, position: bigint) => void
  readonly moved?: ((projection: string, position: bigint | undefined) => void) | undefined
}

export const makeProgress = ({ awaited, moved }: ProgressOptions = {}): Progress => {
  const positions = new Map<string, bigint | undefined>()
  let waiters: Waiter[] = []
  let over: Error | undefined

  const isReached = ({ projection, position }: Waiter): boolean => !isBehind(positions.get(projection), position)

  return {
    of: (projection) => positions.get(projection),
    isAwaited: (name) => waiters.some(({ projection }) => projection === name),
    moveTo: (projection, position) => {
      positions.set(projection, position)
      moved?.(projection, position)
      const ready = waiters.filter(isReached)
      if (ready.length === 0) return
      waiters = waiters.filter((waiter) => !isReached(waiter))
      for (const waiter of ready) waiter.wake()
    },
    waitFor: (projection, position, timeout) => {
      if (!isBehind(positions.get(projection), position)) return Promise.resolve()
      if (over !== undefined) return Promise.reject(over)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter)
          reject(
            new ProjectionBehind(
              `The read models (${projection}) have not reached position ${position} yet. What was written is ` +
                'durable and ' +
                'will be seen.',
            ),
          )
        }, timeout)
        const waiter: Waiter = {
          projection,
          position,
          wake: () => {
            clearTimeout(timer)
            resolve()
          },
          giveUp: (reason) => {
            clearTimeout(timer)
            reject(reason)
          },
        }
        waiters.push(waiter)
        awaited?.(projection, position)
      })
    },
    end: (reason) => {
      over ??= reason
      for (const waiter of waiters) waiter.giveUp(over)
      waiters = []
    },
  }
}
