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
   * @returns numbers of those that it holds
   */
  hold(): Promise<readonly number[]>
  /** Lets others acquire what it holds. */
  release(): Promise<void>
  report(position: bigint | undefined): Promise<void>
  /** Releases what it holds, and reports no more. */
  leave(): Promise<void>
  /** Processes that reported recently, oldest first. */
  processes(): Promise<ProcessState[]>
}

/** The work of one partition. */
export interface PartitionWork {
  readonly lead: (term: AbortSignal) => Promise<void>
  /** Follows the projections of another process until the signal aborts. */
  readonly follow: (term: AbortSignal) => Promise<void>
}

interface LeaseOptions {
  readonly lease: Lease
  /** In the order of the partitions of the lease. */
  readonly work: readonly PartitionWork[]
  readonly position: () => bigint | undefined
  /** Asks the log for anything. */
  readonly askLog: () => Promise<unknown>
  readonly stopping: AbortSignal
  /** Milliseconds between two renewals (default 700). */
  readonly renewInterval?: number | undefined
}

/** Milliseconds for which a holder goes on while the lease cannot be renewed. */
const renewTimeout = 2500

/** Milliseconds without an answer of the log after which a process holds nothing. */
const answerTimeout = 5000

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

/** Asks the log, one question at a time. @returns whether it has answered lately */
const makeHearing = (ask: () => Promise<unknown>) => {
  let [heardAt, isAsking] = [performance.now(), false]
  const heard = (): void => void (heardAt = performance.now())
  return (): boolean => {
    if (!isAsking) {
      isAsking = true
      void ask()
        .then(heard, () => undefined)
        .finally(() => (isAsking = false))
    }
    return performance.now() - heardAt < answerTimeout
  }
}

const makeCandidate = ({ lead, follow }: PartitionWork) => {
  let leads = false
  let endWork = begin(follow)
  let heldAt = 0
  return {
    /** @param held whether it holds the partition; `undefined` while the store does not answer */
    setHeld: (held: boolean | undefined): void => {
      const now = performance.now()
      if (held === true) heldAt = now
      const elected = held ?? (leads && now - heldAt < renewTimeout)
      if (elected === leads) return
      leads = elected
      const ended = endWork()
      endWork = begin(async (term) => {
        await ended
        if (!term.aborted) await (elected ? lead : follow)(term)
      })
    },
    end: () => endWork(),
  }
}

/** Projects the partitions that this process holds; follows the others. Who does not hear the log holds none. */
export const leadWithLease = async ({
  lease,
  work,
  position,
  askLog,
  stopping,
  renewInterval = 700,
}: LeaseOptions): Promise<void> => {
  const candidates = work.map(makeCandidate)
  const isHeard = makeHearing(askLog)

  const compete = async (): Promise<void> => {
    const holding = isHeard() ? lease.hold() : lease.release().then(() => [])
    const held = await holding.catch(() => undefined)
    if (stopping.aborted) return
    for (const [partition, candidate] of candidates.entries()) candidate.setHeld(held?.includes(partition))
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
