import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { longEnough } from '../../support/patience.ts'
import { waitFor } from '../../support/waitFor.ts'
import { makeCheckpoints } from '../../../src/stores/sqlite/walCheckpoints.ts'

const rows = 200
/** Changes after which one is made. */
const changesPerRun = 5000
/** Pages of a write-ahead log that is worth beginning again. */
const long = 16_000
const pageOf = 4096

const open = async () => {
  const path = join(await temporaryFolder(), 'some.db')
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)',
  )
  const checkpoints = makeCheckpoints(database, path, { changesPerRun, maxWait: longEnough })
  onTestFinished(async () => {
    await checkpoints.close()
    database.close()
  })
  const put = database.prepare('INSERT OR REPLACE INTO t VALUES (?, zeroblob(4000))')
  const write = (): void => {
    database.exec('BEGIN')
    for (let key = 0; key < rows; key++) put.run(key)
    database.exec('COMMIT')
    checkpoints.committed()
  }
  return { path, write, checkpoints, database }
}

/** Waits while the thread is many pages behind, as on a slow disk. */
const untilMoved = async ({ database, checkpoints }: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const frames = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  await waitFor(() => {
    checkpoints.committed()
    const { log, checkpointed } = frames.get() as { log: number; checkpointed: number }
    expect(log - checkpointed).toBeLessThan(2 * changesPerRun)
  })
}

/** Pages in the file itself, without its write-ahead log. */
const pagesOf = (path: string): number => statSync(path).size / pageOf

test('what is committed comes into the file although the connection that writes makes no checkpoint', async () => {
  const { path, write } = await open()
  const before = pagesOf(path)
  for (let changed = 0; changed <= changesPerRun; changed += rows) write()
  await expect.poll(() => pagesOf(path)).toBeGreaterThan(before + rows / 2)
})

test('the write-ahead log begins again while writes go on, instead of growing with them', async () => {
  const opened = await open()
  const { path, write, checkpoints } = opened
  const times = 12
  for (let time = 0; time < times; time++) {
    for (let changed = 0; changed <= changesPerRun; changed += rows) {
      write()
      await delay(1)
      await untilMoved(opened)
      await checkpoints.beforeTransaction()
    }
  }
  // Each write puts 200 pages into it: without an end of it these would be 62,000.
  expect(statSync(`${path}-wal`).size / pageOf).toBeLessThan((times * changesPerRun) / 2)
})

/** What SQLite changes in the head of the write-ahead log when that begins again. */
const saltOf = (path: string): string => {
  const head = Buffer.alloc(24)
  const file = openSync(`${path}-wal`, 'r')
  readSync(file, head, 0, head.length, 0)
  closeSync(file)
  return head.subarray(16).toString('hex')
}

/** Writes until the log is long; somebody who reads keeps it from beginning again before. @returns what is due then */
const writeLong = async ({ path, write, checkpoints }: Awaited<ReturnType<typeof open>>) => {
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT count(*) FROM t')
  for (let pages = 0; pages <= long + 2 * changesPerRun; pages += rows) {
    write()
    await delay(1)
  }
  reader.close()
  const before = saltOf(path)
  for (;;) {
    const due = checkpoints.beforeTransaction()
    if (due !== undefined) return { before, due }
    checkpoints.committed()
    await delay(1)
  }
}

test('the connection that writes begins the write-ahead log again itself, when the thread has moved all', async () => {
  const opened = await open()
  const { path, write, database } = opened
  const { before, due } = await writeLong(opened)
  await due
  expect(saltOf(path)).toBe(before)
  const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<string, number>
  expect([log === checkpointed, log !== undefined && log > long]).toEqual([true, true])
  write()
  expect(saltOf(path)).not.toBe(before)
})

test('closing waits for what is being done, and nothing begins after that', async () => {
  const { path, write, checkpoints, database } = await open()
  for (let changed = 0; changed <= changesPerRun; changed += rows) write()
  await checkpoints.close()
  const after = pagesOf(path)
  for (let changed = 0; changed <= 2 * changesPerRun; changed += rows) write()
  expect(pagesOf(path)).toBe(after)
  expect(database.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: rows })
})
