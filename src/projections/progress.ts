import { setImmediate } from 'node:timers/promises'
import { makeNotifier, type Notifier } from '../events/logTail.ts'
import { isBehind } from '../events/events.ts'
import { ProjectionBehind } from './errors.ts'

interface Waiter {
  readonly projection: string
  readonly position: bigint
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

export const anyProjection = Symbol('any projection')
const noProjection = Symbol('no projection')

interface ProgressOptions {
  readonly awaited?: (projection: string, position: bigint) => void
  readonly moved?: ((projection: string, position: bigint | undefined) => void) | undefined
}

const notReached = (projection: string, position: bigint): ProjectionBehind =>
  new ProjectionBehind(
    `The read models (${projection}) have not reached position ${position} yet. What was written is durable and will ` +
      'be seen.',
  )

const makePositions = () => {
  const positions = new Map<string, bigint | undefined>()
  const furthest = new Map<string, bigint | undefined>()
  let setbacks = 0
  return {
    of: (projection: string): bigint | undefined => positions.get(projection),
    /** The furthest position that a projection has had. */
    furthest: (projection: string): bigint | undefined => furthest.get(projection),
    /** How often a position went back. */
    setbacks: (): number => setbacks,
    move: (projection: string, position: bigint | undefined): void => {
      if (isBehind(position, positions.get(projection))) setbacks++
      if (isBehind(furthest.get(projection), position)) furthest.set(projection, position)
      positions.set(projection, position)
    },
  }
}

export const makeProgress = ({ awaited, moved }: ProgressOptions = {}) => {
  const { move, ...positions } = makePositions()
  let waiters: Waiter[] = []
  let endReason: Error | undefined
  const notifiers = new Map<string | symbol, Notifier>()
  const notifierOf = (projection: string | symbol): Notifier => {
    const notifier = notifiers.get(projection) ?? makeNotifier()
    notifiers.set(projection, notifier)
    return notifier
  }

  const isAwaited = (name: string): boolean => waiters.some(({ projection }) => projection === name)
  const isReached = ({ projection, position }: Waiter): boolean => !isBehind(positions.of(projection), position)

  return {
    ...positions,
    /** Resolves when somebody starts to wait for a projection, after `timeout` milliseconds, or when the signal aborts. */
    awaited: async (projection: string | symbol, signal: AbortSignal, timeout?: number): Promise<void> =>
      void (await notifierOf(projection).wait(signal, timeout)),
    isAwaited,
    /** Resolves unless only others are waited for; then when nobody waits, after `timeout` milliseconds, or on abort. */
    yieldPriority: async (name: string, signal: AbortSignal, timeout: number): Promise<void> => {
      // Requests to wait may be messages that have not been received yet.
      await setImmediate()
      if (waiters.length > 0 && !isAwaited(name)) await notifierOf(noProjection).wait(signal, timeout)
    },
    moveTo: (projection: string, position: bigint | undefined): void => {
      move(projection, position)
      moved?.(projection, position)
      const ready = waiters.filter(isReached)
      if (ready.length === 0) return
      waiters = waiters.filter((waiter) => !isReached(waiter))
      for (const { resolve } of ready) resolve()
      if (waiters.length === 0) notifierOf(noProjection).notify()
    },
    /** @throws ProjectionBehind when it takes longer than `timeout` milliseconds (default: it waits until the end) */
    waitFor: (projection: string, position: bigint, timeout?: number): Promise<void> => {
      if (!isBehind(positions.of(projection), position)) return Promise.resolve()
      if (endReason !== undefined) return Promise.reject(endReason)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const giveUp = (): void => {
        waiters = waiters.filter((other) => other !== waiter)
        reject(notReached(projection, position))
      }
      const timer = timeout === undefined ? undefined : setTimeout(giveUp, timeout)
      const waiter: Waiter = { projection, position, resolve, reject }
      waiters.push(waiter)
      notifierOf(projection).notify()
      notifierOf(anyProjection).notify()
      awaited?.(projection, position)
      return promise.finally(() => clearTimeout(timer))
    },
    /** Ends all progress: present and future waiters reject with the reason. */
    end: (reason: Error): void => {
      endReason ??= reason
      for (const { reject } of waiters) reject(endReason)
      waiters = []
    },
  }
}

export type Progress = ReturnType<typeof makeProgress>

/**
 * Reads what a projection shows, never less than it has shown: after a setback it waits, and reads again.
 * @param timeout milliseconds @throws ProjectionBehind when it takes longer
 */
export const readSteadily = async <T>(
  { of, furthest, setbacks, waitFor }: Progress,
  projection: string,
  read: () => Promise<T>,
  timeout: number,
): Promise<T> => {
  for (;;) {
    const shown = furthest(projection)
    if (isBehind(of(projection), shown)) {
      await waitFor(projection, shown as bigint, timeout)
      continue
    }
    const before = setbacks()
    const found = await read()
    if (setbacks() === before) return found
  }
}
