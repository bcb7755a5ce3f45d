import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { positionsOf } from '../../src/projections/projection.ts'
import { replayTo } from '../../src/projections/readModels/rebuildReadModels.ts'
import { openScratchReadModels, openSqliteReadModels } from '../../src/projections/embedded/readModels.ts'
import { differencesOf, type StoredTable } from '../../src/projections/stored/differences.ts'
import { catalog, type Said } from '../support/commandLine.ts'
import { thorough } from '../support/fastCheck.ts'
import { waitFor } from '../support/waitFor.ts'
import { openService } from '../support/running.ts'
import { temporaryDataDir, testSecret } from '../support/service.ts'

const { path: root, remove } = temporaryDataDir()
const original = join(root, 'original')
const copy = join(root, 'copy')

beforeAll(async () => {
  const service = await openService({}, original)
  const { call } = service
  const made = async (path: string, body: unknown): Promise<string> => {
    const { status, body: answer } = await call('POST', path, body)
    expect([status, answer]).toEqual([201, expect.anything()])
    return answer.id as string
  }
  const sales = await made('/v1/domains', { name: 'Sales', domainType: 'Aggregate', description: 'what is sold' })
  const books = await made('/v1/glossaries', { name: 'books', domains: ['Sales'], description: 'words of libraries' })
  await made('/v1/glossaryTerms', { name: 'shelf', glossary: 'books' })
  await made('/v1/users', { name: 'reader' })
  const left = await made('/v1/users', { name: 'left' })
  await made('/v1/services/databaseServices', { name: 'owned', serviceType: 'Postgres', owners: ['left'] })
  expect((await call('DELETE', `/v1/users/${left}?hardDelete=true`)).status).toBe(204)
  const notes = await made('/v1/glossaries', { name: 'notes', owners: ['reader'] })
  const many = Array.from({ length: 270 }, (_, index) => ({ name: `many${index}`, serviceType: 'Postgres' }))
  expect((await call('PUT', '/v1/services/databaseServices/bulk', many)).status).toBe(200)
  await call('PUT', `/v1/glossaries/${books}/followers`, {})
  const patch = { headers: { 'content-type': 'application/merge-patch+json' } }
  await call('PATCH', `/v1/domains/${sales}`, { description: 'another text' }, patch)
  await call('PATCH', `/v1/glossaries/${notes}`, { description: 'the owner is told' }, patch)
  expect((await call('DELETE', `/v1/glossaries/${books}?recursive=true`)).status).toBe(200)
  expect((await call('PUT', '/v1/services/databaseServices/restore', { id: 'none' })).status).toBeGreaterThan(200)
  await waitFor(async () => (await call('GET', '/v1/search/query?q=shelf&deleted=true')).body.hits.total.value === 1)
  await service.close()
  const log = openSqliteEventStore({ path: join(original, 'log.db'), readOnly: true })
  const live = await openCopy(original)
  scratch = openScratchReadModels()
  await replayTo({ log, readModels: scratch, kindNamed, progress: () => {} }, await positionsOf(live))
  await Promise.all([live.close(), log.close()])
})
afterAll(async () => {
  await scratch.close()
  await remove()
})

let scratch: ReturnType<typeof openScratchReadModels>

const openCopy = (folder: string): ReturnType<typeof openSqliteReadModels> =>
  openSqliteReadModels({
    path: join(folder, 'readmodels.db'),
    readOnly: true,
    followed: { path: join(folder, 'log.db') },
  })

/** Tells whether a copy differs from a rebuild that is as far as the original. @param changed the table or projection to look at first */
const differs = async (folder: string, changed: string): Promise<boolean> => {
  const live = await openCopy(folder)
  try {
    const { tables, unsettled } = await live.stored()
    const expected = await scratch.stored(unsettled)
    const isOther = ({ table, projection }: StoredTable) => Number(table !== changed && projection !== changed)
    for (const one of tables.toSorted((a, b) => isOther(a) - isOther(b))) {
      const same = expected.tables.filter(
        ({ projection, table }) => projection === one.projection && table === one.table,
      )
      if ((await differencesOf([one], same)).length > 0) return true
    }
    return false
  } catch {
    // The command line says what cannot be read, and ends with 1.
    return true
  } finally {
    await live.close()
  }
}

const verify = (folder: string): Promise<Said> =>
  catalog(['verify'], { CATALOG_DATA_DIR: folder, CATALOG_JWT_SECRET: testSecret })

/** What may differ from a rebuild, and why. */
const mayDiffer: Readonly<Record<string, string>> = {
  'entities.entry': 'a number that is given as entities come; what refers to one that is not there is found',
  'search_purge.wanted': 'says that something is still to be removed',
  'search_index_docsize.origin': 'says in which piece of the index words stand, which pieces are merged at any time',
  'search_index_idx.segid': 'says where in a piece to begin; without it, of a piece of one page, at its beginning',
  'search_index_idx.term': 'the same',
}

/** Tables that may be empty here: the first holds what waits for a moment, and no request states lineage. */
const maybeEmpty = new Set(['search_purge', 'lineageSpans'])

interface Column {
  readonly file: string
  readonly table: string
  readonly column: string
  readonly type: string
}

const filesOf = (folder: string): string[] => readdirSync(folder).filter((file) => /^readmodels.*\.db$/.test(file))

const columnsIn = (folder: string): Column[] =>
  filesOf(folder).flatMap((file) => {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    const found = database
      .prepare(
        `SELECT m.name AS "table", c.name AS "column", c.type FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
        WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%'`,
      )
      .all() as unknown as Omit<Column, 'file'>[]
    database.close()
    return found.map((each) => ({ ...each, file }))
  })

/** Other values for one of a column; the first that the table takes is written. */
const others = (column: string): string[] => [
  `CASE typeof(${column}) WHEN 'integer' THEN ${column} + 1000000 WHEN 'null' THEN 'x'
    WHEN 'blob' THEN zeroblob(length(${column}) + 1) ELSE ${column} || 'x' END`,
  '1',
]

/** Pages of the index that say which words were dropped: without them words stay that no entity has. */
const tombstones = 'id >= 1 << 53'

const change = (folder: string, { file, table, column: name }: Column): number => {
  const column = `"${name}"`
  const database = new DatabaseSync(join(folder, file), { defensive: false })
  const rows = table === 'search_index_data' ? `${table} WHERE NOT ${tombstones}` : table
  try {
    const last = database.prepare(`SELECT count(*) AS n FROM ${rows}`).get()?.['n'] as number
    for (const value of others(column))
      for (const at of [last - 1, 0]) {
        const key = database.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`).all()
        const by = key.length === 0 ? 'rowid' : key.map((each) => `"${String(each['name'])}"`).join(', ')
        const place = `(${by}) = (SELECT ${by} FROM ${rows} LIMIT 1 OFFSET ${at})`
        try {
          const { changes } = database.prepare(`UPDATE ${table} SET ${column} = ${value} WHERE ${place}`).run()
          if (changes > 0) return Number(changes)
        } catch (error) {
          if (!/constraint|cannot store/.test((error as Error).message)) throw error
        }
      }
    return 0
  } finally {
    database.close()
  }
}

it('says which tables agree with the log', async () => {
  expect(await verify(original)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The read models agree with the log'),
  })
})

it(
  'finds what is changed at any place of the index of words, also where beginnings of words stand',
  { timeout: 600_000 },
  async () => {
    const indexIn = (folder: string) =>
      new DatabaseSync(join(folder, 'readmodels.search.db'), { defensive: false, readBigInts: true })
    const index = indexIn(original)
    const pages = index
      .prepare(`SELECT id, block FROM search_index_data WHERE id >= 1 << 37 AND NOT ${tombstones}`)
      .all() as { id: bigint; block: Uint8Array }[]
    index.close()
    const isFound = async (id: bigint, block: Uint8Array): Promise<boolean> => {
      cpSync(original, copy, { recursive: true })
      const changed = indexIn(copy)
      changed.prepare('UPDATE search_index_data SET block = ? WHERE id = ?').run(block, id)
      changed.close()
      const found = await differs(copy, 'search')
      rmSync(copy, { recursive: true })
      return found
    }
    expect(pages.length).toBeGreaterThan(3)
    const missed: string[] = []
    for (const { id, block } of pages)
      for (const eighth of thorough ? [1, 2, 3, 4, 5, 6, 7] : [3, 6]) {
        const at = Math.floor((block.length * eighth) / 8)
        const changed = block.map((byte, index) => (index === at ? byte ^ 2 : byte))
        if (!(await isFound(id, changed))) missed.push(`byte ${at} of ${block.length} of page ${id}`)
      }
    expect(missed.join('\n')).toBe('')
  },
)

it('finds a change of any column of any table of the read models', { timeout: 600_000 }, async () => {
  const missed: string[] = []
  const columns = columnsIn(original)
  expect(new Set(columns.map(({ file }) => file)).size).toBe(3)
  // All of them take half a minute: a plain run looks at a third.
  for (const each of columns.filter((_, at) => thorough || at % 3 === 0)) {
    const name = `${each.table}.${each.column}`
    cpSync(original, copy, { recursive: true })
    const changes = change(copy, each)
    if (changes === 0 && !maybeEmpty.has(each.table)) missed.push(`${name} has no value`)
    // How far something has come says what it is compared with.
    const isFound = each.table === 'projections' ? (await verify(copy)).code === 1 : await differs(copy, each.table)
    if (changes > 0 && !isFound && !(name in mayDiffer)) missed.push(name)
    rmSync(copy, { recursive: true })
  }
  expect(missed.join('\n')).toEqual('')
})
