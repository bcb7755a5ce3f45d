import { setTimeout as delay } from 'node:timers/promises'
import { sleep } from '../shared/backOff.ts'

/** The last report of a process that shares read models. */
export interface ProcessState {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Version of the catalog. */
  readonly version: string
  readonly startedAt: Date
  /** By the process's own clock. */
  readonly seenAt: Date
  readonly projects: boolean
  /** Known position of the first projection; `undefined` if nothing is applied. */
  readonly position: bigint | undefined
}

/**
 * Elects the process that projects; the others follow its checkpoints. This only saves work: rows are guarded by
 * revisions and checkpoints never go back, so that two concurrent projectors lose and duplicate nothing.
 */
export interface Lease {
  /** Id of this process. */
  readonly id: string
  /**
   * Acquires or renews the lease; a lease that was not renewed for some seconds counts as free. @returns whether this
   * process holds it
   */
  hold(): Promise<boolean>
  /** Releases the lease if this process holds it. */
  release(): Promise<void>
  /** Reports this process and its known position of the first projection. */
  report(position: bigint | undefined): Promise<void>
  leave(): Promise<void>
  /** Processes that reported recently, oldest first. */
  processes(): Promise<ProcessState[]>
}

interface LeaseOptions {
  readonly lease: Lease
  /** Projects until the signal aborts. */
  readonly lead: (term: AbortSignal) => Promise<void>
  /** Follows the projections of another process until the signal aborts. */
  readonly follow: (term: AbortSignal) => Promise<void>
  /** Whether the log answers and projecting makes progress; checked at every renewal. */
  readonly isHealthy: (within: number) => Promise<boolean>
  readonly position: () => bigint | undefined
  readonly stopping: AbortSignal
  /** Milliseconds between two renewals (default 700). */
  readonly beat?: number | undefined
}

/** Milliseconds without progress, or without an answer of the store, after which the holder releases the lease. */
const stallTimeout = 2500

/** Milliseconds for which it does not compete for the lease after that. */
const aside = 3000

/** Interval of reports in milliseconds. */
const reportEvery = 2000

/** Timeout in milliseconds of releasing the lease on shutdown. */
const farewell = 1000

const begin = (work: (term: AbortSignal) => Promise<void>) => {
  const over = new AbortController()
  const done = work(over.signal)
  return {
    end: () => {
      over.abort()
      return done
    },
  }
}

/** Projects while this process holds the lease; follows otherwise. */
export const leadWithLease = async (options: LeaseOptions): Promise<void> => {
  const { lease, lead, follow, stopping, beat = 700 } = options
  let leads = false
  let occupation = begin(follow)
  let [wellAt, heldAt, asideUntil, reportedAt] = [0, 0, -Infinity, -Infinity]

  /** Whether this process leads; unchanged while the store does not answer. */
  const isElected = async (): Promise<boolean> => {
    const now = performance.now()
    if (now < asideUntil) return false
    if (leads && now - wellAt > beat && (await options.isHealthy(beat))) wellAt = performance.now()
    if (leads && performance.now() - wellAt > stallTimeout) {
      asideUntil = performance.now() + aside
      await lease.release().catch(() => undefined)
      return false
    }
    try {
      const held = await lease.hold()
      if (held) heldAt = performance.now()
      return held
    } catch {
      return leads && performance.now() - heldAt < stallTimeout
    }
  }
  const report = async (): Promise<void> => {
    if (performance.now() - reportedAt < reportEvery) return
    reportedAt = performance.now()
    await lease.report(options.position()).catch(() => undefined)
  }
  while (!stopping.aborted) {
    const elected = await isElected()
    if (stopping.aborted) break
    if (elected !== leads) {
      await occupation.end()
      leads = elected
      wellAt = performance.now()
      occupation = begin(leads ? lead : follow)
    }
    await report()
    await sleep(beat, stopping)
  }
  await occupation.end()
  const leaving = Promise.allSettled([lease.release(), lease.leave()])
  await Promise.race([leaving, delay(farewell, undefined, { ref: false })])
}
