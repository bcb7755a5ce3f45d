import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { CatalogEvent, RecordedEvent } from '../../../src/events/events.ts'
import { checkpointAfter } from '../../../src/projections/projection.ts'
import { searchPathOf } from '../../../src/projections/search/sqlite/indexFile.ts'
import { searchOf } from '../../../src/projections/search/sqlite/search.ts'
import { openProjectionFile } from '../../../src/projections/sqlite/projectionFile.ts'
import { searchFile } from '../../../src/projections/embedded/searchFile.ts'
import { freshStream, newEvent } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { searchFor } from '../entities/contract/corpus.ts'
import { start, type Running } from './workers.ts'
import { longEnough } from '../../support/patience.ts'

const count = 150
const streams = Array.from({ length: count }, () => freshStream())
const spared = freshStream()
const deletion = randomUUID()

const appendAll = async (running: Running, some: readonly string[], revision: bigint, event: CatalogEvent) => {
  const expected = revision === 0n ? 'no_stream' : revision - 1n
  const events = async (stream: string) => {
    const before = revision === 0n ? [] : await Array.fromAsync(running.log.readStream(stream))
    const previousHash = before.at(-1)?.metadata.hash
    return [newEvent(event, { stream, revision, ...(previousHash && { previousHash }) })]
  }
  const appends = await Promise.all(
    some.map(async (stream) => ({ stream, expected, events: await events(stream) }) as const),
  )
  for (const outcome of await running.log.append(appends)) expect(outcome.ok).toBe(true)
}

/** Runs the service on a folder, does something, and waits until the index has it. @returns all events */
const during = async (folder: string, work: (running: Running) => Promise<void>): Promise<RecordedEvent[]> => {
  const running = await start(folder)
  await work(running)
  const head = (await running.log.head()) as bigint
  await running.runner.waitFor(head)
  await running.runner.waitFor(head, longEnough, 'search')
  const events = await Array.fromAsync(running.log.readAll({}))
  await running.stop()
  return events
}

/** An index as it was before the events behind a position, with the entities as they are after them. */
const openBefore = async (folder: string, work: (running: Running) => Promise<void>) => {
  const path = searchPathOf(join(folder, 'readModels.db'))
  copyFileSync(path, `${path}.before`)
  const events = await during(folder, work)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  copyFileSync(`${path}.before`, path)
  const entities = join(folder, 'readModels.db')
  const kept = openProjectionFile(searchFile({ entities, flush: () => {} }), { path })
  onTestFinished(() => kept.close())
  const file = kept.current()
  const apply = async (some: readonly RecordedEvent[]) => {
    const position = (some.at(-1) as RecordedEvent).position
    const unused = () => Promise.reject(new Error('The index reads what is stored.'))
    const checkpoint = checkpointAfter({ events: some, position })
    await kept.projections[0]?.apply({ events: some, position, checkpoint, rows: unused, labelsOf: unused })
  }
  const totals = async () => {
    const search = searchOf(file)
    const of = async (q: string, deleted: boolean) => {
      const found = await searchFor(search, q, { deleted, size: 1000 })
      expect(found.hits.length).toBe(found.total)
      return found.total
    }
    return {
      live: await of('quixotic', false),
      deleted: await of('quixotic', true),
      other: await of('other', false),
      all: await of('*', false),
      allDeleted: await of('*', true),
    }
  }
  const words = () => file.statement('SELECT count(*), total(length(block)) FROM search_index_data').get()
  return { events, apply, totals, words, close: () => kept.close() }
}

test('what many entities are after a deletion, a restore, a change and their end is found at once, and no more by words that they lost', async () => {
  const folder = await temporaryFolder()
  await during(folder, (running) => {
    const members = { description: 'quixotic' }
    return appendAll(running, [...streams, spared], 0n, { type: 'Created', data: { name: 'something', members } })
  })
  let revision = 0n
  /** What is found after all but one had this event. */
  const after = async (event: CatalogEvent) => {
    revision += 1n
    const index = await openBefore(folder, (running) => appendAll(running, streams, revision, event))
    const before = index.words()
    await index.apply(index.events.slice(-count))
    const found = { ...(await index.totals()), keepsWords: isDeepStrictEqual(index.words(), before) }
    await index.close()
    return found
  }
  const live = { live: count + 1, deleted: 0, other: 0, all: count + 1, allDeleted: 0, keepsWords: true }
  expect(await after({ type: 'SoftDeleted', data: { deletion } })).toEqual({
    ...live,
    live: 1,
    deleted: count,
    all: 1,
    allDeleted: count,
  })
  expect(await after({ type: 'Restored', data: { deletion } })).toEqual(live)
  const other = { ...live, live: 1, other: count, keepsWords: false }
  expect(await after({ type: 'Updated', data: { set: { description: 'other' }, unset: [] } })).toEqual(other)
  expect(await after({ type: 'HardDeleted', data: { deletion } })).toEqual({ ...other, other: 0, all: 1 })
})

test('an index that is built anew reads hits in the same order, whatever was deleted and restored', async () => {
  const folder = await temporaryFolder()
  const path = searchPathOf(join(folder, 'readModels.db'))
  const [first = ''] = streams
  const events: CatalogEvent[] = [
    { type: 'Created', data: { name: 'something', members: {} } },
    { type: 'SoftDeleted', data: { deletion } },
    { type: 'Restored', data: { deletion } },
  ]
  for (const [revision, event] of events.entries())
    await during(folder, (running) => appendAll(running, revision === 0 ? streams : [first], BigInt(revision), event))
  const order = () => {
    const database = new DatabaseSync(path, { readOnly: true })
    const ids = database.prepare('SELECT id FROM search ORDER BY key').all()
    database.close()
    return ids
  }
  const before = order()
  rmSync(path)
  await during(folder, async () => {})
  expect(order()).toEqual(before)
})
