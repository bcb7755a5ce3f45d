import { setTimeout as delay } from 'node:timers/promises'
import { sleep } from '../shared/backOff.ts'

/** The last report of a process that shares read models. */
export interface ProcessState {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly startedAt: Date
  /** By the process's own clock. */
  readonly seenAt: Date
  readonly projects: readonly string[]
  /** Known position of the first projection; `undefined` if nothing is applied. */
  readonly position: bigint | undefined
}

/**
 * Shares partitions out among processes: each projects those that it holds and follows the checkpoints of the others. This
 * only saves work: rows are guarded by revisions and checkpoints never go back, so that two concurrent projectors lose
 * and duplicate nothing.
 */
export interface Lease {
  readonly id: string
  /** Names of the projections of each partition; writes wait for the first projection of the first partition. */
  readonly partitions: readonly (readonly string[])[]
  /**
   * Acquires and renews partitions; one that was not renewed for some seconds counts as free. A process that
   * projects more than others hands over its last partition.
   * @param partitions numbers of the partitions that this process competes for
   * @returns numbers of those that it holds
   */
  hold(partitions: readonly number[]): Promise<readonly number[]>
  release(partitions: readonly number[]): Promise<void>
  report(position: bigint | undefined): Promise<void>
  leave(): Promise<void>
  /** Processes that reported recently, oldest first. */
  processes(): Promise<ProcessState[]>
}

/** The work of one partition. */
export interface PartitionWork {
  readonly lead: (term: AbortSignal) => Promise<void>
  /** Follows the projections of another process until the signal aborts. */
  readonly follow: (term: AbortSignal) => Promise<void>
  /** Whether the log answers and projecting makes progress; checked at every renewal. */
  readonly isHealthy: (within: number) => Promise<boolean>
}

interface LeaseOptions {
  readonly lease: Lease
  /** In the order of the partitions of the lease. */
  readonly work: readonly PartitionWork[]
  readonly position: () => bigint | undefined
  readonly stopping: AbortSignal
  /** Milliseconds between two renewals (default 700). */
  readonly renewInterval?: number | undefined
}

/** Milliseconds without progress, or without an answer of the store, after which the holder releases a partition. */
const stallTimeout = 2500

/** Milliseconds for which it then does not compete for the partition. */
const competitionPause = 3000

/** Interval of reports in milliseconds. */
const reportEvery = 2000

/** Timeout in milliseconds of releasing the lease on shutdown. */
const releaseTimeout = 1000

/** @returns function that ends it */
const begin = (work: (term: AbortSignal) => Promise<void>) => {
  const over = new AbortController()
  const done = work(over.signal)
  return (): Promise<void> => {
    over.abort()
    return done
  }
}

const makeCandidate = ({ lead, follow, isHealthy }: PartitionWork, renewInterval: number) => {
  let leads = false
  let endWork = begin(follow)
  let [healthyAt, heldAt, pausedUntil] = [0, 0, -Infinity]
  return {
    /** Whether it competes for the partition: not for a while after its projections have stalled. */
    isEligible: async (): Promise<boolean> => {
      if (leads && performance.now() - healthyAt > renewInterval && (await isHealthy(renewInterval)))
        healthyAt = performance.now()
      if (leads && performance.now() - healthyAt > stallTimeout) pausedUntil = performance.now() + competitionPause
      return performance.now() >= pausedUntil
    },
    /** @param held whether it holds the partition; `undefined` while the store does not answer */
    setHeld: (held: boolean | undefined): void => {
      const now = performance.now()
      if (held === true) heldAt = now
      const elected = held ?? (leads && now - heldAt < stallTimeout)
      if (elected === leads) return
      leads = elected
      healthyAt = now
      const ended = endWork()
      endWork = begin(async (term) => {
        await ended
        if (!term.aborted) await (elected ? lead : follow)(term)
      })
    },
    end: () => endWork(),
  }
}

/** Projects the partitions that this process holds; follows the others. */
export const leadWithLease = async ({
  lease,
  work,
  position,
  stopping,
  renewInterval = 700,
}: LeaseOptions): Promise<void> => {
  const partitions = [...work.keys()]
  const candidates = work.map((partition) => makeCandidate(partition, renewInterval))
  let reportedAt = -Infinity

  const compete = async (): Promise<void> => {
    const competing = await Promise.all(candidates.map((candidate) => candidate.isEligible()))
    const wanted = partitions.filter((partition) => competing[partition])
    if (wanted.length < partitions.length)
      await lease.release(partitions.filter((partition) => !competing[partition])).catch(() => undefined)
    const held = await lease.hold(wanted).catch(() => undefined)
    if (stopping.aborted) return
    for (const [partition, candidate] of candidates.entries())
      candidate.setHeld(competing[partition] ? held?.includes(partition) : false)
  }
  const report = async (): Promise<void> => {
    if (performance.now() - reportedAt < reportEvery) return
    reportedAt = performance.now()
    await lease.report(position()).catch(() => undefined)
  }
  while (!stopping.aborted) {
    await compete()
    if (stopping.aborted) break
    await report()
    await sleep(renewInterval, stopping)
  }
  await Promise.all(candidates.map((candidate) => candidate.end()))
  const leaving = Promise.allSettled([lease.release(partitions), lease.leave()])
  await Promise.race([leaving, delay(releaseTimeout, undefined, { ref: false })])
}
