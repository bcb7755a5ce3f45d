import type { SqliteFile } from '../../sqlite/file.ts'
import { lookedThrough, type ActivityQuery, type Way } from '../port.ts'

export interface Statement {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** Positions from the first to the last, both inclusive. */
export interface PositionRange {
  readonly first: number
  readonly last: number
}

/** The newest position up to a time, which never goes back along the log. */
const positionAt = (file: SqliteFile, time: number): number => {
  const next = file.statement('SELECT position, time FROM activity WHERE position >= ? ORDER BY position LIMIT 1')
  const [newest] = file.statement('SELECT max(position) FROM activity').get() as [number | null]
  let [low, high] = [-1, newest ?? -1]
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2)
    const [position, at] = next.get(middle) as [number, number]
    if (at <= time) low = position
    else high = middle - 1
  }
  return low
}

export const rangeOf = (file: SqliteFile, { since, until, before, after }: ActivityQuery): PositionRange => ({
  first: Math.max(
    after === undefined ? 0 : Number(after) + 1,
    since === undefined ? 0 : positionAt(file, since - 1) + 1,
  ),
  last: Math.min(
    before === undefined ? Number.MAX_SAFE_INTEGER : Number(before) - 1,
    until === undefined ? Number.MAX_SAFE_INTEGER : positionAt(file, until),
  ),
})

/** The same up to where looking ends for now. */
export const withBound = (query: ActivityQuery, range: PositionRange, bound: bigint | undefined): PositionRange => {
  if (bound === undefined) return range
  return query.oldestFirst ? { ...range, last: Number(bound) } : { ...range, first: Number(bound) }
}

const list = (values: Iterable<string>): string => JSON.stringify([...values])

const someOf = '(SELECT value FROM json_each(?))'

const tables = {
  domains: { table: 'activity_domains', column: 'activity_domains.domain' },
  changed: { table: 'activity_changed', column: 'activity_changed.member' },
} as const

/** Where each of the positions stands to which a way leads; a way through a table leads along several values. */
const along = (query: ActivityQuery, way: Way | undefined): readonly (Statement & { readonly from: string })[] => {
  const indexed = (index: string, sql: string, value: string | undefined) => [
    { from: `activity INDEXED BY ${index}`, sql, values: [value as string] },
  ]
  switch (way) {
    case 'request':
      return indexed('activity_by_correlation', 'correlation = ?', query.correlationId)
    case 'clientRequest':
      return indexed('activity_by_client', 'client = ?', query.clientCorrelationId)
    case 'actor':
      return indexed('activity_by_user', 'user = ?', query.user)
    case 'verb':
      return indexed('activity_by_type', 'type = ?', [...(query.types ?? [])][0])
    case 'domains':
    case 'changed': {
      const { table, column } = tables[way]
      return [...(query[way] ?? [])].map((value) => ({ from: table, sql: `${column} = ?`, values: [value] }))
    }
    case undefined:
      return [{ from: 'activity NOT INDEXED', sql: 'true', values: [] }]
  }
}

/** The statements that find where looking along a way ends for now. */
export const boundStatements = (
  query: ActivityQuery,
  way: Way | undefined,
  { first, last }: PositionRange,
): Statement[] => {
  const { lookThrough = lookedThrough, oldestFirst } = query
  return along(query, way).map(({ from, sql, values }) => ({
    sql: `SELECT position FROM ${from} WHERE ${sql} AND position BETWEEN ? AND ?
      ORDER BY position ${oldestFirst ? 'ASC' : 'DESC'} LIMIT 1 OFFSET ?`,
    values: [...values, first, last, lookThrough - 1],
  }))
}

/** Where looking along a way ends for now: no value of it has more than `lookThrough` positions up to there. */
export const boundOf = (
  file: SqliteFile,
  query: ActivityQuery,
  way: Way | undefined,
  range: PositionRange,
): bigint | undefined => {
  const bounds = boundStatements(query, way, range).flatMap(({ sql, values }) => {
    const found = file.statement(sql).get(...values)
    return found === undefined ? [] : (found as [number])
  })
  if (bounds.length === 0) return undefined
  return BigInt(query.oldestFirst ? Math.min(...bounds) : Math.max(...bounds))
}

/** Conditions that a row answers by itself. */
const conditionsOf = (query: ActivityQuery): Statement[] => {
  const { kinds, types, user, entityId, correlationId, clientCorrelationId, since, until, owned } = query
  const is = (condition: string, value: string | number | undefined): Statement[] =>
    value === undefined ? [] : [{ sql: `${condition} ?`, values: [value] }]
  const among = (column: string, values: ReadonlySet<string> | undefined): Statement[] =>
    values === undefined ? [] : [{ sql: `${column} IN ${someOf}`, values: [list(values)] }]
  const isOwned = `(kind NOT IN ${someOf}
    OR EXISTS (SELECT 1 FROM json_each(told, '$[3]') AS o WHERE o.value IN ${someOf}))`
  return [
    ...among('kind', kinds),
    ...among('type', types),
    ...is('user =', user),
    ...is('entity =', entityId),
    ...is('correlation =', correlationId),
    ...is('client =', clientCorrelationId),
    ...is('time >=', since),
    ...is('time <=', until),
    ...(owned ? [{ sql: isOwned, values: [list(owned.kinds), list(owned.owners)] }] : []),
  ]
}

/** What an event has several of: found through its table along that way, else looked up for each row. */
const severalOf = (query: ActivityQuery, way: Way | undefined, { first, last }: PositionRange): Statement[] =>
  (['domains', 'changed'] as const).flatMap((name) => {
    const wanted = query[name]
    if (wanted === undefined) return []
    const { table, column } = tables[name]
    if (way !== name)
      return [
        {
          sql: `EXISTS (SELECT 1 FROM ${table} WHERE ${column} IN ${someOf} AND ${table}.position = activity.position)`,
          values: [list(wanted)],
        },
      ]
    return [
      {
        sql: `position IN (SELECT position FROM ${table} WHERE ${column} IN ${someOf} AND position BETWEEN ? AND ?)`,
        values: [list(wanted), first, last],
      },
    ]
  })

/** What follows the columns in the statement of a page, one row more than its limit, read along a way. */
export const pageStatement = (query: ActivityQuery, way: Way | undefined, range: PositionRange): Statement => {
  const [place] = along(query, way)
  const from = place?.from.startsWith('activity ') ? place.from : 'activity NOT INDEXED'
  const conditions: Statement[] = [
    ...(way === undefined || way in tables || place === undefined ? [] : [place]),
    { sql: 'position BETWEEN ? AND ?', values: [range.first, range.last] },
    ...conditionsOf(query),
    ...severalOf(query, way, range),
  ]
  return {
    sql: `FROM ${from} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY position ${query.oldestFirst ? 'ASC' : 'DESC'} LIMIT ?`,
    values: [...conditions.flatMap(({ values }) => values), query.limit + 1],
  }
}
