import { setImmediate } from 'node:timers/promises'
import { makeNotifier } from '../events/logTail.ts'
import { isBehind } from '../events/events.ts'
import { ProjectionBehind } from './errors.ts'
import { memoizeByKey } from '../shared/memoize.ts'
import type { Guard } from '../stores/errors.ts'

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

interface Shown {
  readonly positions: Map<string, bigint | undefined>
  /** The furthest position that each projection has had. */
  readonly furthest: Map<string, bigint | undefined>
  /** How often a position went back. */
  setbacks: number
}

const move = (shown: Shown, projection: string, position: bigint | undefined): void => {
  const { positions, furthest } = shown
  if (isBehind(position, positions.get(projection))) shown.setbacks++
  if (isBehind(furthest.get(projection), position)) furthest.set(projection, position)
  positions.set(projection, position)
}

export const makeProgress = ({ awaited, moved }: ProgressOptions = {}) => {
  const shown: Shown = { positions: new Map(), furthest: new Map(), setbacks: 0 }
  let waiters: Waiter[] = []
  let endReason: Error | undefined
  const notifierOf = memoizeByKey((_projection: string | symbol) => makeNotifier())
  const waiting = (name: string): number => waiters.filter(({ projection }) => projection === name).length
  const isReached = ({ projection, position }: Waiter): boolean => !isBehind(shown.positions.get(projection), position)
  return {
    shown,
    of: (projection: string) => shown.positions.get(projection),
    /** Resolves when somebody starts to wait for a projection, after `timeout` milliseconds, or when the signal aborts. */
    awaited: async (projection: string | symbol, signal: AbortSignal, timeout?: number): Promise<void> =>
      void (await notifierOf(projection).wait(signal, timeout)),
    /** Number of those that wait for a projection. */
    waiting,
    /** Resolves unless only others are waited for; then when nobody waits, after `timeout` milliseconds, or on abort. */
    yieldPriority: async (name: string, signal: AbortSignal, timeout: number): Promise<void> => {
      // Requests to wait may be messages that have not been received yet.
      await setImmediate()
      if (waiters.length > 0 && waiting(name) === 0) await notifierOf(noProjection).wait(signal, timeout)
    },
    moveTo: (projection: string, position: bigint | undefined): void => {
      move(shown, projection, position)
      moved?.(projection, position)
      const ready = waiters.filter(isReached)
      if (ready.length === 0) return
      waiters = waiters.filter((waiter) => !isReached(waiter))
      for (const { resolve } of ready) resolve()
      if (waiters.length === 0) notifierOf(noProjection).notify()
    },
    /** @throws ProjectionBehind when it takes longer than `timeout` milliseconds (default: it waits until the end) */
    waitFor: (projection: string, position: bigint, timeout?: number): Promise<void> => {
      if (!isBehind(shown.positions.get(projection), position)) return Promise.resolve()
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
 * Guards reads of what a projection shows, so that they never show less than it has shown: after a setback they wait, and
 * read again.
 * @param timeout milliseconds after which they throw ProjectionBehind
 */
export const steadily =
  ({ shown, waitFor }: Pick<Progress, 'shown' | 'waitFor'>, projection: string, timeout: number): Guard =>
  async (read) => {
    for (;;) {
      const furthest = shown.furthest.get(projection)
      if (isBehind(shown.positions.get(projection), furthest)) {
        await waitFor(projection, furthest as bigint, timeout)
        continue
      }
      const before = shown.setbacks
      const found = await read()
      if (shown.setbacks === before) return found
    }
  }
