import type { EventType } from '../../../events/events.ts'
import { completed, type SqliteFile, type SqliteTables } from '../../sqlite/file.ts'
import { activityProjection } from '../activityProjection.ts'
import { lookedThrough, type Activity, type ActivityPage, type ActivityQuery, type ActivityRow } from '../port.ts'

/** Lists are JSON texts. Who did it and in which domains are looked up; the rest is looked through. */
export const activityTables: SqliteTables = {
  ...activityProjection,
  tables: ['activity', 'activity_domains'],
  create: `
    CREATE TABLE activity (
      position INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      user TEXT NOT NULL,
      kind TEXT NOT NULL,
      entity TEXT NOT NULL,
      fqn TEXT NOT NULL,
      type TEXT NOT NULL,
      version INTEGER NOT NULL,
      correlation TEXT NOT NULL,
      domains TEXT NOT NULL,
      owners TEXT NOT NULL,
      changed TEXT NOT NULL,
      summary TEXT NOT NULL
    ) STRICT;
    CREATE TABLE activity_domains (
      domain TEXT NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (domain, position)
    ) STRICT, WITHOUT ROWID;`,
  indexes: ['CREATE INDEX activity_by_user ON activity (user)'],
}

const columns = 'position, time, user, kind, entity, fqn, type, version, correlation, domains, owners, changed, summary'

type Values = [
  position: number,
  time: number,
  user: string,
  kind: string,
  entity: string,
  fqn: string,
  type: EventType,
  version: number,
  correlation: string,
  domains: string,
  owners: string,
  changed: string,
  summary: string,
]

const names = (text: string): string[] => JSON.parse(text) as string[]

const toRow = (values: unknown): ActivityRow => {
  const [position, time, user, kind, entityId, fullyQualifiedName, type, version, correlationId, ...texts] =
    values as Values
  const [domains, owners, changed, summary] = texts
  return {
    position: BigInt(position),
    time,
    user,
    kind,
    entityId,
    fullyQualifiedName,
    type,
    version,
    correlationId,
    domains: names(domains),
    owners: names(owners),
    changed: names(changed),
    summary,
  }
}

/** Stores rows that are not there yet; to be run within a transaction. */
export const writeActivity = (file: SqliteFile, rows: readonly ActivityRow[]): void => {
  const insert = file.statement(
    `INSERT OR IGNORE INTO activity (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertDomain = file.statement('INSERT OR IGNORE INTO activity_domains (domain, position) VALUES (?, ?)')
  for (const { domains, owners, changed, ...row } of rows) {
    const lists = [domains, owners, changed].map((list) => JSON.stringify(list)) as [string, string, string]
    const { position, time, user, kind, entityId, fullyQualifiedName, type, version, correlationId, summary } = row
    const about = [position, time, user, kind, entityId, fullyQualifiedName, type, version, correlationId] as const
    insert.run(...about, ...lists, summary)
    for (const domain of domains) insertDomain.run(domain, position)
  }
}

/** The newest position up to a time, which never goes back along the log. */
const positionAt = (file: SqliteFile, time: number): number => {
  const next = file.statement('SELECT position, time FROM activity WHERE position >= ? ORDER BY position LIMIT 1')
  const [newest] = file.statement('SELECT max(position) FROM activity').get() as unknown as [number | null]
  let [low, high] = [-1, newest ?? -1]
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2)
    const [position, at] = next.get(middle) as unknown as [number, number]
    if (at <= time) low = position
    else high = middle - 1
  }
  return low
}

const json = (values: Iterable<string>): string => JSON.stringify([...values])

/** A part of a condition with its values. */
type Condition = readonly [text: string, ...values: (string | number)[]]

const among = (column: string, values: Iterable<string>): Condition => [
  `${column} IN (SELECT value FROM json_each(?))`,
  json(values),
]

const conditionsOf = (query: ActivityQuery): Condition[] => {
  const { kinds, types, user, correlationId, since, until, owned } = query
  return [
    ...(kinds ? [among('kind', kinds)] : []),
    ...(types ? [among('type', types)] : []),
    ...(user === undefined ? [] : [['user = ?', user] as const]),
    ...(correlationId === undefined ? [] : [['correlation = ?', correlationId] as const]),
    ...(since === undefined ? [] : [['time >= ?', since] as const]),
    ...(until === undefined ? [] : [['time <= ?', until] as const]),
    ...(owned
      ? [
          [
            `(kind NOT IN (SELECT value FROM json_each(?)) OR EXISTS (
              SELECT 1 FROM json_each(owners) AS o WHERE o.value IN (SELECT value FROM json_each(?))))`,
            json(owned.kinds),
            json(owned.owners),
          ] as const,
        ]
      : []),
  ]
}

/** The tables and indexes along which what a query wants is found, with what is looked up in them. */
const waysOf = ({ user, domains }: ActivityQuery): { from: string; value?: string }[] => {
  if (domains !== undefined) return [...domains].map((value) => ({ from: 'activity_domains WHERE domain = ?', value }))
  if (user !== undefined) return [{ from: 'activity INDEXED BY activity_by_user WHERE user = ?', value: user }]
  return [{ from: 'activity WHERE true' }]
}

/** Where looking ends for now: in none of the ways there are more than `lookThrough` positions from there on. */
const boundOf = (file: SqliteFile, query: ActivityQuery, before: number, after: number): number | undefined => {
  const { lookThrough = lookedThrough } = query
  const bounds = waysOf(query).flatMap(({ from, value }) => {
    const statement = file.statement(
      `SELECT position FROM ${from} AND position < ? AND position > ? ORDER BY position DESC LIMIT 1 OFFSET ?`,
    )
    const found = statement.get(...(value === undefined ? [] : [value]), before, after, lookThrough - 1)
    return found === undefined ? [] : (found as unknown as [number])
  })
  return bounds.length === 0 ? undefined : Math.max(...bounds)
}

const readPage = (file: SqliteFile, query: ActivityQuery): ActivityPage => {
  const { domains, since, until, limit } = query
  const after = since === undefined ? -1 : positionAt(file, since - 1)
  const last = until === undefined ? Number.MAX_SAFE_INTEGER : positionAt(file, until) + 1
  const before = query.before === undefined ? last : Math.min(Number(query.before), last)
  const bound = boundOf(file, query, before, after)
  const from = bound ?? after + 1
  const conditions: Condition[] = [
    ['position < ? AND position >= ?', before, from],
    ...conditionsOf(query),
    ...(domains
      ? [
          [
            `position IN (SELECT position FROM activity_domains
              WHERE domain IN (SELECT value FROM json_each(?)) AND position < ? AND position >= ?)`,
            json(domains),
            before,
            from,
          ] as const,
        ]
      : []),
  ]
  const found = file
    .statement(
      `SELECT ${columns} FROM activity WHERE ${conditions.map(([text]) => text).join(' AND ')}
      ORDER BY position DESC LIMIT ?`,
    )
    .all(...conditions.flatMap(([, ...values]) => values), limit + 1)
  const rows = found.slice(0, limit).map(toRow)
  return { rows, next: found.length > limit ? rows.at(-1)?.position : bound === undefined ? undefined : BigInt(bound) }
}

/** Reads from whatever file is current. */
export const activityReads = (current: () => SqliteFile): Activity => ({
  activity: async (query) => readPage(completed(current()), query),
  activityAt: async (positions) =>
    current()
      .statement(`SELECT ${columns} FROM activity WHERE position IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(positions.map(Number)))
      .map(toRow),
})
