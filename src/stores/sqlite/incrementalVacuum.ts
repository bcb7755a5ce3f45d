import type { DatabaseSync } from 'node:sqlite'
import type { Transactions } from './transactions.ts'

/** With fewer unused pages (64 MiB), or a smaller share of the file, nothing is freed: the next writes reuse them. */
const minUnusedPages = 8192
const minUnusedShare = 1 / 8

/** Pages freed in one step: some milliseconds of work. */
const pagesPerStep = 200

export interface VacuumOptions {
  /** Milliseconds between two checks for unused pages (default 10,000). */
  readonly checkInterval?: number
  /** Pages (default {@link minUnusedPages}). */
  readonly minPages?: number
  /** Milliseconds between two steps (default 100). */
  readonly pause?: number
}

/** The `PRAGMA auto_vacuum` value of a file that can free pages; files of early versions cannot. */
const incremental = 2

/** Frees unused pages of a file in small background steps when there are many. */
export const makeIncrementalVacuum = (
  database: DatabaseSync,
  { transaction }: Pick<Transactions, 'transaction'>,
  { checkInterval = 10_000, minPages = minUnusedPages, pause = 100 }: VacuumOptions = {},
) => {
  const numberOf = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
  let checkedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let stopped = numberOf('auto_vacuum') !== incremental
  const isDue = (): boolean => {
    const free = numberOf('freelist_count')
    return free > minPages && free > numberOf('page_count') * minUnusedShare
  }
  const step = (): void => {
    try {
      transaction(() => database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`))
      timer = isDue() ? setTimeout(step, pause).unref() : undefined
    } catch {
      // The file works without this; if it cannot be written, its writers report that.
      timer = undefined
    }
  }
  return {
    /** Call this after each commit. */
    committed: (): void => {
      if (stopped || timer !== undefined || performance.now() - checkedAt < checkInterval) return
      checkedAt = performance.now()
      if (isDue()) timer = setTimeout(step, pause).unref()
    },
    stop: (): void => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
