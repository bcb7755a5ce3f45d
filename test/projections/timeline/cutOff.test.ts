import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import fc, { examples } from '../../support/fastCheck.ts'
import type { MongoAnswerer } from '../../support/mongoProxy.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { applyBatch, labelsOf } from '../../support/projecting.ts'
import { behindServer, describeMongo, singleServer } from '../entities/mongo/support.ts'
import {
  born,
  bornBelow,
  causedLog,
  deletedWith,
  isVoid,
  middle,
  restored,
  root,
  turnedLog,
  turning,
  type Term,
  type TermEvent,
} from './timelineContract.ts'
import { storedIn } from './removedLabels.ts'

/** Applies events to the timeline alone. */
const apply = (
  readModels: ReadModels,
  events: readonly RecordedEvent[],
  giveWay = async (): Promise<void> => {},
): Promise<void> => {
  const position = events.at(-1)?.position ?? 0n
  const timeline = readModels.projections.filter(({ name }) => name === 'timeline')
  const batch = { events, position, rows: async () => [], labelsOf, isVoid, giveWay }
  return applyBatch(readModels, batch, undefined, timeline)
}

const storedOf = async (readModels: ReadModels) => storedIn(await readModels.stored(), ['timeline'])

const writes = new Set(['insert', 'update', 'delete'])

/** A server that is not reached any more after some writes: the last one that it answers is the last that it makes. */
const lostAfter = (commands: number): MongoAnswerer => {
  let made = 0
  return (command) =>
    writes.has(Object.keys(command)[0] as string) && ++made > commands ? Buffer.from('no more') : undefined
}

/** What is stored after the batch, whole or cut off after so many commands and then applied again. */
const afterBatches = async (first: readonly RecordedEvent[], batch: readonly RecordedEvent[], commands = Infinity) => {
  const { says, readModels } = await behindServer()
  await apply(readModels, first)
  says.now = lostAfter(commands)
  const isCut = await apply(readModels, batch).then(
    () => false,
    () => true,
  )
  says.now = () => undefined
  await readModels.checkpoints()
  if (isCut) await apply(readModels, batch)
  return { isCut, stored: await storedOf(readModels) }
}

describeMongo('a batch of the timeline that is cut off', () => {
  test.runIf(singleServer)('and comes again ends as if it had not been, wherever that was', async () => {
    const log = causedLog([
      born[0] as TermEvent,
      deletedWith(root),
      bornBelow(middle, root),
      restored(root),
      deletedWith(root),
    ])
    const [first, batch] = [log.slice(0, 1), log.slice(1)]
    const { stored } = await afterBatches(first, batch)
    for (let commands = 0; ; commands++) {
      const again = await afterBatches(first, batch, commands)
      expect([commands, again.stored]).toEqual([commands, stored])
      if (!again.isCut) break
    }
  })

  test.runIf(singleServer)('anywhere ends as if it had not been, whatever happened', async () => {
    const some = fc.array(turning, { minLength: 5, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(some, fc.nat(20), fc.nat(5), async (steps, from, commands) => {
        const { log } = turnedLog(steps)
        const [first, batch] = [log.slice(0, from + 1), log.slice(from + 1)]
        const { stored } = await afterBatches(first, batch)
        expect((await afterBatches(first, batch, commands)).stored).toEqual(stored)
      }),
      { numRuns: examples(10) },
    )
  })
})

test('a deletion that ends above 700 entities is written in parts, and ends the same wherever that was cut off', async () => {
  const children = Array.from({ length: 700 }, (_, at): Term => {
    const [name, kind] = [`g.n${at}`, 'glossaryTerm']
    return { name, kind, id: entityId(kind, name), stream: `${kind}-${entityId(kind, name)}` }
  })
  const [deletion, told] = [children.length + 1, children.slice(0, 100)]
  const log = causedLog([
    born[0] as TermEvent,
    ...children.map((child) => bornBelow(child, root)),
    deletedWith(root),
    ...told.map((child) => deletedWith(child, deletion)),
    restored(root),
    ...told.map((child) => restored(child, deletion + told.length + 1)),
  ])
  const [first, batch] = [log.slice(0, deletion + 50), log.slice(deletion + 50)]
  const written = async (parts = Infinity) => {
    const readModels = await openSqliteReadModels({ path: join(await temporaryFolder(), 'readModels.db') })
    onTestFinished(() => readModels.close())
    await apply(readModels, first)
    let count = 0
    const cut = apply(readModels, batch, async () => {
      if (count++ === parts) throw new Error('cut off')
    })
    const isWhole = async () => (await readModels.stored()).isMoment
    await cut.catch(async () => {
      expect(await isWhole()).toBe(parts === 0)
      await apply(readModels, batch)
    })
    expect(await isWhole()).toBe(true)
    const totals = [deletion, Number(log.at(-1)?.position)].map(async (at) => {
      const deleted = { kind: 'glossaryTerm', include: 'deleted', scopes: [], edges: [], limit: 0 } as const
      return (await readModels.listAsOf({ ...deleted, position: BigInt(at) })).total
    })
    return { count, totals: await Promise.all(totals), stored: await storedOf(readModels) }
  }
  const all = vi.spyOn(StatementSync.prototype, 'all')
  const { count, ...whole } = await written()
  const read = all.mock.results.flatMap(({ value }, at) => {
    const { sourceSQL } = all.mock.contexts[at] as StatementSync
    return sourceSQL.includes('FROM timeline_kept') ? [(value as unknown[]).length] : []
  })
  all.mockRestore()
  expect(read.length).toBeGreaterThan(1)
  expect(Math.max(...read)).toBeLessThanOrEqual(500)
  expect(whole.totals).toEqual([700, 0])
  expect(count).toBeGreaterThan(1)
  for (let parts = 0; parts < count; parts++) {
    const { count: _, ...again } = await written(parts)
    expect(again).toEqual(whole)
  }
})
