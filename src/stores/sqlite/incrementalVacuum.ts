import type { DatabaseSync } from 'node:sqlite'
import type { Transactions } from './transactions.ts'

/** With fewer unused pages (64 MiB), or a smaller share of the file, nothing is given back: the next writes use them. */
const fewPages = 8192
const smallShare = 1 / 8

/** Pages that are given back at a time: some milliseconds of work. */
const atOnce = 200

export interface VacuumPace {
  /** Milliseconds after which it is looked again for unused pages (default 10,000). */
  readonly look?: number
  /** Pages (default {@link fewPages}). */
  readonly few?: number
  /** Milliseconds between two steps (default 100). */
  readonly pause?: number
}

export interface IncrementalVacuum {
  /** To be called after each commit: whatever made pages unused was one. */
  committed(): void
  stop(): void
}

/** What `PRAGMA auto_vacuum` says of a file that can give pages back; one that an earlier version made cannot. */
const incremental = 2

/** Gives unused pages back to the disk, a few at a time and behind everything else, when they are many. */
export const makeIncrementalVacuum = (
  database: DatabaseSync,
  { transaction }: Pick<Transactions, 'transaction'>,
  { look = 10_000, few = fewPages, pause = 100 }: VacuumPace = {},
): IncrementalVacuum => {
  const numberOf = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
  let looked = -Infinity
  let timer: NodeJS.Timeout | undefined
  let stopped = numberOf('auto_vacuum') !== incremental
  const isMuch = (): boolean => {
    const free = numberOf('freelist_count')
    return free > few && free > numberOf('page_count') * smallShare
  }
  const step = (): void => {
    try {
      transaction(() => database.exec(`PRAGMA incremental_vacuum(${atOnce})`))
      timer = isMuch() ? setTimeout(step, pause).unref() : undefined
    } catch {
      // What this file is for goes on without it; where the file cannot be written, those who must say so.
      timer = undefined
    }
  }
  return {
    committed: () => {
      if (stopped || timer !== undefined || performance.now() - looked < look) return
      looked = performance.now()
      if (isMuch()) timer = setTimeout(step, pause).unref()
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
