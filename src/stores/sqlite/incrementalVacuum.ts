import type { DatabaseSync } from 'node:sqlite'
import type { Transactions } from './transactions.ts'

/** With fewer unused pages (64 MiB), or a smaller share of the file, nothing is freed: the next writes reuse them. */
const minUnusedPages = 8192
const minUnusedShare = 1 / 8

/** The `PRAGMA auto_vacuum` value of a file that can free pages; files of early versions cannot. */
const incremental = 2

/** Pages freed in one step: some milliseconds of work. */
const pagesPerStep = 200

export interface VacuumOptions {
  /** Pages (default {@link minUnusedPages}). */
  readonly minPages?: number
  /** Milliseconds between two steps (default 500). */
  readonly pause?: number
}

/**
 * Frees unused pages of a file in small background steps while there are many. @returns function to stop
 */
export const startIncrementalVacuum = (
  database: DatabaseSync,
  { transaction }: Pick<Transactions, 'transaction'>,
  { minPages = minUnusedPages, pause = 500 }: VacuumOptions = {},
): (() => void) => {
  const numberOf = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
  if (numberOf('auto_vacuum') !== incremental) return () => {}
  const step = (): void => {
    try {
      const free = numberOf('freelist_count')
      if (free <= minPages || free <= numberOf('page_count') * minUnusedShare) return
      transaction(() => database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`))
    } catch {
      // The file works without this; if it cannot be written, its writers report that.
    }
  }
  const timer = setInterval(step, pause).unref()
  return () => clearInterval(timer)
}
