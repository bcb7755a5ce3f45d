import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { checkpointAfter, type Batch } from '../../../src/projections/projection.ts'
import { rebuildReadModels } from '../../../src/projections/readModels/rebuildReadModels.ts'
import { startRunner } from '../../../src/projections/runner.ts'
import { openProjectionFile } from '../../../src/projections/sqlite/projectionFile.ts'
import { searchFile } from '../../../src/projections/embedded/searchFile.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { searchPathOf } from '../../../src/projections/search/sqlite/indexFile.ts'
import { searchFor } from '../entities/contract/corpus.ts'
import { appendOf, appendOk, freshStream } from '../../support/events.ts'
import { tablesIn } from '../../support/entityFile.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { kindNamed, start, write, type Running } from './workers.ts'
import { longEnough } from '../../support/patience.ts'

const pathIn = (folder: string): string => searchPathOf(join(folder, 'readModels.db'))

const totalOf = async ({ readModels }: Pick<Running, 'readModels'>, q: string, deleted = false): Promise<number> =>
  (await searchFor(readModels, q, { deleted })).total

/** What is found by the word once the index shows the position. */
const foundAt = async (running: Running, position: bigint, q: string): Promise<number> => {
  await running.runner.waitFor(position)
  await running.runner.waitFor(position, longEnough, 'search')
  return totalOf(running, q)
}

test('who searches finds what was written before, and what was changed no more by what it was', async () => {
  const running = await start(await temporaryFolder())
  for (let count = 0; count < 20; count++) {
    const stream = freshStream()
    const { position } = await appendOk(running.log, appendOf(stream, 'no_stream', 1, { description: `first${count}` }))
    expect(await foundAt(running, position, `first${count}`)).toBe(1)
    const changed = await appendOk(running.log, appendOf(stream, 0n, 1, { description: `second${count}` }))
    expect(await foundAt(running, changed.position, `second${count}`)).toBe(1)
    expect(await totalOf(running, `first${count}`)).toBe(0)
    expect(await totalOf(running, '*')).toBe(count + 1)
  }
  expect(await totalOf(running, 'somethin')).toBe(20)
  expect((await running.readModels.suggest('some', ['thing'], 5)).length).toBe(5)
  expect(running.lost).toEqual([])
})

test('who searches while others write waits for no commit of the entities', async () => {
  const folder = await temporaryFolder()
  const minute = 60_000
  const running = await start(folder, join(folder, 'log.db'), minute)
  let ended = false
  const writing = (async () => {
    while (!ended) {
      await write(running)
      await delay(3)
    }
  })()
  try {
    for (let count = 0; count < 20; count++) {
      const position = await write(running)
      await running.runner.waitFor(position)
      await running.runner.waitFor(position, longEnough, 'search')
    }
  } finally {
    ended = true
    await writing
  }
})

test('what nobody searches is indexed by itself, and the file of the entities has no index', async () => {
  const folder = await temporaryFolder()
  const running = await start(folder)
  for (let count = 0; count < 50; count++) await write(running)
  await expect.poll(() => running.runner.position('search')).toBe(50n)
  expect(await totalOf(running, 'something')).toBe(50)
  expect(tablesIn(join(folder, 'readModels.db')).filter((name) => name.startsWith('search'))).toEqual([])
})

test('a runner that stops leaves the index whole, and goes on with it when it begins again', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  const before = await write(first, { description: 'before' })
  await first.runner.waitFor(before)
  await first.stop()
  expect(statSync(`${pathIn(folder)}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  expect(statSync(`${join(folder, 'readModels.db')}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  const second = await start(folder)
  expect((await second.readModels.checkpoints()).get('search')?.position).toBe(before)
  expect(await foundAt(second, await write(second, { description: 'after' }), 'before OR after')).toBe(2)
})

test('words of a batch that was undone are there when the batch comes again', async () => {
  const folder = await temporaryFolder()
  const running = await start(folder)
  const position = await write(running, { description: 'quixotic' })
  await running.runner.waitFor(position)
  const events = await Array.fromAsync(running.log.readAll({}))
  await running.stop()
  rmSync(pathIn(folder))
  const entities = join(folder, 'readModels.db')
  const kept = openProjectionFile(searchFile({ entities, flush: () => {} }), { path: pathIn(folder) })
  onTestFinished(() => kept.close())
  const unused = () => Promise.reject(new Error('The index reads what is stored.'))
  const batch = { events, position, rows: unused, labelsOf: unused }
  const apply = (checkpoint: Batch['checkpoint']) => kept.projections[0]?.apply({ ...batch, checkpoint })
  const known = () => kept.current().statement('SELECT count(*) FROM search_words WHERE word = ?').get('quixotic')
  const full = {
    get position(): never {
      throw new Error('The disk is full.')
    },
  }
  await expect(apply(full)).rejects.toThrow('full')
  expect(known()).toEqual([0])
  await apply(checkpointAfter(batch))
  expect(known()).toEqual([1])
})

test('an index is made anew with read models that take the place of others', async () => {
  const running = await start(await temporaryFolder())
  const { log, readModels, runner } = running
  const before = await write(running, { description: 'before' })
  await runner.waitFor(before, longEnough, 'search')
  expect(await rebuildReadModels({ log, readModels, kindNamed, progress: () => undefined })).toBe(1)
  expect(await foundAt(running, before, 'before')).toBe(1)
  expect(await foundAt(running, await write(running, { description: 'after' }), 'before OR after')).toBe(2)
})

test('an index that is missing is made anew', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  for (let count = 0; count < 1200; count++) await write(first, { description: `word${count}` })
  await first.runner.waitFor(1200n)
  await first.stop()
  writeFileSync(pathIn(folder), readFileSync(pathIn(folder)).fill(0xaa))
  const second = await start(folder)
  expect(await foundAt(second, await write(second), 'something')).toBe(1201)
  expect(await totalOf(second, 'word1199')).toBe(1)
  expect(await totalOf(second, 'word0')).toBe(1)
  expect(second.lost).toEqual([])
})

test('the index does not come further than the entities, and has all of them when they come', async () => {
  const folder = await temporaryFolder()
  const { log, readModels } = await start(folder).then(async (first) => {
    await first.stop()
    const path = join(folder, 'readModels.db')
    return {
      log: openSqliteEventStore({ path: join(folder, 'log.db') }),
      readModels: await openSqliteReadModels({
        path,
        followed: { path: join(folder, 'log.db'), cacheBytes: 2 ** 20 },
        commitEvery: 250,
      }),
    }
  })
  const moved: bigint[] = []
  const logger = { warn: () => undefined, info: () => undefined }
  const worker = readModels.worker?.start({
    onMoved: (name, position) => name === 'search' && position !== undefined && moved.push(position),
    onLost: () => undefined,
    logger,
  })
  onTestFinished(async () => {
    await worker?.stop()
    await readModels.close()
    await log.close()
  })
  for (let count = 0; count < 20; count++) await write({ log })
  worker?.prioritise('search', 20n)
  await delay(1000)
  expect(moved).toEqual([])
  const store = { ...readModels, worker: undefined }
  const runner = startRunner({ log, store, readModels, kindNamed, logger, onLost: () => undefined })
  await expect.poll(() => moved.at(-1)).toBe(20n)
  expect((await searchFor(readModels, 'something')).total).toBe(20)
  await runner.stop()
})
