import { statusNumber } from '../../entities/row.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { Extent } from './match.ts'

/** What is searched, and how much there is of it. */
export interface SearchScope {
  readonly status: number
  readonly kinds: readonly string[]
  /** How many entities of these kinds have the status. */
  readonly count: number
  /** How many of any kind have any status. */
  readonly all: number
  /** Only some of these. */
  readonly ids?: readonly string[] | undefined
}

/** Of so small a share of everything each is looked for among the hits, instead of each hit among them. */
const fewest = 1 / 64

/** Which of the keys that the index has are wanted. Words under keys without a document are to be dropped. */
const wantedOf = ({ status, count, all, ids }: SearchScope): string => {
  if (ids !== undefined)
    return `w.rowid IN (SELECT d.key FROM json_each(?5) AS i CROSS JOIN search_docs AS d ON d.id = i.value
      WHERE d.status = ?1 AND d.kind IN (SELECT value FROM json_each(?2)))`
  if (count < all * fewest)
    return `w.rowid IN (SELECT key FROM search_docs WHERE status = ?1 AND kind IN (SELECT value FROM json_each(?2)))`
  if (status === statusNumber.deleted) return '+w.rowid IN search_deleted'
  return '+w.rowid NOT IN search_deleted AND +w.rowid NOT IN search_dropped'
}

/** The first keys of what matches. */
const firstOf = (
  file: SqliteFile,
  searched: SearchScope,
  match: string | undefined,
  limit: number,
): readonly number[] => {
  if (match === undefined) return []
  const ids = searched.ids === undefined ? [] : [JSON.stringify(searched.ids)]
  const wanted = wantedOf(searched)
  const values = [searched.status, JSON.stringify(searched.kinds), match, limit, ...ids]
  const found = file
    .statement(
      `SELECT json_group_array(rowid) FROM (SELECT w.rowid FROM search_index AS w
      WHERE w.search_index MATCH ?3 AND ${wanted} ORDER BY w.rowid LIMIT ?4)`,
    )
    .get(...values)
  return JSON.parse((found as [string])[0]) as number[]
}

/**
 * The first keys of what matches; where that is dear, what fewer and what more would match are compared before.
 * @param matchAt `undefined`: nothing matches
 */
export const firstMatching = (
  file: SqliteFile,
  searched: SearchScope,
  limit: number,
  matchAt: (extent: Extent) => string | undefined,
): readonly number[] => {
  const first = (extent: Extent): readonly number[] => firstOf(file, searched, matchAt(extent), limit)
  if (matchAt('fewer') === matchAt('all')) return first('all')
  const [fewer, more] = [first('fewer'), first('more')]
  const same = fewer.length === more.length && fewer.every((key, index) => key === more[index])
  return same ? fewer : first('all')
}
