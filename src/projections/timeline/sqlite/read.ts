import { ancestorFqns } from '../../../kinds/names.ts'
import { compareKeys, deepest, pageOfWalk, type KeyBound, type KeyRange } from '../../entities/page.ts'
import type { ChildCondition, ListKey } from '../../entities/port.ts'
import { statuses, statusNumber } from '../../entities/row.ts'
import { between, statusesOf, type Sql } from '../../entities/sqlite/lists.ts'
import { usualEntityStatus } from '../../entities/sqlite/tables.ts'
import { completed, type SqliteFile } from '../../sqlite/file.ts'
import type { PastPage, PastQuery, EntityPlace, StatusSpan, Timeline } from '../port.ts'
import { byEntityStatus, byParent, everything } from '../lists.ts'
import { findList, notEnded } from './tables.ts'
import { readTotal } from './totals.ts'

interface Asked {
  readonly file: SqliteFile
  readonly query: PastQuery
  /** FQN of the scope; `''` for all. */
  readonly scope: string
}

/** One walk of a query: along `list`, with conditions. */
interface Way {
  readonly asked: Asked
  readonly status: number
  readonly list: number
  readonly conditions: readonly Sql[]
}

const at = (alias: string, position: bigint): Sql => ({
  text: `${alias}.began <= ? AND ${alias}.ended > ?`,
  values: [position, position],
})

const inList = (list: number, time: Sql): Sql => ({
  text: `EXISTS (SELECT 1 FROM timeline_spans AS o WHERE o.list = ? AND o.fqn = s.fqn AND o.id = s.id AND ${time.text})`,
  values: [list, ...time.values],
})

const never: Sql = { text: 'false', values: [] }
const now: Sql = { text: 'o.ended = ?', values: [notEnded] }

const either = (some: readonly Sql[]): Sql =>
  some.length === 0
    ? never
    : { text: `(${some.map(({ text }) => text).join(' OR ')})`, values: some.flatMap(({ values }) => values) }

const stillSo = ({ file, query: { kind, still = {} } }: Asked): Sql[] => {
  const { exists = false, owners } = still
  const list = (status: number, rel: string, target: string) =>
    findList(file, { kind, status, rel, target, scope: '' }) ?? []
  const shown = [statusNumber.live, statusNumber.deleted]
  const owned = (owners ?? []).flatMap((owner) => shown.flatMap((status) => list(status, 'owners', owner)))
  const gone = exists ? [list(statusNumber.gone, everything, '')].flat() : []
  return [
    ...gone.map((each) => inList(each, now)).map(({ text, values }) => ({ text: `NOT ${text}`, values })),
    ...(owners === undefined ? [] : [either(owned.map((each) => inList(each, now)))]),
  ]
}

/** Condition: had a live child of a kind, or had none. */
const hasChild = ({ kind, some }: ChildCondition, position: bigint): Sql => {
  const time = at('o', position)
  const lists = `SELECT l.target FROM timeline_lists AS l WHERE l.kind = ? AND l.status = ? AND l.rel = ? AND l.scope = ''
    AND EXISTS (SELECT 1 FROM timeline_spans AS o WHERE o.list = l.list AND ${time.text})`
  return {
    text: `s.id ${some ? 'IN' : 'NOT IN'} (${lists})`,
    values: [kind, statusNumber.live, byParent, ...time.values],
  }
}

/** Limit of counting when looking for the shortest list. */
const enoughToCompare = 1000

const shortestFirst = (file: SqliteFile, lists: readonly number[]): number[] => {
  if (lists.length < 2) return [...lists]
  const count = file.statement(
    `SELECT count(*) FROM (SELECT 1 FROM timeline_spans WHERE list = ? LIMIT ${enoughToCompare})`,
  )
  const sizes = new Map(lists.map((list) => [list, (count.get(list) as [number])[0]]))
  return lists.toSorted((a, b) => (sizes.get(a) as number) - (sizes.get(b) as number))
}

const isUnusual = (entityStatus: string): boolean => entityStatus !== '' && entityStatus !== usualEntityStatus

/** The walk; `undefined` if a required list was always empty. */
const wayOf = (asked: Asked, status: number): Way | undefined => {
  const { file, query } = asked
  const { kind, parent, entityStatus, edges, position, ids, children = [], lacking = [] } = query
  const named = [
    ...edges.map(({ rel, target }) => ({ rel, target })),
    ...(parent === undefined ? [] : [{ rel: byParent, target: parent }]),
    ...(entityStatus !== undefined && isUnusual(entityStatus) ? [{ rel: byEntityStatus, target: entityStatus }] : []),
  ]
  const names = named.length === 0 ? [{ rel: everything, target: '' }] : named
  const found = names.map((name) => findList(file, { kind, status, scope: '', ...name }))
  const lists = found.filter((list) => list !== undefined)
  if (lists.length < found.length) return undefined
  const [list, ...others] = shortestFirst(file, lists) as [number, ...number[]]
  const conditions = [
    at('s', position),
    ...others.map((other) => inList(other, at('o', position))),
    ...(entityStatus === undefined || isUnusual(entityStatus)
      ? []
      : [{ text: 's.entity_status = ?', values: [entityStatus] }]),
    ...(ids === undefined ? [] : [{ text: 's.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] }]),
    ...children.map((child) => hasChild(child, position)),
    ...lacking
      .flatMap((edge) => findList(file, { kind, status, scope: '', ...edge }) ?? [])
      .map((other) => inList(other, at('o', position)))
      .map(({ text, values }) => ({ text: `NOT ${text}`, values })),
    ...stillSo(asked),
  ]
  return { asked, status, list, conditions }
}

/** Spans of a walk in a range: all of them, or only those that match. */
const spans = ({ asked, list, conditions }: Way, range: KeyRange, matching: boolean): Sql => {
  const all = [
    { text: 's.list = ?', values: [list] },
    ...between('s', asked.scope, range),
    ...(matching ? conditions : []),
  ]
  return {
    text: `timeline_spans AS s WHERE ${all.map(({ text }) => text).join(' AND ')}`,
    values: all.flatMap(({ values }) => values),
  }
}

const toKey = (values: unknown): ListKey => {
  const [fullyQualifiedName, id] = values as [string, string]
  return { fullyQualifiedName, id }
}

const readKeys = ({ asked }: Way, { text, values }: Sql, backwards: boolean, limit: number, skip = 0): ListKey[] => {
  const direction = backwards ? ' DESC' : ''
  const sql = `SELECT s.fqn, s.id FROM ${text} ORDER BY s.fqn${direction}, s.id${direction} LIMIT ? OFFSET ?`
  return asked.file
    .statement(sql)
    .all(...values, limit, skip)
    .map(toKey)
}

/** Size of a list at a position, from stored totals. */
const totalAt = ({ file, query }: Asked, status: number, scope: string, named = { rel: everything, target: '' }) => {
  const list = findList(file, { kind: query.kind, status, scope, ...named })
  if (list === undefined) return 0
  return readTotal(file, list, query.position)
}

/**
 * Where to continue after a key: after the outermost scope that was empty then, so that entities created later, or gone
 * by then, are skipped at once.
 */
const beyond = ({ asked, status }: Way, { fullyQualifiedName, id }: ListKey, backwards: boolean): KeyBound => {
  const below = ancestorFqns(fullyQualifiedName).filter((scope) => scope.length > asked.scope.length)
  const empty = below.find((scope) => totalAt(asked, status, scope) === 0)
  if (empty === undefined) return { key: { fullyQualifiedName, id }, inclusive: false }
  return { key: { fullyQualifiedName: `${empty}${backwards ? '.' : '/'}`, id: '' }, inclusive: false }
}

/** Number of scanned spans before trying to skip a scope; grows each time. */
const firstStride = 200
const longestStride = 50_000

/** The keys that match among the next spans of a way, whatever their time. */
const readNear = (
  way: Way,
  range: KeyRange,
  backwards: boolean,
  { stride, limit }: { stride: number; limit: number },
) => {
  const { text, values } = spans(way, range, false)
  const direction = backwards ? ' DESC' : ''
  const order = `ORDER BY s.fqn${direction}, s.id${direction}`
  const conditions = way.conditions.map((condition) => condition.text).join(' AND ')
  const sql = `SELECT s.fqn, s.id FROM (SELECT * FROM ${text} ${order} LIMIT ?) AS s WHERE ${conditions} LIMIT ?`
  const all = [...values, stride, ...way.conditions.flatMap((condition) => condition.values), limit]
  return way.asked.file
    .statement(sql)
    .all(...all)
    .map(toKey)
}

/**
 * The keys that match on one side of a key, nearest first; from the end of the list without one. Where what matches is
 * rare it jumps over scopes in which there was nothing then.
 */
const walk = (way: Way, from: KeyBound | undefined, backwards: boolean, limit: number): ListKey[] => {
  const found: ListKey[] = []
  let start = from
  for (let stride = firstStride + 2 * limit; ; stride = Math.min(4 * stride, longestStride)) {
    const rest: KeyRange = backwards ? { to: start } : { from: start }
    found.push(...readNear(way, rest, backwards, { stride, limit: limit - found.length }))
    const [last] = found.length === limit ? [] : readKeys(way, spans(way, rest, false), backwards, 1, stride - 1)
    if (last === undefined) return found
    start = beyond(way, last, backwards)
  }
}

const countSpans = (way: Way): number => {
  const { text, values } = spans(way, {}, true)
  return (way.asked.file.statement(`SELECT count(*) FROM ${text}`).get(...values) as [number])[0]
}

/** What is gone today of what is counted in the totals. */
const countGone = (asked: Asked, status: number): number => {
  const { file, query } = asked
  const names = { kind: query.kind, rel: everything, target: '', scope: '' }
  const gone = findList(file, { ...names, status: statusNumber.gone })
  const list = findList(file, { ...names, status })
  if (gone === undefined || list === undefined) return 0
  const conditions = [{ text: 's.ended = ?', values: [notEnded] }, inList(list, at('o', query.position))]
  return countSpans({ asked, status, list: gone, conditions })
}

const countOf = (asked: Asked, status: number, way: Way | undefined): number => {
  if (way === undefined) return 0
  const { edges, parent, entityStatus, ids, children = [], lacking = [], still = {} } = asked.query
  if (ids !== undefined || children.length + lacking.length > 0) return countSpans(way)
  const { scope } = asked
  const named = edges.length + (parent === undefined ? 0 : 1)
  const limited = still.exists === true || still.owners !== undefined
  if (named === 1 && scope === '' && entityStatus === undefined && !limited)
    return readTotal(asked.file, way.list, asked.query.position)
  if (named > 0 || still.owners !== undefined) return countSpans(way)
  if (entityStatus === undefined) return totalAt(asked, status, scope) - (still.exists ? countGone(asked, status) : 0)
  if (still.exists || !isUnusual(entityStatus)) return countSpans(way)
  return totalAt(asked, status, scope, { rel: byEntityStatus, target: entityStatus })
}

const nothing: PastPage = { keys: [], total: 0, hasBefore: false, hasAfter: false }

interface StatusWay {
  readonly status: number
  readonly way: Way | undefined
}

/** One page: a walk along the spans of each status, what lies behind it, and the total. */
const readPage = (asked: Asked, ways: readonly StatusWay[]): PastPage => {
  const { query } = asked
  const total = ways.reduce((sum, { status, way }) => sum + countOf(asked, status, way), 0)
  if (query.limit === 0 || total === 0) return { ...nothing, total }
  const backwards = query.before !== undefined
  const key = query.before ?? query.after
  const from = key && { key, inclusive: false }
  const limit = query.limit + 1
  const lists = ways.map(({ way }) => (way === undefined ? [] : walk(way, from, backwards, limit)))
  const merged = lists.flat().sort(compareKeys)
  const found = (backwards ? merged.reverse() : merged).slice(0, limit)
  const behind =
    key !== undefined &&
    ways.some(({ way }) => way !== undefined && walk(way, { key, inclusive: true }, !backwards, 1).length > 0)
  const { rows: keys, ...ends } = pageOfWalk(query, { found, behind })
  return { keys, total, ...ends }
}

const readStatus = (
  file: SqliteFile,
  { kind, fullyQualifiedName, id }: EntityPlace,
  position: bigint,
): StatusSpan | undefined => {
  const time = at('s', position)
  const sql = `SELECT began, ended FROM timeline_spans AS s WHERE s.list = ? AND s.fqn = ? AND s.id = ? AND ${time.text}`
  for (const status of statuses) {
    const list = findList(file, { kind, status: statusNumber[status], rel: everything, target: '', scope: '' })
    const found = list && file.wide(sql).get(list, fullyQualifiedName, id, ...time.values)
    if (found === undefined) continue
    const [from, to] = found as [bigint, bigint]
    return { status, from, to: to === notEnded ? undefined : to }
  }
  return undefined
}

const readPosition = (file: SqliteFile, time: number): bigint | undefined => {
  const sql = 'SELECT position FROM timeline_times WHERE time <= ? ORDER BY time DESC LIMIT 1'
  const [newest] = (file.wide(sql).get(time) ?? []) as [bigint?]
  return newest
}

export const timelineReads = (current: () => SqliteFile): Timeline => ({
  listAsOf: async (query) => {
    const scope = deepest(query.scopes)
    if (scope === undefined) return nothing
    const file = completed(current())
    const asked = { file, query, scope }
    const ways = statusesOf(query.include).map((status) => ({ status, way: wayOf(asked, status) }))
    // Lists only ever come: where there is none, nothing was in it at any moment that is shown.
    if (ways.every(({ way }) => way === undefined)) return nothing
    return file.reading(() => readPage(asked, ways))
  },
  statusesAt: async (entities, position) => {
    const file = completed(current())
    return file.reading(() => {
      const spans = entities.map((entity) => [entity.id, readStatus(file, entity, position)] as const)
      return new Map(spans.filter((span): span is [string, StatusSpan] => span[1] !== undefined))
    })
  },
  positionAt: async (time) => {
    const file = current()
    return file.reading(() => readPosition(file, time))
  },
})
