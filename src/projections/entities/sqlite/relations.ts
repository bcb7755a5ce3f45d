import { compareKeys } from '../page.ts'
import { type HeadRow, statusNumber } from '../row.ts'
import type { ChildHeads, ListKey, Related } from '../port.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { headColumns, referenceColumns, toHeadRow, toReferenceRow } from './rows.ts'

interface Entry extends ListKey {
  readonly entity: number
}

type EntryValues = [fullyQualifiedName: string, id: string, entity: number]

const toEntry = (values: unknown): Entry => {
  const [fullyQualifiedName, id, entity] = values as EntryValues
  return { fullyQualifiedName, id, entity }
}

/** Merges the first `limit` of several ordered lists. */
const firstOf = (lists: readonly Entry[][], limit: number): Entry[] => {
  const [only = [], ...others] = lists.filter((list) => list.length > 0)
  return others.length === 0 ? only : [only, ...others].flat().sort(compareKeys).slice(0, limit)
}

const referenceOf = (file: SqliteFile, { entity }: Entry) =>
  toReferenceRow(file.statement(`SELECT ${referenceColumns} FROM entities AS e WHERE e.entity = ?`).get(entity))

/** Kinds and statuses of entities with this edge: one index step each. */
const rangesOf = (file: SqliteFile, rel: string, target: string): [kind: string, status: number][] => {
  const next = file.statement(
    `SELECT kind, status FROM edges WHERE rel = ? AND target = ? AND (kind, status) > (?, ?)
    ORDER BY kind, status LIMIT 1`,
  )
  const ranges: [string, number][] = []
  for (let at: [string, number] = ['', -1]; ;) {
    const found = next.get(rel, target, ...at) as [string, number] | undefined
    if (found === undefined) return ranges
    ranges.push(found)
    at = found
  }
}

export const readRelated = (file: SqliteFile, ids: readonly string[], rel: string, limit: number): Related[] => {
  const inRange = file.statement(
    `SELECT fqn, id, entity FROM edges WHERE rel = ? AND target = ? AND kind = ? AND status = ? ORDER BY fqn, id LIMIT ?`,
  )
  return [...new Set(ids)].flatMap((of) => {
    const lists = rangesOf(file, rel, of).map((range) => inRange.all(rel, of, ...range, limit).map(toEntry))
    return firstOf(lists, limit).map((found) => ({ of, rel, row: referenceOf(file, found) }))
  })
}

export const readChildren = (file: SqliteFile, ids: readonly string[], kind: string, limit: number): Related[] => {
  const withStatus = file.statement(
    `SELECT fqn, id, entity FROM entities INDEXED BY entities_by_parent
    WHERE parent = ? AND status = ? AND kind = ? ORDER BY fqn, id LIMIT ?`,
  )
  return [...new Set(ids)].flatMap((of) => {
    const lists = [statusNumber.live, statusNumber.deleted].map((status) =>
      withStatus.all(of, status, kind, limit).map(toEntry),
    )
    return firstOf(lists, limit).map((found) => ({ of, rel: kind, row: referenceOf(file, found) }))
  })
}

export const readHeadsBelow = (
  file: SqliteFile,
  { parents, status, inherited = false, bornBefore = 2n ** 63n - 1n }: ChildHeads,
  limit: number,
): HeadRow[] =>
  file
    .wide(
      `SELECT ${headColumns} FROM json_each(?) AS p
      CROSS JOIN entities AS e INDEXED BY ${inherited ? 'entities_inherited' : 'entities_by_parent'} ON e.parent = p.value
      WHERE e.status = ? ${inherited ? 'AND e.inherited = 1' : ''} AND e.parent_born < ? LIMIT ?`,
    )
    .all(JSON.stringify(parents), statusNumber[status], bornBefore, limit)
    .map(toHeadRow)

export const readOwnDeletions = (
  file: SqliteFile,
  fqn: string,
  kinds: readonly string[],
): (ListKey & { readonly kind: string })[] => {
  const statement = file.statement(
    `SELECT e.kind, e.fqn, e.id FROM json_each(?) AS k CROSS JOIN entities AS e INDEXED BY entities_own_deletions
      ON e.kind = k.value AND e.status = 1 AND e.inherited = 0 AND e.fqn >= ? AND e.fqn < ?`,
  )
  const found = statement.all(JSON.stringify(kinds), `${fqn}.`, `${fqn}/`) as [string, string, string][]
  return found.map(([kind, fullyQualifiedName, id]) => ({ kind, fullyQualifiedName, id }))
}
