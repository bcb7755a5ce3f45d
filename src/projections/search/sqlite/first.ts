import { statusNumber } from '../../entities/sqlite/rows.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { Extent } from './match.ts'
import { hasMoving, hitsThatAre } from './moving.ts'
import { wordsTable } from './tables.ts'

/** What is looked for in the index of a status; `undefined`: nothing matches there. */
type MatchAt = (status: number) => string | undefined

/** The first keys of what matches in the index of a status. @param moving which of them, while words are moved */
const firstIn = (file: SqliteFile, status: number, matchAt: MatchAt, limit: number, moving?: string): number[] => {
  const table = wordsTable(status)
  const match = matchAt(status)
  if (match === undefined) return []
  const sql = `SELECT json_group_array(rowid) FROM (SELECT w.rowid FROM ${table} AS w
    WHERE w.${table} MATCH ? ${moving === undefined ? '' : `AND ${moving}`} ORDER BY w.rowid LIMIT ?)`
  const values = moving === undefined ? [match, limit] : [match, status, limit]
  return JSON.parse((file.statement(sql).get(...values) as [string])[0]) as number[]
}

/** The first keys of what matches and has this status, wherever its words stand. */
const firstOf = (file: SqliteFile, status: number, matchAt: MatchAt, limit: number): readonly number[] => {
  if (!hasMoving(file)) return firstIn(file, status, matchAt, limit)
  const other = status === statusNumber.live ? statusNumber.deleted : statusNumber.live
  const own = firstIn(file, status, matchAt, limit, hitsThatAre('of it'))
  const others = firstIn(file, other, matchAt, limit, hitsThatAre('of the other'))
  return [...own, ...others].sort((a, b) => a - b).slice(0, limit)
}

/** The first keys of what matches; where that is dear, what fewer and what more would match are compared before. */
export const firstMatching = (
  file: SqliteFile,
  status: number,
  limit: number,
  matchAt: (at: number, extent: Extent) => string | undefined,
): readonly number[] => {
  const first = (extent: Extent): readonly number[] => firstOf(file, status, (at) => matchAt(at, extent), limit)
  if (matchAt(status, 'fewer') === matchAt(status, 'all')) return first('all')
  const [fewer, more] = [first('fewer'), first('more')]
  const same = fewer.length === more.length && fewer.every((key, index) => key === more[index])
  return same ? fewer : first('all')
}
