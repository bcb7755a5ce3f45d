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
  /** The kinds of those of any kind that have another status, and how many these are. */
  readonly others: { readonly kinds: readonly string[]; readonly count: number }
  /** Only some of these. */
  readonly ids?: readonly string[] | undefined
}

/** Of so small a share of everything each is looked for among the hits, instead of each hit among them. */
const fewest = 1 / 64

/** Of so small a share their keys are read before the hits: to look up the status of each hit would take longer. */
const few = 1 / 8

/** So few that have another status are read before the hits, instead of the status of each hit. */
const fewOthers = 500

const keys = 'SELECT key FROM search_docs WHERE status = ?1 AND kind IN (SELECT value FROM json_each(?2))'

const otherKeys = ['<', '>'].map(
  (than) => `SELECT key FROM search_docs WHERE kind IN (SELECT value FROM json_each(?2)) AND status ${than} ?1`,
)

const hasFewOthers = ({ others, ids }: SearchScope): boolean => ids === undefined && others.count <= fewOthers

/** Which of the keys that the index has are wanted. Words under keys without a document are to be dropped. */
const wantedOf = (searched: SearchScope): string => {
  const { count, all, ids } = searched
  if (hasFewOthers(searched))
    return `+w.rowid NOT IN (${otherKeys.join(' UNION ALL ')} UNION ALL SELECT key FROM search_dropped)`
  if (ids !== undefined)
    return `w.rowid IN (SELECT d.key FROM json_each(?5) AS i CROSS JOIN search_docs AS d ON d.id = i.value
      WHERE d.status = ?1 AND d.kind IN (SELECT value FROM json_each(?2)))`
  if (count < all * fewest) return `w.rowid IN (${keys})`
  if (count < all * few) return `+w.rowid IN (${keys})`
  return 'EXISTS (SELECT 1 FROM search_docs AS d WHERE d.key = w.rowid AND d.status = ?1 AND ?2 IS NOT NULL)'
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
  const { kinds } = hasFewOthers(searched) ? searched.others : searched
  const found = file
    .statement(
      `SELECT json_group_array(rowid) FROM (SELECT w.rowid FROM search_index AS w
      WHERE w.search_index MATCH ?3 AND ${wantedOf(searched)} ORDER BY w.rowid LIMIT ?4)`,
    )
    .get(searched.status, JSON.stringify(kinds), match, limit, ...ids)
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
