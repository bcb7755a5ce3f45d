import type { SqliteFile } from './file.ts'
import { makeSlices, pauseBetweenSlices } from './slices.ts'

/** Milliseconds. */
const afterFailure = 5000

type Stored = [name: string, tables: string]

/** Throws away some rows of a table. @returns how many; 0: it is empty */
const emptySome = (file: SqliteFile, table: string, rows: number): number => {
  const columns = file.statement('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').all(table)
  if (columns.length === 0) return 0
  const key = columns.map((column) => (column as [string])[0]).join(', ')
  return Number(
    file.database.prepare(`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} LIMIT ?)`).run(rows)
      .changes,
  )
}

/** Where an index of words keeps what it has: to throw it away at once would take long. */
const ownedBy = (file: SqliteFile, table: string): string[] => {
  const owned = file.statement("SELECT name FROM pragma_table_list WHERE type = 'shadow' AND substr(name, 1, ?) = ?")
  return (owned.all(table.length + 1, `${table}_`) as [string][]).flat()
}

/** Takes the next step: rows, then the table, then what was said of the projection. @returns whether there was one */
const step = (file: SqliteFile, [name, tables]: Stored, rows: number): void => {
  const [table, ...others] = JSON.parse(tables) as string[]
  if (table === undefined) return void file.statement('DELETE FROM projections WHERE name = ?').run(name)
  for (const each of [...ownedBy(file, table), table]) if (emptySome(file, each, rows) > 0) return
  file.database.exec(`DROP TABLE ${table}`)
  file.statement('UPDATE projections SET tables = ? WHERE name = ?').run(JSON.stringify(others), name)
}

/**
 * Throws away, behind everything else, what a file has of projections that are not its `own` any more. @returns what
 * stops it
 */
export const dropFormer = (file: SqliteFile, own: readonly string[]): (() => void) => {
  // Indexes of words are emptied from behind.
  file.database.enableDefensive(false)
  const next = file.statement(
    'SELECT name, tables FROM projections WHERE name NOT IN (SELECT value FROM json_each(?)) LIMIT 1',
  )
  const drop = makeSlices(10_000)
  let timer: NodeJS.Timeout | undefined
  const slice = (): void => {
    try {
      const found = next.get(JSON.stringify(own)) as Stored | undefined
      if (found === undefined) return
      drop((rows) => file.transaction(() => step(file, found, rows)))
      timer = setTimeout(slice, pauseBetweenSlices).unref()
    } catch {
      // What this file is for goes on without it; where the file cannot be written, those who must say so.
      timer = setTimeout(slice, afterFailure).unref()
    }
  }
  timer = setTimeout(slice, pauseBetweenSlices).unref()
  return () => clearTimeout(timer)
}
