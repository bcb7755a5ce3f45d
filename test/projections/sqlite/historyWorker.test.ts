import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rebuildReadModels } from '../../../src/projections/readModels/rebuildReadModels.ts'
import { historyPathOf } from '../../../src/projections/embedded/historyFile.ts'
import { makeLogTree } from '../../../src/projections/tree/tree.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { kindNamed, start, write, type Running } from './workers.ts'
import { longEnough } from '../../support/patience.ts'
import { timeAwake } from '../../support/timeAwake.ts'

const positionsOf = async ({ readModels }: Running): Promise<bigint[]> =>
  (await readModels.activity({ limit: 1000 })).rows.map(({ position }) => position)

const historyNames = ['activity', 'tree', 'timeline', 'lineageSpans']

test('who waits for what another thread projects sees what was written, at once', async () => {
  const running = await start(await temporaryFolder())
  await running.runner.waitFor(await write(running), longEnough, 'activity')
  let quickest = Infinity
  for (let count = 0; count < 20; count++) {
    const position = await write(running)
    const awake = timeAwake()
    for (const name of historyNames) await running.runner.waitFor(position, longEnough, name)
    quickest = Math.min(quickest, awake())
    expect((await positionsOf(running))[0]).toBe(position)
    expect((await makeLogTree(running.readModels).head()).position).toBe(position)
  }
  // What nobody waits for is gathered for half a second, and looked for five times a second.
  expect(quickest).toBeLessThan(100)
  expect(running.runner.position('tree')).toBe(21n)
  expect(running.lost).toEqual([])
})

test('what nobody waits for comes by itself', async () => {
  const running = await start(await temporaryFolder())
  for (let count = 0; count < 50; count++) await write(running)
  await expect.poll(() => running.runner.position('timeline')).toBe(50n)
})

test('a runner that stops has written everything and leaves the files whole, and goes on when it begins again', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  const before = [await write(first), await write(first)]
  await first.stop()
  expect(statSync(historyPathOf(join(folder, 'readModels.db')) + '-wal', { throwIfNoEntry: false })).toBeUndefined()
  const second = await start(folder)
  const checkpoints = await second.readModels.checkpoints()
  expect(historyNames.map((name) => checkpoints.get(name)?.position)).toEqual(historyNames.map(() => before[1]))
  const after = await write(second)
  await second.runner.waitFor(after, longEnough, 'activity')
  expect(await positionsOf(second)).toEqual([after, ...before.toReversed()])
})

test('read models that take the place of others are projected on by the worker', async () => {
  const running = await start(await temporaryFolder())
  const { log, readModels, runner } = running
  const before = await write(running)
  await runner.waitFor(before, longEnough, 'activity')
  expect(await rebuildReadModels({ log, readModels, kindNamed, progress: () => undefined })).toBe(1)
  const after = await write(running)
  await runner.waitFor(after, longEnough, 'activity')
  expect(await positionsOf(running)).toEqual([after, before])
})

test('damage that the thread finds is told, so that the read models are built again', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  for (let count = 0; count < 300; count++) await write(first)
  await first.runner.waitFor(300n, longEnough, 'tree')
  await first.runner.waitFor(300n, longEnough, 'activity')
  await first.runner.waitFor(300n, longEnough, 'timeline')
  await first.stop()
  const path = historyPathOf(join(folder, 'readModels.db'))
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xaa, Math.floor(bytes.length * 0.5)))
  const second = await start(folder)
  await write(second)
  await expect.poll(() => second.lost.map(({ name }) => name)).toEqual(['DamagedReadModels'])
})

test('a thread that fails is begun again until it can', async () => {
  const folder = await temporaryFolder()
  const elsewhere = join(folder, 'elsewhere.db')
  const running = await start(folder, elsewhere)
  const position = await write(running)
  await expect.poll(() => running.lines).toContain('a thread that projects failed')
  symlinkSync(join(folder, 'log.db'), elsewhere)
  await running.runner.waitFor(position, longEnough, 'activity')
  expect(await positionsOf(running)).toEqual([position])
})
