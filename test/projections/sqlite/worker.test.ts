import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { checkpointAfter, type Batch } from '../../../src/projections/projection.ts'
import { startRunner } from '../../../src/projections/runner.ts'
import { openProjectionFile } from '../../../src/projections/sqlite/projectionFile.ts'
import { historyPathOf } from '../../../src/projections/embedded/historyFile.ts'
import { searchFile } from '../../../src/projections/embedded/searchFile.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { searchPathOf } from '../../../src/projections/search/sqlite/indexFile.ts'
import { makeLogTree } from '../../../src/projections/tree/tree.ts'
import { searchFor } from '../entities/contract/corpus.ts'
import { appendOf, appendOk, freshStream } from '../../support/events.ts'
import { tablesIn } from '../../support/entityFile.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { kindNamed, start, write, type Running } from './workers.ts'
import { longEnough } from '../../support/patience.ts'
import { timeAwake } from '../../support/timeAwake.ts'

const pathIn = (folder: string): string => searchPathOf(join(folder, 'readModels.db'))

const totalOf = async ({ readModels }: Pick<Running, 'readModels'>, q: string, deleted = false): Promise<number> =>
  (await searchFor(readModels, q, { deleted })).total

const positionsOf = async ({ readModels }: Running): Promise<bigint[]> =>
  (await readModels.activity({ limit: 1000 })).rows.map(({ position }) => position)

const historyNames = ['activity', 'tree', 'timeline', 'lineageSpans']

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

test('what nobody waits for comes by itself, and the file of the entities has no index', async () => {
  const folder = await temporaryFolder()
  const running = await start(folder)
  for (let count = 0; count < 50; count++) await write(running)
  for (const name of ['search', ...historyNames]) await expect.poll(() => running.runner.position(name)).toBe(50n)
  expect(await totalOf(running, 'something')).toBe(50)
  expect(tablesIn(join(folder, 'readModels.db')).filter((name) => name.startsWith('search'))).toEqual([])
})

test('a runner that stops has written everything and leaves the files whole, and goes on when it begins again', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  const before = await write(first, { description: 'before' })
  await first.runner.waitFor(before)
  await first.stop()
  const path = join(folder, 'readModels.db')
  for (const file of [path, pathIn(folder), historyPathOf(path)])
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false }), file).toBeUndefined()
  const second = await start(folder)
  const checkpoints = await second.readModels.checkpoints()
  for (const name of ['search', ...historyNames]) expect(checkpoints.get(name)?.position, name).toBe(before)
  const after = await write(second, { description: 'after' })
  expect(await foundAt(second, after, 'before OR after')).toBe(2)
  await second.runner.waitFor(after, longEnough, 'activity')
  expect(await positionsOf(second)).toEqual([after, before])
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

test('an index that is missing is made anew', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  const of = (count: number) => appendOf(freshStream(), 'no_stream', 1, { description: `word${count}` })
  await first.log.append(Array.from({ length: 1200 }, (_, count) => of(count)))
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

test('damage that the thread finds is told, so that the read models are built again', async () => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  await first.log.append(Array.from({ length: 300 }, () => appendOf(freshStream(), 'no_stream')))
  for (const name of historyNames) await first.runner.waitFor(300n, longEnough, name)
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
