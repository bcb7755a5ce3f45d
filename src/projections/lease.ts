import { inTime, sleep } from '../shared/backOff.ts'

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
   * @param offered those of them that it renews, but that any other process may take
   * @returns numbers of those that it holds
   */
  hold(partitions: readonly number[], offered: readonly number[]): Promise<readonly number[]>
  report(position: bigint | undefined): Promise<void>
  /** Releases what it holds. */
  leave(): Promise<void>
  /** Processes that reported recently, oldest first. */
  processes(): Promise<ProcessState[]>
}

/** The work of one partition. */
export interface PartitionWork {
  readonly lead: (term: AbortSignal) => Promise<void>
  /** Follows the projections of another process until the signal aborts. */
  readonly follow: (term: AbortSignal) => Promise<void>
  /** Whether projecting works on something, or has since it was last asked. */
  readonly isBusy: () => boolean
  /** Asks the log whether everything in it is shown. */
  readonly isComplete: () => Promise<boolean>
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

/** Milliseconds without progress after which the holder offers a partition, unless the log answers that slowly. */
const stallTimeout = 2500

/** Answers of the log that a holder may wait for without making progress. */
const maxSlowAnswers = 4

/** Milliseconds for which a process does not compete for a partition that was taken from it. */
const competitionPause = 3000

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

/** Notices that projecting stands still: measured against the time that the log takes to answer. */
const watchProgress = ({ isBusy, isComplete }: PartitionWork) => {
  let [wellAt, answerTime, asking] = [performance.now(), 0, false]
  const ask = async (): Promise<void> => {
    asking = true
    const askedAt = performance.now()
    try {
      const isWell = await isComplete()
      answerTime = performance.now() - askedAt
      if (isWell) wellAt = performance.now()
    } catch {
      // A log that fails is like one that does not answer.
    }
    asking = false
  }
  return {
    restart: (): void => void (wellAt = performance.now()),
    isStalled: (): boolean => {
      if (isBusy()) wellAt = performance.now()
      if (!asking) void ask()
      return performance.now() - wellAt > Math.max(stallTimeout, maxSlowAnswers * answerTime)
    },
  }
}

const makeCandidate = (work: PartitionWork) => {
  const { lead, follow } = work
  const progress = watchProgress(work)
  let [leads, stalled] = [false, false]
  let endWork = begin(follow)
  let [heldAt, pausedUntil] = [0, -Infinity]
  return {
    isEligible: (): boolean => performance.now() >= pausedUntil,
    isStalled: (): boolean => (stalled = leads && progress.isStalled()),
    /** @param held whether it holds the partition; `undefined` while the store does not answer */
    setHeld: (held: boolean | undefined): void => {
      const now = performance.now()
      if (held === true) heldAt = now
      const elected = held ?? (leads && now - heldAt < stallTimeout)
      if (elected === leads) return
      if (stalled) pausedUntil = now + competitionPause
      leads = elected
      progress.restart()
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
  const candidates = work.map(makeCandidate)

  const compete = async (): Promise<void> => {
    const wanted = partitions.filter((partition) => candidates[partition]?.isEligible())
    const offered = wanted.filter((partition) => candidates[partition]?.isStalled())
    const held = await lease.hold(wanted, offered).catch(() => undefined)
    if (stopping.aborted) return
    for (const [partition, candidate] of candidates.entries())
      candidate.setHeld(wanted.includes(partition) ? held?.includes(partition) : false)
  }
  while (!stopping.aborted) {
    await compete()
    if (stopping.aborted) break
    await lease.report(position()).catch(() => undefined)
    await sleep(renewInterval, stopping)
  }
  await Promise.all(candidates.map((candidate) => candidate.end()))
  await inTime(releaseTimeout, () => lease.leave(), undefined)
}
