import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activityReads, activityTables, writeActivity } from '../../../src/projections/activity/sqlite/activity.ts'
import { waysOf, type ActivityQuery, type ActivityRow } from '../../../src/projections/activity/port.ts'
import { boundStatements, pageStatement, type Statement } from '../../../src/projections/activity/sqlite/ways.ts'
import { openSqliteFile, type SqliteFile } from '../../../src/projections/sqlite/file.ts'

const folder = mkdtempSync(join(tmpdir(), 'catalog-plans-'))
let file: SqliteFile

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

beforeAll(() => {
  file = openSqliteFile({ path: join(folder, 'readModels.db') }, [activityTables])
  file.transaction(() =>
    writeActivity(
      file,
      Array.from({ length: 50_000 }, (_, at) => rowAt(at)),
    ),
  )
})

afterAll(async () => {
  await file.quieten()
  file.close()
  rmSync(folder, { recursive: true })
})

/** The steps by which SQLite answers, e.g. `SEARCH activity USING INDEX activity_by_user (user=? …)`. */
const planOf = ({ sql, values }: Statement): string[] =>
  file.database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map((step) => String(step['detail']))

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
  it.each(filters)('SQLite finds activity by %s along an index', (_, filter) => {
    for (const oldestFirst of [false, true]) {
      const query = { limit: 10, oldestFirst, ...filter }
      const ways = waysOf(query)
      for (const way of ways.length === 0 ? [undefined] : ways) {
        const range = { first: 1, last: 50_000 }
        const page = pageStatement(query, way, range)
        const statements = [...boundStatements(query, way, range), { ...page, sql: `SELECT position ${page.sql}` }]
        for (const statement of statements) {
          const steps = planOf(statement).filter((step) => /^(SEARCH|SCAN) activity/.test(step))
          expect(steps.length).toBeGreaterThan(0)
          for (const step of steps) expect(step).toMatch(/^SEARCH \w+( EXISTS)? USING .*(INDEX|PRIMARY KEY)/)
        }
      }
    }
  })

  it('of several filters of activity the one that leads furthest is taken', async () => {
    const { activity } = activityReads(() => file)
    const asked = { limit: 100, lookThrough: 1000 }
    const rare = await activity({ ...asked, domains: new Set(['sales']), user: 'ann' })
    expect(rare.rows).toHaveLength(50)
    expect(rare.next).toBeUndefined()
    const once = await activity({ ...asked, changed: new Set(['columns']), types: new Set(['HardDeleted']) })
    expect(once.rows.map(({ position }) => position)).toEqual([4712n])
    expect(once.next).toBeUndefined()
  })
})
