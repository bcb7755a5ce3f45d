import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  readdirSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { DamagedReadModels } from '../../../src/projections/errors.ts'
import type { ListQuery } from '../../../src/projections/entities/port.ts'
import { openSqliteFile, type SqliteFile } from '../../../src/projections/sqlite/file.ts'
import { readList, planQuery, type EntityDocuments } from '../../../src/projections/entities/lists.ts'
import {
  openScratchReadModels,
  openSqliteReadModels,
  type SqliteReadModels,
} from '../../../src/projections/embedded/readModels.ts'
import { childrenOf, relatedTo } from '../../../src/projections/entities/relations.ts'
import { searchOf } from '../../../src/projections/search/sqlite/search.ts'
import { searchPathOf, indexTables } from '../../../src/projections/search/sqlite/indexFile.ts'
import { makeRow, rowId } from '../../support/rows.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { failCommit, limitPages } from '../../support/fullDisk.ts'
import { searchFor } from '../entities/contract/corpus.ts'
import { listOf } from '../entities/contract/support.ts'
import { applyEntities, applyRows, checkpointOf } from '../../support/projecting.ts'
import { entitiesIn, entityTables, valuesIn } from '../../support/entityFile.ts'

const freshPath = async (): Promise<string> => join(await temporaryFolder(), 'readModels.db')

const opened = async (path: string, commitEvery = 0): Promise<SqliteReadModels> => {
  const readModels = await openSqliteReadModels({ path, commitEvery })
  onTestFinished(() => readModels.close())
  return readModels
}

const valueIn = (path: string, sql: string): unknown => valuesIn(path, sql)[0]

describe('a full disk', () => {
  test('fails the batch whole, leaves the rest usable, and the batch can come again', async () => {
    const path = await freshPath()
    const readModels = await opened(path)
    await applyRows(readModels, [makeRow('before')], 1n)
    limitPages(path, 1)
    const rows = Array.from({ length: 200 }, (_, index) => makeRow(`s.t${index}`, { description: 'word '.repeat(500) }))
    await expect(applyRows(readModels, rows, 2n)).rejects.toThrow(/full/)
    expect(await checkpointOf(readModels)).toBe(1n)
    expect((await readModels.list(listOf())).total).toBe(1)
    expect(await readModels.countBelow('thing', 's')).toBe(0)
    limitPages(path, 1_000_000)
    await applyRows(readModels, rows, 2n)
    expect(await readModels.countBelow('thing', 's')).toBe(200)
    expect((await searchFor(readModels, 'word', { kinds: ['thing'] })).total).toBe(200)
  })

  test('a full disk while words are indexed leaves the entities as they are, and the words come later', async () => {
    const path = await freshPath()
    const readModels = await opened(path)
    const rows = Array.from({ length: 200 }, (_, index) =>
      makeRow(`s.t${index}`, { description: `word${index} `.repeat(50) }),
    )
    limitPages(searchPathOf(path), 1)
    await expect(applyRows(readModels, rows, 2n)).rejects.toThrow(StoreUnavailable)
    expect((await readModels.get(rowId('s.t7')))?.fullyQualifiedName).toBe('s.t7')
    limitPages(searchPathOf(path), 1_000_000)
    await applyRows(readModels, rows, 2n)
    expect((await searchFor(readModels, 'word7', { kinds: ['thing'] })).total).toBe(1)
  })
})

describe('the file', () => {
  test('a file of another storage version is thrown away', async () => {
    const path = await freshPath()
    const before = await openSqliteReadModels({ path })
    await applyRows(before, [makeRow('a')], 1n)
    await before.close()
    const database = new DatabaseSync(path)
    database.exec('PRAGMA user_version = 999')
    database.close()
    await expect(openSqliteReadModels({ path, readOnly: true })).rejects.toThrow('no read models of this version')
    const readModels = await opened(path)
    expect(await checkpointOf(readModels)).toBeUndefined()
    expect(await readModels.get(rowId('a'))).toBeUndefined()
  })

  test('a file that belongs to somebody else is named and not opened, and nothing in it is lost', async () => {
    const path = await freshPath()
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE precious (a); INSERT INTO precious VALUES (1)')
    database.close()
    for (const readOnly of [true, false])
      await expect(openSqliteReadModels({ path, readOnly })).rejects.toThrow(`${path} holds something else`)
    expect(valueIn(path, 'SELECT a FROM precious')).toBe(1)
  })

  test('a file that a killed process has left without tables is made anew', async () => {
    const path = await freshPath()
    const database = new DatabaseSync(path)
    database.exec('PRAGMA journal_mode = WAL')
    database.close()
    const readModels = await openSqliteReadModels({ path })
    onTestFinished(() => readModels.close())
    expect(await checkpointOf(readModels)).toBeUndefined()
  })

  test('a file that is not a database is named and deleted, and built again', async () => {
    const path = await freshPath()
    await writeFile(path, 'words, nothing but words, and more of them\n'.repeat(200))
    await expect(openSqliteReadModels({ path, readOnly: true })).rejects.toThrow(`${path} is damaged`)
    const told: string[] = []
    const readModels = await openSqliteReadModels({ path, onReplaced: (reason) => told.push(reason) })
    onTestFinished(() => readModels.close())
    expect(told).toEqual([expect.stringMatching(`^${path} is damaged.* It was deleted$`)])
    expect(await checkpointOf(readModels)).toBeUndefined()
    const left = readdirSync(dirname(path)).filter((name) =>
      readFileSync(join(dirname(path), name)).includes('nothing but'),
    )
    expect(left).toEqual([])
  })

  test.runIf(process.platform === 'linux')('a file that the disk does not read is no damaged one', async () => {
    const path = await freshPath()
    writeFileSync(path, 'no database '.repeat(1000))
    // Its beginning is never mapped, so that reading it is an I/O error.
    symlinkSync('/proc/self/mem', `${path}-wal`)
    const told: string[] = []
    const opening = () => openSqliteReadModels({ path, onReplaced: (reason) => told.push(reason) })
    await expect(opening()).rejects.toMatchObject({ name: 'StoreUnavailable', message: expect.stringContaining(path) })
    expect([told, readFileSync(path, 'utf8').slice(0, 11)]).toEqual([[], 'no database'])
    rmSync(`${path}-wal`)
    await (await opening()).close()
    expect(told).toEqual([expect.stringContaining(`${path} is damaged`)])
  })

  test.runIf(process.platform === 'linux')('is closed when another one beside it cannot be opened', async () => {
    const path = await freshPath()
    mkdirSync(searchPathOf(path))
    await expect(openSqliteReadModels({ path })).rejects.toMatchObject({ name: 'StoreUnavailable' })
    const open = readdirSync('/proc/self/fd').map((fd) => {
      const link = join('/proc/self/fd', fd)
      return existsSync(link) ? readlinkSync(link) : ''
    })
    expect(open.filter((file) => file.startsWith(path))).toEqual([])
  })

  test('a file that is damaged inside says so with its path when that is read, and from then on', async () => {
    const path = await freshPath()
    const before = await openSqliteReadModels({ path })
    const rows = Array.from({ length: 500 }, (_, index) => makeRow(`s.t${index}`, { description: 'word '.repeat(50) }))
    await applyRows(before, rows, 1n)
    await before.close()
    const bytes = readFileSync(path)
    bytes.fill(0xaa, Math.floor(bytes.length * 0.3), Math.floor(bytes.length * 0.9))
    writeFileSync(path, bytes)
    const readModels = await openSqliteReadModels({ path })
    onTestFinished(() => readModels.close())
    const reading = readModels.list(listOf({ limit: 1000, withRequested: true }))
    await expect(reading).rejects.toThrow(DamagedReadModels)
    await expect(reading).rejects.toThrow(path)
    // Who projects notices, too.
    await expect(readModels.checkpoints()).rejects.toThrow(DamagedReadModels)
  })

  test('can be read beside the one who writes it', async () => {
    const path = await freshPath()
    await expect(openSqliteReadModels({ path, readOnly: true })).rejects.toThrow('no read models')
    const writer = await opened(path)
    await applyRows(writer, [makeRow('a')], 1n)
    const reader = await openSqliteReadModels({ path, readOnly: true })
    onTestFinished(() => reader.close())
    expect((await reader.list(listOf())).total).toBe(1)
    expect(await reader.get(rowId('a'))).toEqual(makeRow('a'))
    await applyRows(writer, [makeRow('a', { revision: 1n }), makeRow('b')], 2n)
    expect((await reader.list(listOf())).total).toBe(2)
    expect(await reader.get(rowId('a'))).toEqual(makeRow('a', { revision: 1n }))
    expect(await checkpointOf(reader)).toBe(2n)
    await expect(applyRows(reader, [makeRow('c')], 3n)).rejects.toThrow()
  })

  test('a rebuild that was cut short leaves nothing in the way', async () => {
    const path = await freshPath()
    const first = await opened(path)
    await applyRows(first, [makeRow('a')], 1n)
    const { fresh } = await first.startRebuild()
    await applyRows(fresh, [makeRow('b')], 2n)
    await fresh.close()
    const { fresh: second, swap } = await first.startRebuild()
    await applyRows(second, [makeRow('c')], 3n)
    await swap()
    expect((await first.list(listOf())).rows.map((row) => row.fullyQualifiedName)).toEqual(['c'])
    expect(existsSync(`${path}.rebuild`)).toBe(false)
  })

  test('a rebuild that was cut short by a kill is removed at the next start, by who writes alone', async () => {
    const path = await freshPath()
    const first = await openSqliteReadModels({ path })
    const { fresh } = await first.startRebuild()
    await applyRows(fresh, [makeRow('b')], 2n)
    await fresh.close()
    await first.close()
    const left = () => readdirSync(dirname(path)).filter((name) => name.includes('.rebuild'))
    await (await openSqliteReadModels({ path, readOnly: true })).close()
    expect(left()).toHaveLength(3)
    await opened(path)
    expect(left()).toEqual([])
  })

  test('many entities are read at one moment, however slow the machine is', async () => {
    const readModels = await opened(await freshPath())
    const names = Array.from({ length: 200 }, (_, index) => `t${index}`)
    const rowsAt = (revision: bigint) => names.map((name) => makeRow(name, { revision }))
    await applyRows(readModels, rowsAt(0n), 1n)
    let time = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 100))
    onTestFinished(() => clock.mockRestore())
    const reading = readModels.getMany(names.map((name) => rowId(name)))
    const [found] = await Promise.all([reading, applyRows(readModels, rowsAt(1n), 2n)])
    expect(new Set([...found.values()].map(({ revision }) => revision)).size).toBe(1)
  })

  test('scratch read models answer like others, and have no file that could stay behind', async () => {
    const folder = await temporaryFolder()
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const readModels = openScratchReadModels()
    const names = Array.from({ length: 1500 }, (_, index) => `t${index}`)
    const edges = { tags: ['t'] }
    for (const revision of [0n, 1n])
      await applyRows(
        readModels,
        names.map((name) => makeRow(name, { revision, edges })),
        revision + 1n,
      )
    expect((await readModels.list(listOf({ edges: [{ rel: 'tags', target: 't' }] }))).total).toBe(names.length)
    expect(readdirSync(folder)).toEqual([])
    await readModels.close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('a file is read until the other thread has ended its work on it', async () => {
    const file = openSqliteFile({ path: await freshPath() }, [entityTables])
    file.transaction(() =>
      file.database.exec(`CREATE TABLE a (n INTEGER PRIMARY KEY);
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 6000)
          INSERT INTO a SELECT n FROM numbers`),
    )
    const closing = file.close()
    expect(file.statement('SELECT count(*) FROM a').get()).toEqual([6000])
    await closing
    expect(file.database.isOpen).toBe(false)
  })
})

describe('a transaction that stays open', () => {
  const later = 60_000
  const stopTimers = (): void => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
  }

  test('shows its rows here at once, and to others when its time is over', async () => {
    stopTimers()
    const path = await freshPath()
    const readModels = await opened(path, later)
    await applyEntities(readModels, [makeRow('a')], 1n)
    await applyEntities(readModels, [makeRow('b')], 2n)
    expect((await readModels.list(listOf())).total).toBe(2)
    expect(valueIn(path, 'SELECT count(*) FROM entities')).toBe(0)
    vi.advanceTimersByTime(later)
    expect(valueIn(path, 'SELECT count(*) FROM entities')).toBe(2)
    await applyEntities(readModels, [makeRow('c')], 3n)
    expect(valueIn(path, 'SELECT max(checkpoint) FROM projections')).toBe(2)
  })

  test('is committed before its time is over when it has changed much, so that no commit takes long', async () => {
    stopTimers()
    const path = await freshPath()
    const file = openSqliteFile({ path, commitEvery: later }, [entityTables, indexTables])
    onTestFinished(() => file.close())
    file.database.exec('CREATE TABLE a (n INTEGER PRIMARY KEY)')
    const add = (from: number, to: number) => {
      const insert = (): void => {
        for (let n = from; n < to; n++) file.statement('INSERT INTO a VALUES (?)').run(n)
      }
      file.inSharedTransaction(insert, () => {})
    }
    add(0, 100)
    expect(valueIn(path, 'SELECT count(*) FROM a')).toBe(0)
    add(100, 8000)
    expect(valueIn(path, 'SELECT count(*) FROM a')).toBe(8000)
    add(8000, 8001)
    expect(valueIn(path, 'SELECT count(*) FROM a')).toBe(8000)
  })

  test('is not kept open where the disk has little room, so that nothing that was shown is undone', async () => {
    stopTimers()
    const path = await freshPath()
    const file = openSqliteFile({ path, commitEvery: later, roomToWait: Infinity }, [entityTables, indexTables])
    onTestFinished(() => file.close())
    const write = (): void => file.database.exec('UPDATE projections SET checkpoint = 7')
    file.inSharedTransaction(write, () => {})
    expect(valueIn(path, 'SELECT max(checkpoint) FROM projections')).toBe(7)
  })

  test('is undone whole with a batch that fails, and all of it can come again', async () => {
    const path = await freshPath()
    const readModels = await opened(path, later)
    await applyEntities(readModels, [makeRow('a')], 1n)
    expect(await readModels.get(rowId('a'))).toBeDefined()
    limitPages(path, 1)
    const rows = Array.from({ length: 200 }, (_, index) => makeRow(`s.t${index}`, { description: 'word '.repeat(500) }))
    await expect(applyEntities(readModels, rows, 2n)).rejects.toThrow(/full/)
    expect(await checkpointOf(readModels)).toBeUndefined()
    expect(await readModels.get(rowId('a'))).toBeUndefined()
    limitPages(path, 1_000_000)
    await applyEntities(readModels, [makeRow('a'), ...rows], 2n)
    expect((await readModels.list(listOf())).total).toBe(201)
  })

  describe('that cannot be committed is undone whole, and who wrote it is told at once, the last one first', () => {
    const uncommitted = async () => {
      stopTimers()
      const path = await freshPath()
      const file = openSqliteFile({ path, commitEvery: later }, [entityTables, indexTables])
      onTestFinished(() => file.close())
      file.database.exec('CREATE TABLE a (n INTEGER)')
      const stored = () => file.statement('SELECT n FROM a').all().flat()
      const told: [number, unknown][] = []
      const add = (n: number, count = 1): void => {
        const insert = (): void => {
          for (let row = 0; row < count; row++) file.statement('INSERT INTO a VALUES (?)').run(n)
        }
        file.inSharedTransaction(insert, () => told.push([n, stored()]))
      }
      add(1)
      add(2)
      expect(failCommit(path)).toBe(true)
      return { add, told, file, stored }
    }

    test('when its time is over', async () => {
      const { add, told, stored } = await uncommitted()
      vi.advanceTimersByTime(later)
      expect(told).toEqual([
        [2, []],
        [1, []],
      ])
      add(3)
      vi.advanceTimersByTime(later)
      expect(stored()).toEqual([3])
    })

    test('when much was changed, and who changed that gets the error', async () => {
      const { add, told } = await uncommitted()
      expect(() => add(3, 8000)).toThrow(/FOREIGN KEY/)
      expect(told.map(([n]) => n)).toEqual([2, 1])
    })

    test('when others are to see it, and who wanted that gets the error', async () => {
      const { told, file } = await uncommitted()
      expect(file.flush).toThrow(/FOREIGN KEY/)
      expect(told.map(([n]) => n)).toEqual([2, 1])
    })
  })
})

test('the search index keeps entities apart whose ids begin alike', async () => {
  const readModels = await opened(await freshPath())
  const ids = ['1', '2', '3'].map((end) => `aaaaaaaa-aaaa-5000-8000-00000000000${end}`)
  await applyRows(
    readModels,
    ids.map((id, index) => makeRow(`t${index}`, { id, description: `word${index}` })),
    1n,
  )
  await applyRows(readModels, [makeRow('t0', { id: ids[0] as string, status: 'gone', revision: 1n })], 2n)
  await applyRows(readModels, [makeRow('t1', { id: ids[1] as string, revision: 1n, description: 'changed' })], 3n)
  const found = async (q: string) =>
    (await searchFor(readModels, q, { kinds: ['thing'] })).hits.map(({ row }) => row.fullyQualifiedName)
  expect([await found('word0'), await found('word1'), await found('changed'), await found('word2')]).toEqual([
    [],
    [],
    ['t1'],
    ['t2'],
  ])
})

describe('plans', () => {
  const rows = ['Unprocessed', 'Draft'].flatMap((entityStatus) =>
    ['a', 'b', 'c'].map((name, index) =>
      makeRow(`s.${name}${entityStatus}`, {
        entityStatus,
        parent: 'p',
        edges: { owners: ['u'], tags: ['t'] },
        status: index === 2 ? 'deleted' : 'live',
        kind: index === 1 ? 'other' : 'thing',
      }),
    ),
  )

  /** A file with some rows, and the plans of everything that work asks of it. */
  const openPlans = async () => {
    const path = await freshPath()
    const readModels = await openSqliteReadModels({ path })
    await applyRows(readModels, rows, 1n)
    await searchFor(readModels, '*', { kinds: ['thing'] })
    await readModels.close()
    const file = openSqliteFile({ path }, [entityTables, indexTables])
    onTestFinished(() => file.close())
    return async (work: (file: SqliteFile) => unknown): Promise<string[]> => {
      const seen = new Set<string>()
      const listening = (prepare: SqliteFile['statement']) => (sql: string) => {
        seen.add(sql)
        return prepare(sql)
      }
      await work({ ...file, statement: listening(file.statement), wide: listening(file.wide) })
      expect(seen.size).toBeGreaterThan(0)
      const plans = [...seen].flatMap((sql) => file.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
      return plans.map(({ detail }) => String(detail))
    }
  }
  const scans = /^SCAN (?!json_each|wanted|\(|w |w$|CONSTANT|k )|TEMP B-TREE/

  const listIn = async (documents: EntityDocuments, query: ListQuery) =>
    readList(documents, await planQuery(documents, query))

  const key = { fullyQualifiedName: 's.aZ', id: 'x' }
  const edges = [
    { rel: 'owners', target: 'u' },
    { rel: 'tags', target: 't' },
  ]
  const lists: Partial<ListQuery>[] = [
    {},
    { include: 'all' },
    { scopes: ['s'] },
    { entityStatus: 'Draft' },
    { entityStatus: 'Unprocessed' },
    { parent: 'p' },
    { parent: 'p', entityStatus: 'Draft' },
    { edges: edges.slice(0, 1) },
    { edges },
    { edges, scopes: ['s'], include: 'all' },
  ]

  test('lists neither scan nor sort', async () => {
    const plansOf = await openPlans()
    for (const some of lists.flatMap((list) => [list, { ...list, after: key }, { ...list, before: key }])) {
      const plans = await plansOf((file) => listIn(entitiesIn(file), listOf(some)))
      expect([some, ...plans.filter((detail) => scans.test(detail))]).toEqual([some])
    }
  })

  test('relations and sorted searches neither scan nor sort', async () => {
    const everything = {
      expression: undefined,
      kinds: ['thing', 'other'],
      deleted: false,
      from: 0,
      size: 10,
      descending: true,
    } as const
    const plansOf = await openPlans()
    const plans = await plansOf(async (file) => {
      await relatedTo(entitiesIn(file), ['t'], 'tags', 10)
      await childrenOf(entitiesIn(file), ['p'], 'thing', 10)
      await searchOf(file).suggest('a', ['thing', 'other'], 10)
      for (const sort of ['fullyQualifiedName', 'name', 'updatedAt'] as const)
        await searchOf(file).search({ ...everything, sort })
    })
    expect(plans.filter((detail) => scans.test(detail))).toEqual([])
  })
})
