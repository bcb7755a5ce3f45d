import type { SqliteFile } from '../../sqlite/file.ts'

/** How many were in a list at a position, or after everything. */
export const readTotal = (file: SqliteFile, list: number, at?: bigint): number => {
  const condition = at === undefined ? '' : 'AND position <= ?'
  const row = file
    .statement(`SELECT n FROM timeline_totals WHERE list = ? ${condition} ORDER BY position DESC LIMIT 1`)
    .get(list, ...(at === undefined ? [] : [at]))
  return row === undefined ? 0 : (row as [number])[0]
}

/** Changes a total from a position on, however much of what came after it is stored. */
const changeFrom = (file: SqliteFile, list: number, at: bigint, by: number): void => {
  file
    .statement('INSERT OR IGNORE INTO timeline_totals (list, position, n) VALUES (?, ?, ?)')
    .run(list, at, readTotal(file, list, at))
  file.statement('UPDATE timeline_totals SET n = n + ? WHERE list = ? AND position >= ?').run(by, list, at)
}

/** Writes the totals that a batch changes, within a transaction. */
export interface TotalsOfBatch {
  /** Positions come in the order of the log. */
  write(list: number, position: bigint, n: number): void
  /** Notes a change that counts from an earlier position on; the newest totals do not have it until the end. */
  noteEarlier(list: number, position: bigint, by: number): void
  /** @returns the lists whose newest totals are others than were written */
  end(): Iterable<number>
}

export const makeTotals = (file: SqliteFile): TotalsOfBatch => {
  const earlier = new Map<number, Map<bigint, number>>()
  const write = file.statement('INSERT OR REPLACE INTO timeline_totals (list, position, n) VALUES (?, ?, ?)')
  return {
    write: (list, position, n) => void write.run(list, position, n),
    noteEarlier: (list, position, by) => {
      const changes = earlier.get(list) ?? new Map<bigint, number>()
      earlier.set(list, changes.set(position, (changes.get(position) ?? 0) + by))
    },
    end: () => {
      for (const [list, changes] of earlier)
        for (const [position, by] of changes) if (by !== 0) changeFrom(file, list, position, by)
      return earlier.keys()
    },
  }
}
