import type { SQLInputValue } from 'node:sqlite'
import { compareCodePoints, compareKeys, deepest, pageOfWalk, type KeyRange } from '../page.ts'
import { shownLength, type Edge, type ListedRow, statusNumber, usualEntityStatus } from '../row.ts'
import type { ListKey, ListPage, ListQuery } from '../port.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { makePageBudget } from '../../../shared/bounds.ts'
import { listedColumns, toListedRow } from './rows.ts'

export interface Sql {
  readonly text: string
  readonly values: readonly SQLInputValue[]
}

export const statusesOf = (include: ListQuery['include']): number[] => {
  if (include === 'all') return [statusNumber.live, statusNumber.deleted]
  return [include === 'deleted' ? statusNumber.deleted : statusNumber.live]
}

/**
 * Conditions for the part of a list below a scope and in a range. A bound replaces the end of the scope on its side,
 * since the index would use only one of two.
 */
export const between = (keys: string, scope: string, { from, to }: KeyRange): Sql[] =>
  (
    [
      ['>', from, `${scope}.`, 1],
      ['<', to, `${scope}/`, -1],
    ] as const
  ).flatMap(([sign, bound, end, order]): Sql[] => {
    if (bound === undefined || (scope !== '' && compareCodePoints(bound.key.fullyQualifiedName, end) * order <= 0))
      return scope === '' ? [] : [{ text: `${keys}.fqn ${sign} ?`, values: [end] }]
    const { fullyQualifiedName: fqn, id } = bound.key
    const text = `${keys}.fqn ${sign}= ? AND (${keys}.fqn, ${keys}.id) ${sign}${bound.inclusive ? '=' : ''} (?, ?)`
    return [{ text, values: [fqn, fqn, id] }]
  })

interface Source extends Sql {
  /** Alias of the table with the order columns. */
  readonly keys: 'e' | 'x'
}

/**
 * The list of one status as an ordered table expression. Entities are joined only if `rows` are wanted, or for
 * conditions that no edge has.
 */
const source = (query: ListQuery, scope: string, status: number, rows: boolean, range: KeyRange = {}): Source => {
  const first = query.ids === undefined ? query.edges[0] : undefined
  const others = first === undefined ? query.edges : query.edges.slice(1)
  const conditions: string[] = []
  const values: SQLInputValue[] = query.ids === undefined ? [] : [JSON.stringify(query.ids)]
  const keys = first === undefined ? 'e' : 'x'
  const demand = (condition: string, ...parameters: SQLInputValue[]): void => {
    conditions.push(condition)
    values.push(...parameters)
  }
  if (first !== undefined) demand('x.rel = ? AND x.target = ?', first.rel, first.target)
  demand(`${keys}.kind = ? AND ${keys}.status = ?`, query.kind, status)
  if (query.parent !== undefined) demand('e.parent = ?', query.parent)
  if (query.entityStatus !== undefined) demand('e.entity_status = ?', query.entityStatus)
  if (isUnusual(query)) demand(`e.entity_status <> '${usualEntityStatus}'`)
  for (const { kind, some } of query.children ?? [])
    demand(
      `e.id ${some ? 'IN' : 'NOT IN'} (SELECT parent FROM entities WHERE kind = ? AND status = 0 AND parent IS NOT NULL)`,
      kind,
    )
  if (query.own === true) demand('e.status = 1 AND e.inherited = 0')
  for (const bound of between(keys, scope, range)) demand(bound.text, ...bound.values)
  const lacking = new Set(query.lacking)
  for (const edge of [...others, ...lacking]) {
    const { rel, target } = edge
    demand(
      `${lacking.has(edge) ? 'NOT ' : ''}EXISTS (SELECT 1 FROM edges AS o WHERE o.rel = ? AND o.target = ?
        AND o.kind = ${keys}.kind AND o.status = ${keys}.status AND o.fqn = ${keys}.fqn AND o.id = ${keys}.id)`,
      rel,
      target,
    )
  }
  return { text: `${tableOf(query, rows)} WHERE ${conditions.join(' AND ')}`, values, keys }
}

const isUnusual = ({ entityStatus }: ListQuery): boolean =>
  entityStatus !== undefined && entityStatus !== usualEntityStatus

const tableOf = (query: ListQuery, rows: boolean): string => {
  const { parent, entityStatus, own, children = [] } = query
  if (query.ids !== undefined) return 'json_each(?) AS i CROSS JOIN entities AS e ON e.id = i.value'
  const alone = !rows && parent === undefined && entityStatus === undefined && own !== true && children.length === 0
  if (query.edges.length > 0) return alone ? 'edges AS x' : 'edges AS x CROSS JOIN entities AS e ON e.entity = x.entity'
  if (own === true) return 'entities AS e INDEXED BY entities_own_deletions'
  if (parent !== undefined) return 'entities AS e INDEXED BY entities_by_parent'
  if (isUnusual(query)) return 'entities AS e INDEXED BY entities_by_entity_status'
  return 'entities AS e INDEXED BY entities_in_order'
}

/** Limit of counting when comparing the selectivity of edges. */
const enoughToCompare = 1000

/** Sorts edges by selectivity: a list walks along the rarest. */
const rarestFirst = (file: SqliteFile, { edges, kind }: ListQuery): readonly Edge[] => {
  if (edges.length < 2) return edges
  const count = file.statement(
    `SELECT count(*) FROM (SELECT 1 FROM edges WHERE rel = ? AND target = ? AND kind = ? LIMIT ${enoughToCompare})`,
  )
  const sizes = new Map(edges.map((edge) => [edge, (count.get(edge.rel, edge.target, kind) as [number])[0]]))
  return edges.toSorted((a, b) => (sizes.get(a) as number) - (sizes.get(b) as number))
}

const countAll = (file: SqliteFile, query: ListQuery, scope: string): number => {
  const { edges, parent, own, ids, children = [], lacking = [] } = query
  const counted =
    [...edges, ...children, ...lacking].length === 0 && parent === undefined && own !== true && ids === undefined
  let total = 0
  for (const status of statusesOf(query.include)) {
    if (counted) total += readCounter(file, { ...query, scope, status })
    else {
      const { text, values } = source(query, scope, status, false)
      total += (file.statement(`SELECT count(*) FROM ${text}`).get(...values) as [number])[0]
    }
  }
  return total
}

interface Counted {
  readonly kind: string
  /** FQN of the scope; `''` for all. */
  readonly scope: string
  readonly status: number
  /** Absent: any. */
  readonly entityStatus?: string | undefined
}

/** Number of rows in a counter. */
export const readCounter = (file: SqliteFile, { kind, scope, status, entityStatus }: Counted): number => {
  const sum = 'SELECT total(n) FROM counters WHERE kind = ? AND scope = ? AND status = ?'
  const found =
    entityStatus === undefined
      ? file.statement(sum).get(kind, scope, status)
      : file.statement(`${sum} AND entity_status = ?`).get(kind, scope, status, entityStatus)
  return (found as [number])[0]
}

/** The rows that fit on a page; later ones are not read. */
const roomy = <Found>(
  found: Iterable<Found>,
  toRow: (found: Found) => ListedRow,
): { rows: ListedRow[]; cut: boolean } => {
  const hasRoom = makePageBudget()
  const taken: ListedRow[] = []
  for (const each of found) {
    const row = toRow(each)
    if (!hasRoom(shownLength(row))) return { rows: taken, cut: true }
    taken.push(row)
  }
  return { rows: taken, cut: false }
}

/** Up to this many rows are read at once, which is faster than row by row. */
const fewRows = 16

/** Rows on one side of a key (or from the end), nearest first. `cut`: the page was full. */
const readRows = (file: SqliteFile, query: ListQuery, scope: string, limit: number) => {
  const backwards = query.before !== undefined
  const key = query.before ?? query.after
  const bound = key && { key, inclusive: false }
  const ranges = statusesOf(query.include).map((status) => {
    const { text, values, keys } = source(query, scope, status, true, backwards ? { to: bound } : { from: bound })
    const direction = backwards ? ' DESC' : ''
    const sql = `SELECT ${listedColumns(query.withRequested === true)} FROM ${text} ORDER BY ${keys}.fqn${direction}, ${keys}.id${direction} LIMIT ?`
    const statement = file.statement(sql)
    const found = limit <= fewRows ? statement.all(...values, limit) : statement.iterate(...values, limit)
    return roomy(found, toListedRow)
  })
  const [only = { rows: [], cut: false }, second = { rows: [], cut: false }] = ranges
  if (second.rows.length === 0) return only
  const merged = [...only.rows, ...second.rows].sort(compareKeys)
  const { rows, cut } = roomy((backwards ? merged.reverse() : merged).slice(0, limit), (row) => row)
  return { rows, cut: cut || only.cut || second.cut }
}

/** Whether anything is at the key or on its other side. */
const hasBehind = (file: SqliteFile, query: ListQuery, scope: string, key: ListKey): boolean => {
  const bound = { key, inclusive: true }
  const range = query.before === undefined ? { to: bound } : { from: bound }
  return statusesOf(query.include).some((status) => {
    const { text, values } = source(query, scope, status, false, range)
    return file.statement(`SELECT 1 FROM ${text} LIMIT 1`).get(...values) !== undefined
  })
}

const nothing: ListPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

/** One page of a list: a walk along an index, and a total. */
export const readList = (file: SqliteFile, asked: ListQuery): ListPage => {
  const scope = deepest(asked.scopes)
  if (scope === undefined) return nothing
  const query = { ...asked, edges: rarestFirst(file, asked) }
  const total = countAll(file, query, scope)
  if (query.limit === 0 || total === 0) return { ...nothing, total }
  const key = query.before ?? query.after
  const found = readRows(file, query, scope, query.limit + 1)
  const behind = key !== undefined && hasBehind(file, query, scope, key)
  return { total, ...pageOfWalk(query, { found: found.rows, cut: found.cut, behind }) }
}
