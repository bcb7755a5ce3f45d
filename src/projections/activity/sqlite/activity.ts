import type { EventType, Vote } from '../../../events/events.ts'
import { completed, type SqliteFile, type SqliteTables } from '../../sqlite/file.ts'
import { historyBatching, keptInSqlite } from '../../sqlite/sqliteProjection.ts'
import { activityIn, activityProjection } from '../activityProjection.ts'
import { furthest, pageOf, type Activity, type ActivityPage, type ActivityQuery, type ActivityRow } from '../port.ts'
import { boundOf, pageStatement, rangeOf, withBound } from './ways.ts'

/** The tables have changed so often since what they hold changed last. */
const layout = 1

/** What nothing is looked for by is one text of {@link Told}. Each `Way` has an index; the rest is looked through. */
export const activityTables: SqliteTables = {
  ...activityProjection,
  version: activityProjection.version + layout,
  tables: ['activity', 'activity_domains', 'activity_changed'],
  create: `
    CREATE TABLE activity (
      position INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      user TEXT NOT NULL,
      kind TEXT NOT NULL,
      entity TEXT NOT NULL,
      type TEXT NOT NULL,
      correlation TEXT NOT NULL,
      client TEXT,
      told TEXT NOT NULL
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

const columns = 'position, time, user, kind, entity, type, correlation, client, told'

type Values = [number, number, string, string, string, EventType, string, string | null, string]

/** What nothing is looked for by; a list, since names of members would take the more room. */
type Told = [
  fullyQualifiedName: string,
  version: number,
  domains: readonly string[],
  owners: readonly string[],
  changed: readonly string[],
  summary: string,
  follower: string | null,
  vote: Vote | null,
]

const toRow = (values: unknown): ActivityRow => {
  const [position, time, user, kind, entityId, type, correlationId, clientCorrelationId, told] = values as Values
  const [fullyQualifiedName, version, domains, owners, changed, summary, follower, vote] = JSON.parse(told) as Told
  const about = { position: BigInt(position), time, user, kind, entityId, type, correlationId }
  return {
    ...about,
    fullyQualifiedName,
    version,
    domains,
    owners,
    changed,
    summary,
    ...(clientCorrelationId !== null && { clientCorrelationId }),
    ...(follower !== null && { follower }),
    ...(vote !== null && { vote }),
  }
}

/** Stores rows that are not there yet; to be run within a transaction. */
export const writeActivity = (file: SqliteFile, rows: readonly ActivityRow[]): void => {
  const insert = file.statement(`INSERT OR IGNORE INTO activity (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertDomain = file.statement('INSERT OR IGNORE INTO activity_domains (domain, position) VALUES (?, ?)')
  const insertChanged = file.statement('INSERT OR IGNORE INTO activity_changed (member, position) VALUES (?, ?)')
  for (const row of rows) {
    const { position, time, user, kind, entityId, type, correlationId, clientCorrelationId = null } = row
    const { fullyQualifiedName, version, domains, owners, changed, summary, follower = null, vote = null } = row
    const told: Told = [fullyQualifiedName, version, domains, owners, changed, summary, follower, vote]
    const values = [position, time, user, kind, entityId, type, correlationId, clientCorrelationId] as const
    insert.run(...values, JSON.stringify(told))
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
