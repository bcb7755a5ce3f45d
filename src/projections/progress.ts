/** A projection did not reach a position in time. What was written is durable and will be seen. */
export class ProjectionBehind extends Error {
  override readonly name = 'ProjectionBehind'
}

/** Whether a position is before another one; `undefined` is the beginning of the log. */
export const isBehind = (position: bigint | undefined, other: bigint | undefined): boolean =>
  other !== undefined && (position === undefined || position < other)

interface Waiter {
  readonly projection: string
  readonly position: bigint
  readonly wake: () => void
}

/** How far each projection has come, and who waits for that. */
export interface Progress {
  of(projection: string): bigint | undefined
  moveTo(projection: string, position: bigint | undefined): void
  /** @throws ProjectionBehind when it takes longer than `timeout` milliseconds */
  waitFor(projection: string, position: bigint, timeout: number): Promise<void>
}

export const makeProgress = (): Progress => {
  const positions = new Map<string, bigint | undefined>()
  let waiters: Waiter[] = []

  const isReached = ({ projection, position }: Waiter): boolean => !isBehind(positions.get(projection), position)

  return {
    of: (projection) => positions.get(projection),
    moveTo: (projection, position) => {
      positions.set(projection, position)
      const ready = waiters.filter(isReached)
      if (ready.length === 0) return
      waiters = waiters.filter((waiter) => !ready.includes(waiter))
      for (const waiter of ready) waiter.wake()
    },
    waitFor: (projection, position, timeout) => {
      if (!isBehind(positions.get(projection), position)) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter)
          reject(new ProjectionBehind(`The read models have not reached position ${position} yet.`))
        }, timeout)
        const waiter = {
          projection,
          position,
          wake: () => {
            clearTimeout(timer)
            resolve()
          },
        }
        waiters.push(waiter)
      })
    },
  }
}
