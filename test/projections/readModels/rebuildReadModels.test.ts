import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import type { CatalogEvent, NewEvent } from '../../../src/events/events.ts'
import { eventTypes } from '../../../src/events/verbs.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { checkpointAfter, type Projection } from '../../../src/projections/projection.ts'
import { rebuildReadModels, replay } from '../../../src/projections/readModels/rebuildReadModels.ts'
import { makeRowFold } from '../../../src/projections/projectors.ts'
import { makeLabels } from '../../../src/projections/labels.ts'
import { differencesOf } from '../../../src/projections/stored/differences.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { appendOf, appendOk, collect, exampleData, freshStream, newEvent } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { applyBatch } from '../../support/projecting.ts'

/** An empty log and read models. @param followed the file in which their threads look for the log */
const open = async (followed?: string) => {
  const folder = await temporaryFolder()
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  const path = join(folder, 'readModels.db')
  const readModels = await openSqliteReadModels({
    path,
    ...(followed !== undefined && { followed: { path: join(folder, followed) } }),
  })
  onTestFinished(async () => {
    await readModels.close()
    await log.close()
  })
  return { log, readModels }
}

test('a replay gives every projection all events, also where others have moved the first one on meanwhile', async () => {
  const { log, readModels } = await open()
  const options = { log, readModels, kindNamed, progress: () => undefined }
  const append = async (): Promise<bigint> =>
    (await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))).position
  const first = await append()
  await replay(options, first)
  const second = await append()
  const events = await collect(log.readAll({ after: first }))
  const fold = makeRowFold(options)
  const batch = { events, position: second, rows: () => fold(events), labelsOf: makeLabels(log) }
  await applyBatch(readModels, batch, checkpointAfter(batch), [readModels.projections[0] as Projection])
  const third = await append()
  await replay(options, third)
  const { rows } = await readModels.activity({ limit: 10 })
  expect(rows.map(({ position }) => position).toSorted()).toEqual([first, second, third])
  expect((await readModels.treeLeaves())?.hashes.length).toBe(3 * 32)
})

const [{ deletion }, owners] = [exampleData.SoftDeleted, [exampleData.FollowerAdded.user]]

/** What happens to some entities after their creation: to each another event, and to the last a whole life and a new one. */
const lives: readonly (readonly CatalogEvent[])[] = [
  ...eventTypes.filter((type) => type !== 'Created').map((type) => [{ type, data: exampleData[type] } as CatalogEvent]),
  [
    { type: 'Updated', data: { set: { owners }, unset: [] } },
    { type: 'SoftDeleted', data: { deletion } },
    { type: 'Restored', data: { deletion } },
    { type: 'Updated', data: { set: {}, unset: ['owners'] } },
    { type: 'HardDeleted', data: { deletion } },
    { type: 'Created', data: { name: 'something', members: { owners } } },
  ],
]

test('what read models store that followed each event by itself is what a rebuild stores, and another one', async () => {
  const { log, readModels: rebuilt } = await open()
  const { readModels: followed } = await open()
  const options = { log, kindNamed, progress: () => undefined }
  let count = 0
  for (const life of lives) {
    const stream = freshStream('dataProduct')
    let previous: NewEvent | undefined
    for (const [at, event] of [
      { type: 'Created', data: { name: 'something', members: {} } } as const,
      ...life,
    ].entries()) {
      const revision = BigInt(at)
      previous = newEvent(event, { stream, revision, ...(previous && { previousHash: previous.metadata.hash }) })
      const expected = at === 0 ? 'no_stream' : revision - 1n
      const { position } = await appendOk(log, { stream, expected, events: [previous] })
      await replay({ ...options, readModels: followed }, position)
      count++
    }
  }
  for (const readModels of [rebuilt, followed]) {
    expect(await rebuildReadModels({ ...options, readModels })).toBe(count)
    const [{ tables }, { tables: expected }] = [await followed.stored(), await rebuilt.stored()]
    expect(await differencesOf(tables, expected)).toEqual([])
  }
  expect(await followed.checkpoints()).toEqual(await rebuilt.checkpoints())
})

test('a rebuild that is stopped ends at once, and leaves the read models as they were', async () => {
  const { log, readModels } = await open()
  for (let time = 0; time < 3; time++) await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))
  const stop = new AbortController()
  const options = { log, readModels, kindNamed, progress: () => stop.abort(), signal: stop.signal, lost: true }
  await expect(rebuildReadModels(options)).rejects.toThrow('aborted')
  expect((await readModels.activity({ limit: 10 })).rows).toEqual([])
  await expect(rebuildReadModels(options)).rejects.toThrow('aborted')
})

test('a replay that is stopped passes no event, so that one that goes on with it applies them all', async () => {
  const { log, readModels } = await open()
  const options = { log, readModels, kindNamed, progress: () => undefined }
  const { position } = await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))
  await expect(replay({ ...options, signal: AbortSignal.abort() }, position)).rejects.toThrow('aborted')
  await replay(options, position)
  expect((await readModels.activity({ limit: 10 })).rows.map((row) => row.position)).toEqual([position])
})

test('a rebuild ends where the read models are beyond the newest event, and shows as much as they did', async () => {
  const { log: stored, readModels } = await open()
  const log = { ...stored, dense: false }
  const { position } = await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))
  const options = { log, readModels, kindNamed, progress: () => undefined }
  const shown = position + 10n
  await replay(options, shown)
  expect(await rebuildReadModels(options)).toBe(1)
  const positions = [...(await readModels.checkpoints()).values()].map((checkpoint) => checkpoint?.position)
  expect(new Set(positions)).toEqual(new Set([shown]))
})

/** Timers that keep the process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('a rebuild that fails leaves nothing behind that keeps the process alive', async () => {
  const { log, readModels } = await open('log.db')
  await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))
  const before = timers()
  const unreadable = { ...log, subscribe: () => expect.fail('unreadable') }
  const failing = rebuildReadModels({ log: unreadable, readModels, kindNamed, progress: () => undefined, lost: true })
  await expect(failing).rejects.toThrow('unreadable')
  expect(timers()).toBeLessThanOrEqual(before)
})

test('a rebuild fails where a thread of it cannot go on', async () => {
  const { log, readModels } = await open('other.db')
  await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))
  const rebuild = rebuildReadModels({ log, readModels, kindNamed, progress: () => undefined, lost: true })
  await expect(rebuild).rejects.toThrow('other.db')
})
