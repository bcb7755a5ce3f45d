import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ObjectId } from 'mongodb'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readStatus } from '../../src/cli/status.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { catalogOn } from '../support/commandLine.ts'
import { databaseOf, external, storesFor, withMongo } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'

const isShared = external.mongodbUrl !== undefined
const sealingKey = { _id: 'sealingKey' as unknown as ObjectId }
const [first, second] = [{ CATALOG_SECRET_KEY: 'a'.repeat(32) }, { CATALOG_SECRET_KEY: 'b'.repeat(32) }]

/** @param of the folder whose stores it shares (default: its own) */
const setUp = async (of?: string) => {
  const folder = await temporaryFolder()
  const stores = storesFor(of ?? folder)
  /** Starts the service once more. @returns what it, and the status afterwards, say of the key */
  const start = async (env: Record<string, string> = {}): Promise<string[]> => {
    const warnings: string[] = []
    const logger = pino(
      { level: 'warn' },
      { write: (line) => warnings.push((JSON.parse(line) as { msg: string }).msg) },
    )
    const service = await startInProcess({ ...stores, ...env }, folder, logger)
    await service.close()
    const { eventStore, readModels } = await readStatus(readConfig({ CATALOG_DATA_DIR: folder, ...stores, ...env }))
    const told = warnings.filter((text) => text.includes('were sealed by another key'))
    expect(told).toEqual([eventStore, readModels].flatMap(({ problems }) => problems ?? []).slice(-1))
    return told
  }
  return { folder, start, file: join(folder, 'sealing.id') }
}

test('a start with another key than the one that sealed the secrets says so, until the former one is back or given up', async () => {
  const { folder, start, file } = await setUp()
  expect(await start(first)).toEqual([])
  expect(await start(second)).toEqual([expect.stringContaining(`${file} say`)])
  expect(await start()).toHaveLength(1)
  expect(await start()).toHaveLength(1)
  expect(await start(first)).toEqual([])
  rmSync(file)
  if (isShared) await withMongo((client) => client.db(databaseOf(folder)).collection('identity').deleteOne(sealingKey))
  expect(await start(second)).toEqual([])
  expect(await start(first)).toHaveLength(1)
})

test.skipIf(!isShared)(
  'a start with another key beside processes that share the database says so, though its data folder is new',
  async () => {
    const one = await setUp()
    await one.start(first)
    const other = await setUp(one.folder)
    expect(await other.start(second)).toEqual([expect.stringMatching(/ as the document sealingKey .* says: /)])
    expect(await other.start()).toHaveLength(1)
    expect(await other.start(first)).toEqual([])
    expect(await one.start(first)).toEqual([])
  },
)

test('status says nothing of a key that only the service knows', async () => {
  const { folder, start } = await setUp()
  await start(first)
  const { eventStore, readModels } = await readStatus(readConfig({ CATALOG_DATA_DIR: folder, ...storesFor(folder) }))
  expect([existsSync(join(folder, 'sealing.key')), eventStore.problems, readModels.problems]).toEqual([false, [], []])
})

test.skipIf(external.eventStoreUrl !== undefined || external.mongodbUrl !== undefined)(
  'a backup that lacks the key that sealed the secrets says so, and its restore tells that it is missing',
  async () => {
    const { folder, start } = await setUp()
    await start(first)
    const copy = join(await temporaryFolder(), 'copy')
    const { stdout } = await catalogOn(folder, ['backup', copy])
    expect(stdout).toContain('Not copied: CATALOG_SECRET_KEY, which seals secrets in the log.')
    const restored = await setUp()
    expect(await catalogOn(restored.folder, ['restore', copy])).toMatchObject({ code: 0 })
    expect(await restored.start()).toHaveLength(1)
    expect(await restored.start(first)).toEqual([])
  },
)
