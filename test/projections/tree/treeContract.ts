import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { EventStore, ReadAllOptions } from '../../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { labelsOf } from '../../support/projecting.ts'
import {
  checkpointAfter,
  type Batch,
  type Projection,
  type ProjectionStore,
} from '../../../src/projections/projection.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { makeLeafReader } from '../../../src/projections/tree/leafReader.ts'
import { makeLogTree } from '../../../src/projections/tree/tree.ts'
import { checkConsistency, leafHash } from '../../../src/transparency/merkle.ts'
import { checkInclusion, naiveRoot } from '../../transparency/naive.ts'
import { newEvent } from '../../support/events.ts'
import { freshWith, type MakeReadModels } from '../entities/contract/support.ts'

const [some] = [newEvent({ type: 'Created', data: { name: 'n', members: {} } }, { stream: 'thing-1' })]

/** Events with holes between their positions. Only their hashes matter to the tree. */
export const logOf = (count: number): RecordedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    ...(some as RecordedEvent),
    metadata: { ...(some as RecordedEvent).metadata, hash: hash('sha256', `${index}`) },
    stream: 'thing-1',
    revision: BigInt(index),
    position: BigInt(index * 7 + 3),
  }))

const treeOf = ({ projections }: ProjectionStore): Projection =>
  projections.find(({ name }) => name === 'tree') as Projection

const batchOf = (events: readonly RecordedEvent[]): Batch => ({
  events,
  position: events.at(-1)?.position ?? 0n,
  checkpoint: checkpointAfter({ events, position: events.at(-1)?.position ?? 0n }),
  rows: async () => [],
  labelsOf,
})

/** Applies events to the tree alone. */
export const grow = async (store: ProjectionStore, events: readonly RecordedEvent[]): Promise<void> => {
  await treeOf(store).apply(batchOf(events))
}

const leavesOf = (events: readonly RecordedEvent[]): Buffer[] =>
  events.map(({ metadata }) => leafHash(Buffer.from(metadata.hash)))

/** The tree shows exactly these events, and proves each that is asked for. */
export const expectTree = async (
  readModels: Pick<ReadModels, 'treeTiles' | 'treeLeaves'>,
  events: readonly RecordedEvent[],
  ask: readonly number[] = [],
): Promise<void> => {
  const tree = makeLogTree(readModels)
  const head = await tree.head()
  const leaves = leavesOf(events)
  expect(head).toEqual({ size: events.length, root: naiveRoot(leaves), position: events.at(-1)?.position })
  for (const at of events.length === 0 ? [] : ask) {
    const index = at % events.length
    const { position } = events[index] as RecordedEvent
    const leaf = { index, hash: leaves[index] as Buffer }
    expect(await tree.leafAt(position)).toEqual(leaf)
    expect(await tree.leafAt(position - 1n)).toBeUndefined()
    checkInclusion({ leaf: index, ...head, hash: leaf.hash }, await tree.inclusion(index, head.size))
    const before = { size: index, root: naiveRoot(leaves.slice(0, index)) }
    expect(await tree.rootAt(index)).toEqual(before.root)
    checkConsistency(before, head, await tree.consistency(index, head.size))
  }
}

const step = fc.record({
  events: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 100, max: 700 })),
  again: fc.nat(300),
  meanwhile: fc.constantFrom('nothing', 'reopen', 'fail'),
})

/** What every engine keeps of the tree. */
export const treeContract = (engine: string, make: MakeReadModels, { runs = 30 } = {}): void => {
  describe(`${engine}: the tree over the log`, () => {
    test('is that of the definition, whatever comes twice, fails or is opened again', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 3 }), async (steps, ask) => {
          const underTest = await make()
          try {
            let { readModels } = underTest
            let size = 0
            for (const { events, again, meanwhile } of steps) {
              if (meanwhile === 'reopen' && underTest.reopen) readModels = await underTest.reopen()
              const log = logOf(size + events)
              const batch = log.slice(Math.max(0, size - again))
              if (meanwhile === 'fail') await failing(readModels, batch)
              await grow(readModels, meanwhile === 'fail' ? await missing(readModels, log) : batch)
              size = log.length
            }
            await expectTree(readModels, logOf(size), ask)
          } finally {
            await underTest.dispose()
          }
        }),
        { numRuns: examples(runs) },
      )
    })

    test('tells each of its leaves', async () => {
      const readModels = await freshWith(make)()
      const log = logOf(600)
      await grow(readModels, log)
      const leaves = await Array.fromAsync(makeLogTree(readModels).leaves(log.length))
      expect(leaves).toEqual(leavesOf(log).map((hash, index) => ({ index, hash, position: log[index]?.position })))
    })

    test('tells which leaf an event is, also of those that it has not come to yet', async () => {
      const readModels = await freshWith(make)()
      const log = logOf(3000)
      const read: (bigint | undefined)[] = []
      const after = ({ after, limit }: ReadAllOptions) =>
        log.filter(({ position }) => position > (after ?? -1n)).slice(0, limit)
      const readAll: EventStore['readAll'] = (options = {}) => {
        read.push(options.after)
        return Readable.from(after(options))
      }
      let leafOf = makeLeafReader({ dense: false, readAll }, readModels)
      const indexes = (events: readonly RecordedEvent[]) => Promise.all(events.map(({ position }) => leafOf(position)))
      const leavesFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
      expect(await indexes(log.slice(0, 2))).toEqual([0, 1])
      expect(await leafOf(log[2500]?.position as bigint)).toBeUndefined()
      await grow(readModels, log.slice(0, 700))
      leafOf = makeLeafReader({ dense: false, readAll }, readModels)
      read.length = 0
      expect(await indexes(log.slice(200, 700))).toEqual(leavesFrom(200, 700))
      expect(await leafOf((log[300]?.position as bigint) + 1n)).toBeUndefined()
      expect(read).toEqual([])
      expect(await leafOf(log[1200]?.position as bigint)).toBe(1200)
      expect(await indexes(log.slice(700, 1200))).toEqual(leavesFrom(700, 1200))
      expect(read).toEqual([log[699]?.position])
      const reading: Pick<ReadModels, 'treeLeaves'> = {
        treeLeaves: async (position) => {
          const found = await readModels.treeLeaves(position)
          if (position !== undefined) await grow(readModels, log.slice(700, 1300))
          return found
        },
      }
      leafOf = makeLeafReader({ dense: false, readAll }, reading)
      expect(await leafOf(log[1250]?.position as bigint)).toBe(1250)
    })
  })
}

/** A batch whose checkpoint cannot be written. */
const failing = async (readModels: ReadModels, events: readonly RecordedEvent[]): Promise<void> => {
  const batch = batchOf(events)
  const fails = {
    ...batch,
    get checkpoint(): never {
      throw new Error('no room')
    },
  }
  await expect(treeOf(readModels).apply(fails)).rejects.toThrow('no room')
}

/** What follows after the checkpoint: a commit that fails may undo earlier ones. */
const missing = async (readModels: ReadModels, log: readonly RecordedEvent[]): Promise<RecordedEvent[]> => {
  const position = (await readModels.checkpoints()).get('tree')?.position
  return log.filter((event) => position === undefined || event.position > position)
}
