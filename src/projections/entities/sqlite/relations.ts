import { makePageBudget } from '../../../shared/bounds.ts'
import { compareKeys } from '../page.ts'
import { shownLength, type EntityRow, statusNumber } from '../row.ts'
import type { ListKey, Related, Unsettled } from '../port.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { referenceColumns, rowColumns, toEntityRow, toReferenceRow } from './rows.ts'

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

/** SQL condition: the status of child `c` contradicts that of its parent `p`. */
const contradicts = `(
  p.status = 1 AND c.status = 0 OR p.status = 2 AND c.status < 2 OR p.status = 0 AND c.inherited = 1
  OR p.born > c.parent_born AND c.status < 2)`

const below = (index: string): string => `CROSS JOIN entities AS c INDEXED BY ${index} ON c.parent = p.id`
const anyBelow = below('entities_by_parent')
const inheritedBelow = `${below('entities_inherited')} AND c.inherited = 1`

const wanted = 'FROM json_each(:ids) AS w CROSS JOIN entities AS p ON p.id = w.value'

const amongSome = `SELECT * FROM (
  SELECT c.entity, p.entity ${wanted} AND p.status > 0 ${anyBelow} AND c.status = 0
  UNION ALL
  SELECT c.entity, p.entity ${wanted} AND p.status = 2 ${anyBelow} AND c.status = 1
  UNION ALL
  SELECT c.entity, p.entity ${wanted} AND p.status = 0 ${inheritedBelow}
  UNION ALL
  SELECT c.entity, p.entity ${wanted} AND p.born > 0 ${anyBelow} AND c.status < 2 WHERE p.born > c.parent_born
  UNION ALL
  SELECT c.entity, p.entity FROM json_each(:ids) AS w CROSS JOIN entities AS c ON c.id = w.value
    CROSS JOIN entities AS p ON p.id = c.parent WHERE ${contradicts}
) LIMIT :limit`

export const readUnsettled = (file: SqliteFile, limit: number, ids: readonly string[]): Unsettled[] => {
  const found = file.statement(amongSome).all({ ids: JSON.stringify(ids), limit })
  const statement = file.wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.entity = ?`)
  const parents = new Map<number, EntityRow>()
  const hasRoom = makePageBudget()
  const unsettled: Unsettled[] = []
  for (const [child, above] of new Map(found as [child: number, parent: number][])) {
    const parent = parents.get(above) ?? toEntityRow(statement.get(above))
    const row = toEntityRow(statement.get(child))
    const more = parents.has(above) ? 0 : shownLength(parent)
    if (!hasRoom(shownLength(row) + more)) return unsettled
    parents.set(above, parent)
    unsettled.push({ row, parent })
  }
  return unsettled
}

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
