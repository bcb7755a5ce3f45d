import { setTimeout as delay } from 'node:timers/promises'
import { rest } from '../shared/backOff.ts'

/** A process that works on read models which it shares with others, as it last told of itself. */
export interface ProcessState {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Of the catalog. */
  readonly version: string
  readonly startedAt: Date
  /** By its own clock. */
  readonly seenAt: Date
  readonly projects: boolean
  /** How far it knows the first projection to have come; `undefined`: nothing is applied. */
  readonly position: bigint | undefined
}

/**
 * Elects who of several processes projects; the others follow its checkpoints. It only saves work: rows are guarded by
 * their revisions and checkpoints never go back, so that two that project at once change nothing twice and lose nothing.
 */
export interface Lease {
  /** Of this process. */
  readonly id: string
  /**
   * Takes it when it is free or its holder has not renewed it for some seconds, or renews it.
   * @returns whether this process has it now
   */
  hold(): Promise<boolean>
  /** Gives it back, where this process has it. */
  release(): Promise<void>
  /** Tells the others of this process, and how far it knows the first projection to have come. */
  report(position: bigint | undefined): Promise<void>
  leave(): Promise<void>
  /** All that told of themselves lately, the longest running first. */
  processes(): Promise<ProcessState[]>
}

export interface LeaseOptions {
  readonly lease: Lease
  /** Projects until the signal aborts. */
  readonly lead: (term: AbortSignal) => Promise<void>
  /** Follows what another process projects, until the signal aborts. */
  readonly follow: (term: AbortSignal) => Promise<void>
  /** Does the log answer, and does who projects get anywhere with it? Asked at every beat of the holder. */
  readonly isHealthy: (within: number) => Promise<boolean>
  readonly position: () => bigint | undefined
  readonly stopping: AbortSignal
  /** Milliseconds between two renewals (default 700). */
  readonly beat?: number | undefined
}

/** Milliseconds without progress, or without an answer of the store, after which the holder gives the lease up. */
const patience = 2500

/** Milliseconds for which it leaves the lease to others then. */
const aside = 3000

/** Milliseconds between two reports. */
const reportEvery = 2000

/** For so many milliseconds who stops waits for the store to say so. */
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

/** Projects while this process holds the lease, and follows while another one does. */
export const leadInTurns = async (options: LeaseOptions): Promise<void> => {
  const { lease, lead, follow, stopping, beat = 700 } = options
  let leads = false
  let occupation = begin(follow)
  let [wellAt, heldAt, asideUntil, reportedAt] = [0, 0, -Infinity, -Infinity]

  /** Whether it is for this process to project; as before while the store does not tell. */
  const isElected = async (): Promise<boolean> => {
    const now = performance.now()
    if (now < asideUntil) return false
    if (leads && now - wellAt > beat && (await options.isHealthy(beat))) wellAt = performance.now()
    if (leads && performance.now() - wellAt > patience) {
      asideUntil = performance.now() + aside
      await lease.release().catch(() => undefined)
      return false
    }
    try {
      const held = await lease.hold()
      if (held) heldAt = performance.now()
      return held
    } catch {
      return leads && performance.now() - heldAt < patience
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
    await rest(beat, stopping)
  }
  await occupation.end()
  const leaving = Promise.allSettled([lease.release(), lease.leave()])
  await Promise.race([leaving, delay(farewell, undefined, { ref: false })])
}
