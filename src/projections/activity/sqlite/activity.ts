import type { EventType, Vote } from '../../../events/events.ts'
import { completed, type SqliteFile, type SqliteTables } from '../../sqlite/file.ts'
import { historyBatching, keptInSqlite } from '../../sqlite/sqliteProjection.ts'
import { activityIn, activityProjection } from '../activityProjection.ts'
import { furthest, pageOf, type Activity, type ActivityPage, type ActivityQuery, type ActivityRow } from '../port.ts'
import { boundOf, pageStatement, rangeOf, withBound } from './ways.ts'

/** Lists are JSON texts. Each `Way` has an index; the rest is looked through. */
export const activityTables: SqliteTables = {
  ...activityProjection,
  tables: ['activity', 'activity_domains', 'activity_changed'],
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
      summary TEXT NOT NULL,
      follower TEXT,
      vote TEXT,
      client TEXT
    ) STRICT;
    CREATE TABLE activity_domains (
      domain TEXT NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (domain, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE activity_changed (
      member TEXT NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (member, position)
    ) STRICT, WITHOUT ROWID;`,
  indexes: [
    'CREATE INDEX activity_by_user ON activity (user)',
    'CREATE INDEX activity_by_type ON activity (type)',
    'CREATE INDEX activity_by_correlation ON activity (correlation)',
    'CREATE INDEX activity_by_client ON activity (client) WHERE client IS NOT NULL',
  ],
}

const columns =
  'position, time, user, kind, entity, fqn, type, version, correlation, domains, owners, changed, summary, follower, vote, client'

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
  follower: string | null,
  vote: Vote | null,
  client: string | null,
]

const names = (text: string): string[] => JSON.parse(text) as string[]

const toRow = (values: unknown): ActivityRow => {
  const [position, time, user, kind, entityId, fullyQualifiedName, type, version, correlationId, ...texts] =
    values as Values
  const [domains, owners, changed, summary, follower, vote, clientCorrelationId] = texts
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
    ...(follower !== null && { follower }),
    ...(vote !== null && { vote }),
    ...(clientCorrelationId !== null && { clientCorrelationId }),
  }
}

/** Stores rows that are not there yet; to be run within a transaction. */
export const writeActivity = (file: SqliteFile, rows: readonly ActivityRow[]): void => {
  const insert = file.statement(
    `INSERT OR IGNORE INTO activity (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertDomain = file.statement('INSERT OR IGNORE INTO activity_domains (domain, position) VALUES (?, ?)')
  const insertChanged = file.statement('INSERT OR IGNORE INTO activity_changed (member, position) VALUES (?, ?)')
  for (const { domains, owners, changed, ...row } of rows) {
    const lists = [domains, owners, changed].map((list) => JSON.stringify(list)) as [string, string, string]
    const { position, time, user, kind, entityId, fullyQualifiedName, type, version, correlationId } = row
    const { summary, follower = null, vote = null, clientCorrelationId = null } = row
    const about = [position, time, user, kind, entityId, fullyQualifiedName, type, version, correlationId] as const
    insert.run(...about, ...lists, summary, follower, vote, clientCorrelationId)
    for (const domain of domains) insertDomain.run(domain, position)
    for (const member of changed) insertChanged.run(member, position)
  }
}

export const activityReads = (current: () => SqliteFile): Activity => ({
  activity: (query) => readPage(completed(current()), query),
  activityAt: async (positions) =>
    current()
      .statement(`SELECT ${columns} FROM activity WHERE position IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(positions.map(Number)))
      .map(toRow),
})

const readPage = async (file: SqliteFile, query: ActivityQuery): Promise<ActivityPage> => {
  const range = rangeOf(file, query)
  const { way, bound } = await furthest(query, async (along) => boundOf(file, query, along, range))
  const { sql, values } = pageStatement(query, way, withBound(query, range, bound))
  const found = file.statement(`SELECT ${columns} ${sql}`).all(...values)
  return pageOf(found.map(toRow), query, bound)
}

export const activityInSqlite = keptInSqlite({
  tables: activityTables,
  batching: historyBatching,
  changes: async (batch, { file }: { readonly file: SqliteFile }) => {
    const rows = await activityIn(batch)
    return () => writeActivity(file, rows)
  },
  reads: (current) => activityReads(() => current().file),
})
