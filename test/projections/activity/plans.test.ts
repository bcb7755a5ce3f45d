import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activityDocuments } from '../../../src/projections/activity/activityProjection.ts'
import { activityReads } from '../../../src/projections/activity/activityReads.ts'
import type { ActivityQuery, ActivityRow } from '../../../src/projections/activity/port.ts'
import { documentsIn, documentsInSqlite } from '../../../src/projections/documents/sqlite.ts'
import { openSqliteFile, type SqliteFile } from '../../../src/projections/sqlite/file.ts'
import { sharedFolder } from '../../support/folders.ts'

const folder = sharedFolder()
let file: SqliteFile
const { tables } = documentsInSqlite(activityDocuments)

const rowAt = (at: number): ActivityRow => ({
  position: BigInt(at + 1),
  time: at,
  user: at % 1000 === 0 ? 'ann' : 'ingestion',
  kind: 'table',
  entityId: `id-${at % 7}`,
  fullyQualifiedName: `t${at % 7}`,
  type: at === 4711 ? 'HardDeleted' : 'Updated',
  version: 1,
  correlationId: `request-${Math.floor(at / 3)}`,
  ...(at % 10 === 0 && { clientCorrelationId: `request-${at}` }),
  domains: at % 2 === 0 ? ['sales'] : ['finance'],
  owners: [],
  changed: at % 500 === 0 ? ['description'] : ['columns'],
  summary: 'Changed.',
})

/** Each member that a row has, as the file keeps it. */
const write = (row: ActivityRow): void => {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ])
  const [names, values] = [entries.map(([name]) => name), entries.map(([, value]) => value as string)]
  const sql = `INSERT INTO activity (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  file.statement(sql).run(...values)
  for (const name of ['domains', 'changed'] as const)
    for (const value of row[name])
      file.statement(`INSERT INTO activity_${name} (value, position) VALUES (?, ?)`).run(value, row.position)
}

beforeAll(() => {
  file = openSqliteFile({ path: join(folder, 'readModels.db') }, [tables])
  file.transaction(() => Array.from({ length: 50_000 }, (_, at) => rowAt(at)).forEach(write))
})

afterAll(() => file.close())

/** The file, which notes the steps by which SQLite answers, e.g. `SEARCH activity USING INDEX activity_by_user (user=? …)`. */
const noting = (steps: string[]): SqliteFile => ({
  ...file,
  wide: (sql) => {
    const statement = file.wide(sql)
    return {
      ...statement,
      all: (...values) => {
        const plan = file.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as string[]))
        steps.push(...plan.map((step) => String(step['detail'])))
        return statement.all(...values)
      },
    }
  },
})

const filters: [string, Partial<ActivityQuery>][] = [
  ['a user', { user: 'ann' }],
  ['a user and an entity', { user: 'ann', entityId: 'id-1' }],
  ['a type', { types: new Set(['HardDeleted']) }],
  ['a request', { correlationId: 'request-5' }],
  ['what a client called a request', { clientCorrelationId: 'request-5' }],
  ['a domain', { domains: new Set(['sales']) }],
  ['several domains', { domains: new Set(['sales', 'finance']) }],
  ['a member that changed', { changed: new Set(['description']) }],
  ['instants alone', { since: 40, until: 80 }],
  ['all of them', { user: 'ann', types: new Set(['Updated']), domains: new Set(['sales']), since: 1, until: 9_000 }],
]

describe('SQLite finds what somebody asks of activity along an index', () => {
  it.each(filters)('SQLite finds activity by %s along an index', async (_, filter) => {
    for (const oldestFirst of [false, true]) {
      const all: string[] = []
      const { activity } = activityReads(documentsIn(activityDocuments.layout, () => noting(all)))
      await activity({ limit: 10, oldestFirst, ...filter })
      const steps = all.filter((step) => /^(SEARCH|SCAN) activity/.test(step))
      expect(steps.length).toBeGreaterThan(1)
      for (const step of steps) expect(step).toMatch(/^SEARCH \w+( EXISTS)? USING .*(INDEX|PRIMARY KEY)/)
      expect(all.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
    }
  })

  it('of several filters of activity the one that leads furthest is taken', async () => {
    const { activity } = activityReads(documentsIn(activityDocuments.layout, () => file))
    const asked = { limit: 100, maxScanned: 1000 }
    const rare = await activity({ ...asked, domains: new Set(['sales']), user: 'ann' })
    expect(rare.rows).toHaveLength(50)
    expect(rare.next).toBeUndefined()
    const once = await activity({ ...asked, changed: new Set(['columns']), types: new Set(['HardDeleted']) })
    expect(once.rows.map(({ position }) => position)).toEqual([4712n])
    expect(once.next).toBeUndefined()
  })
})
