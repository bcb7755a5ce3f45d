import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteFile, type SqliteFile } from '../../../src/projections/sqlite/file.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { entityTables } from '../../support/entityFile.ts'

const rows = 2000

/** A file in which much was written, and nearly all of that deleted again. */
const emptied = async (minPages: number): Promise<{ file: SqliteFile; pages: () => number }> => {
  const path = join(await temporaryFolder(), 'some.db')
  const file = openSqliteFile({ path, vacuum: { pause: 20, minPages } }, [entityTables])
  onTestFinished(() => file.close())
  file.transaction(() => {
    file.database.exec('CREATE TABLE filled (k INTEGER PRIMARY KEY, v BLOB)')
    const put = file.database.prepare('INSERT INTO filled VALUES (?, zeroblob(8000))')
    for (let key = 0; key < rows; key++) put.run(key)
  })
  file.transaction(() => file.database.exec('DELETE FROM filled WHERE k > 0'))
  const pages = (): number => (file.database.prepare('PRAGMA page_count').get() as { page_count: number }).page_count
  return { file, pages }
}

test('pages that nothing uses are given back while the file is used', async () => {
  const { file, pages } = await emptied(100)
  const before = pages()
  expect(before).toBeGreaterThan(rows)
  await expect.poll(pages).toBeLessThan(rows / 4)
  file.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const { page_size: pageSize } = file.database.prepare('PRAGMA page_size').get() as { page_size: number }
  expect(statSync(file.path).size / pageSize).toBe(pages())
  expect(file.database.prepare('SELECT k FROM filled').all()).toEqual([{ k: 0 }])
  expect(file.database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('few of them are kept for what is written next', async () => {
  const { pages } = await emptied(100_000)
  const before = pages()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(pages()).toBe(before)
})
