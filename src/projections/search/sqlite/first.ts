import type { SqliteFile } from '../../sqlite/file.ts'
import type { Extent } from './match.ts'

/** The first keys of what matches and has this status. Words under other keys are to be dropped. */
const firstOf = (file: SqliteFile, status: number, match: string | undefined, limit: number): readonly number[] => {
  if (match === undefined) return []
  const found = file
    .statement(
      `SELECT json_group_array(rowid) FROM (SELECT w.rowid FROM search_index AS w
      WHERE w.search_index MATCH ? AND EXISTS (SELECT 1 FROM search_docs AS d WHERE d.key = w.rowid AND d.status = ?)
      ORDER BY w.rowid LIMIT ?)`,
    )
    .get(match, status, limit)
  return JSON.parse((found as [string])[0]) as number[]
}

/**
 * The first keys of what matches; where that is dear, what fewer and what more would match are compared before.
 * @param matchAt `undefined`: nothing matches
 */
export const firstMatching = (
  file: SqliteFile,
  status: number,
  limit: number,
  matchAt: (extent: Extent) => string | undefined,
): readonly number[] => {
  const first = (extent: Extent): readonly number[] => firstOf(file, status, matchAt(extent), limit)
  if (matchAt('fewer') === matchAt('all')) return first('all')
  const [fewer, more] = [first('fewer'), first('more')]
  const same = fewer.length === more.length && fewer.every((key, index) => key === more[index])
  return same ? fewer : first('all')
}
