import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { activityDocuments } from '../../../src/projections/activity/activityProjection.ts'
import { documentsInSqlite } from '../../../src/projections/documents/sqlite.ts'
import { openSqliteFile } from '../../../src/projections/sqlite/file.ts'
import { historyPathOf } from '../../../src/projections/embedded/historyFile.ts'
import { openSqliteReadModels, type SqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { timelineDocuments } from '../../../src/projections/timeline/read.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { applyRows } from '../../support/projecting.ts'
import { makeRow, rowId } from '../../support/rows.ts'
import { treeDocuments } from '../../../src/projections/tree/treeProjection.ts'
import { indexTables } from '../../../src/projections/search/sqlite/indexFile.ts'
import { entityTables, tablesIn } from '../../support/entityFile.ts'

const { tables: activityTables } = documentsInSqlite(activityDocuments)
const { tables: treeTables } = documentsInSqlite(treeDocuments)
const { tables: timelineTables } = documentsInSqlite(timelineDocuments)

const opened = async (path: string, onReplaced: (reason: string) => void = () => {}): Promise<SqliteReadModels> => {
  const readModels = await openSqliteReadModels({ path, onReplaced })
  onTestFinished(() => readModels.close())
  return readModels
}

/** A file as it was when it kept everything. */
const formerFile = async (path: string): Promise<void> => {
  const file = openSqliteFile({ path }, [entityTables, indexTables, activityTables, treeTables, timelineTables])
  file.database.exec(`
    UPDATE projections SET checkpoint = 7;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO activity (position, time, user, kind, type) SELECT i, i, 'ann', 'k', 'Created' FROM n;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO timeline SELECT 1, 'f' || i, i, i + 1, 'e', '', NULL FROM n;`)
  await file.close()
}

test('what a file had of what happened is made anew beside it, and thrown away there', async () => {
  const path = join(await temporaryFolder(), 'readModels.db')
  await formerFile(path)
  const readModels = await opened(path)
  const checkpoints = await readModels.checkpoints()
  expect([...checkpoints.keys()].toSorted()).toEqual(['entities'])
  expect((await readModels.activity({ limit: 10 })).rows).toEqual([])
  expect(tablesIn(path).filter((name) => /^(search|activity|tree|timeline)/.test(name))).toEqual([])
  expect(tablesIn(path)).toContain('entities')
  expect(tablesIn(historyPathOf(path))).toContain('activity')
})

test('a damaged file of what happened is deleted, and what is there now stays', async () => {
  const path = join(await temporaryFolder(), 'readModels.db')
  const before = await openSqliteReadModels({ path })
  await applyRows(before, [makeRow('a')], 1n)
  await before.close()
  const history = historyPathOf(path)
  writeFileSync(history, readFileSync(history).fill(0xaa))
  const told: string[] = []
  const readModels = await opened(path, (reason) => told.push(reason))
  expect(told).toEqual([expect.stringContaining(`${history} is damaged`)])
  const checkpoints = await readModels.checkpoints()
  expect(checkpoints.get('entities')?.position).toBe(1n)
  expect(checkpoints.get('activity')).toBeUndefined()
  expect(await readModels.get(rowId('a'))).toBeDefined()
})
