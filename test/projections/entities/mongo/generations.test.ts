import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../../../src/events/eventStore.ts'
import {
  createGeneration,
  currentGeneration,
  advanceCheckpoint,
  changeState,
  type OpenedGeneration,
} from '../../../../src/projections/mongo/generations.ts'
import { releaseClaim } from '../../../../src/projections/mongo/source.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { databaseOfTest, describeMongo, entityCollections, rowOf, type MongoDatabase } from './support.ts'
import { applyRows, checkpointOf } from '../../../support/projecting.ts'
import { serverIndexes } from '../../../../src/projections/entities/entityDocuments.ts'
import { entitiesProjection } from '../../../../src/projections/entities/row.ts'

const total = async (readModels: ReadModels): Promise<number> =>
  (await readModels.list({ kind: 'thing', include: 'all', scopes: [], edges: [], limit: 0 })).total

const layout = { ...entitiesProjection, indexes: serverIndexes }

/** What a runner does after an error. */
const replaced = { name: 'StaleReadModels' }

/** What two processes have open. */
const openTwo = async () => {
  const fresh = await databaseOfTest()
  return { fresh, one: await fresh.open(), other: await fresh.open() }
}

describeMongo('read models that are emptied by hand', () => {
  const ways: Record<string, (database: MongoDatabase) => Promise<unknown>> = {
    'the database is dropped': ({ db }) => db.dropDatabase(),
    'the collection is emptied': async (fresh) => {
      for (const name of await entityCollections(fresh)) await fresh.db.collection(name).deleteMany({})
    },
    'the collection is dropped': async (fresh) => {
      for (const name of await entityCollections(fresh)) await fresh.db.collection(name).drop()
    },
    'the pointer is deleted, a second ago': async ({ db }) => {
      await db.collection('read_models').deleteMany({})
      await delay(1001)
    },
  }
  for (const [way, empty] of Object.entries(ways)) {
    test(`the next batch is refused and the checkpoint is lost, so that the log is replayed: ${way}`, async () => {
      const { fresh, one, other } = await openTwo()
      const row = rowOf()
      await applyRows(one, [row], 5n)
      await empty(fresh)
      await expect(applyRows(one, [rowOf()], 6n)).rejects.toMatchObject(replaced)
      expect(await checkpointOf(one)).toBeUndefined()
      await applyRows(one, [row], 5n)
      expect(await checkpointOf(one)).toBe(5n)
      await expect(applyRows(other, [], 7n)).rejects.toMatchObject(replaced)
      expect(await checkpointOf(other)).toBe(5n)
      await applyRows(other, [], 7n)
      expect(await checkpointOf(one)).toBe(7n)
      expect([await total(one), await total(other)]).toEqual([1, 1])
    })
  }

  test('what was there is never missing: from the first moment on it cannot be read, until all of it is there again', async () => {
    const fresh = await databaseOfTest()
    const readModels = await fresh.open()
    const row = rowOf()
    await applyRows(readModels, [row], 5n)
    await checkpointOf(readModels)
    const never = rowOf()
    const expectUnreadable = async (): Promise<void> => {
      await expect(readModels.get(row.id)).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(readModels.getMany([row.id, never.id])).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(readModels.getReferences([row.id])).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(readModels.getByFqn('thing', row.fullyQualifiedName)).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(total(readModels)).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(readModels.suggest('thing', ['thing'], 1)).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(readModels.activity({ limit: 1 })).rejects.toBeInstanceOf(StoreUnavailable)
    }
    await fresh.db.dropDatabase()
    await expectUnreadable()
    await expect(applyRows(readModels, [], 6n)).rejects.toMatchObject(replaced)
    expect(await checkpointOf(readModels)).toBeUndefined()
    await applyRows(readModels, [], 3n)
    await expectUnreadable()
    await applyRows(readModels, [row], 5n)
    expect(await readModels.get(row.id)).toMatchObject({ id: row.id })
    expect([...(await readModels.getMany([row.id, never.id])).keys()]).toEqual([row.id])
    expect(await readModels.get(never.id)).toBeUndefined()
    expect(await readModels.getByFqn('thing', never.fullyQualifiedName)).toBeUndefined()
    expect(await total(readModels)).toBe(1)
  })
})

describeMongo('a rebuild', () => {
  test('what was replaced stays stopped, also when somebody gives up the claim that was made good', async () => {
    const { db, open } = await databaseOfTest()
    await open()
    const from = (await currentGeneration(db, layout)) as OpenedGeneration
    const to = await createGeneration(db, layout)
    await changeState(from.generation, {}, { $set: { claim: 'c', replaced: to.name } })
    expect(await releaseClaim(from.generation, 'c')).toBe(false)
    expect(await advanceCheckpoint(from.generation, { position: 5n, applied: false })).toBe(false)
    expect(await advanceCheckpoint(to, { position: 5n, applied: false })).toBe(true)
  })

  test('a rebuild that ended before it switched the alias is in place all the same', async () => {
    const { db, open } = await databaseOfTest()
    const readModels = await open()
    await applyRows(readModels, [rowOf()], 5n)
    const from = (await currentGeneration(db, layout)) as OpenedGeneration
    const to = await createGeneration(db, layout)
    await advanceCheckpoint(to, { position: 5n, applied: false })
    await changeState(from.generation, {}, { $set: { claim: 'c', replaced: to.name } })
    expect(await total(readModels)).toBe(1)
    await expect(applyRows(readModels, [rowOf()], 6n)).rejects.toMatchObject(replaced)
    expect(await checkpointOf(readModels)).toBe(5n)
    await applyRows(readModels, [rowOf()], 6n)
    expect(await total(readModels)).toBe(1)
    expect((await currentGeneration(db, layout))?.generation.name).toBe(to.name)
  })

  test('a claim that was given up stops nothing', async () => {
    const { db, open } = await databaseOfTest()
    await open()
    const { generation } = (await currentGeneration(db, layout)) as OpenedGeneration
    await changeState(generation, {}, { $set: { claim: 'c' } })
    expect(await advanceCheckpoint(generation, { position: 5n, applied: false })).toBe(false)
    expect(await releaseClaim(generation, 'c')).toBe(true)
    expect(await advanceCheckpoint(generation, { position: 5n, applied: false })).toBe(true)
  })

  test('a rebuild that is discarded leaves no trace', async () => {
    const fresh = await databaseOfTest()
    const readModels = await fresh.open()
    const before = await entityCollections(fresh)
    const rebuild = await readModels.startRebuild()
    await applyRows(rebuild.fresh, [rowOf()], 1n)
    await rebuild.discard()
    await rebuild.discard()
    expect(await entityCollections(fresh)).toEqual(before)
    expect(await total(readModels)).toBe(0)
  })

  test('a rebuild that has not come as far as the former read models makes the projection go back', async () => {
    const fresh = await databaseOfTest()
    const readModels = await fresh.open()
    const rebuild = await readModels.startRebuild()
    await applyRows(rebuild.fresh, [rowOf()], 5n)
    await applyRows(readModels, [rowOf()], 6n)
    await rebuild.swap()
    await expect(applyRows(readModels, [rowOf()], 7n)).rejects.toMatchObject(replaced)
    expect(await checkpointOf(readModels)).toBe(5n)
    await applyRows(readModels, [rowOf()], 7n)
    expect(await checkpointOf(readModels)).toBe(7n)
  })

  test('is noticed by other processes: their next batch is refused, their reads follow', async () => {
    const { one, other } = await openTwo()
    await applyRows(one, [rowOf()], 5n)
    const rebuild = await one.startRebuild()
    await applyRows(rebuild.fresh, [rowOf(), rowOf()], 5n)
    await rebuild.swap()
    await expect(applyRows(other, [], 6n)).rejects.toMatchObject(replaced)
    expect(await checkpointOf(other)).toBe(5n)
    expect(await total(other)).toBe(2)
    await expect.poll(() => total(other)).toBe(2)
  })

  test('is followed by processes that only read, within a second', async () => {
    const fresh = await databaseOfTest()
    const [one, reader] = [await fresh.open(), await fresh.open({ readOnly: true })]
    const rebuild = await one.startRebuild()
    await applyRows(rebuild.fresh, [rowOf()], 5n)
    await rebuild.swap()
    await expect.poll(() => total(reader)).toBe(1)
  })

  test('asking for the checkpoint does not make a process write where it has not read from', async () => {
    const { one, other } = await openTwo()
    const rebuild = await one.startRebuild()
    await applyRows(rebuild.fresh, [], 5n)
    await rebuild.swap()
    expect(await checkpointOf(other)).toBe(5n)
    await expect(applyRows(other, [], 9n)).rejects.toMatchObject(replaced)
    expect(await checkpointOf(other)).toBe(5n)
    await applyRows(other, [], 6n)
    expect(await checkpointOf(one)).toBe(6n)
  })

  test('takes the place only when it shows all that others have applied, and nothing is applied meanwhile', async () => {
    const { one, other } = await openTwo()
    const [early, late] = [rowOf(), rowOf()]
    await applyRows(other, [early], 5n)
    const rebuild = await one.startRebuild()
    await applyRows(rebuild.fresh, [early], 5n)
    await applyRows(other, [late], 6n)
    const asked: (bigint | undefined)[] = []
    await rebuild.swap(async (shown) => {
      asked.push(shown)
      await expect(applyRows(other, [rowOf()], 7n)).rejects.toMatchObject(replaced)
      expect(await total(other)).toBeGreaterThanOrEqual(2)
      await applyRows(rebuild.fresh, [late], 6n)
    })
    expect(asked[0]).toBe(6n)
    expect(await checkpointOf(other)).toBe(6n)
    expect([await total(one), await total(other)]).toEqual([2, 2])
    await applyRows(other, [rowOf()], 7n)
    expect(await checkpointOf(one)).toBe(7n)
  })

  test('a rebuild that fails at last leaves everything as it was', async () => {
    const { one, other } = await openTwo()
    await applyRows(other, [rowOf()], 5n)
    const rebuild = await one.startRebuild()
    await expect(rebuild.swap(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await applyRows(other, [rowOf()], 6n)
    expect([await checkpointOf(one), await total(one)]).toEqual([6n, 2])
  })

  test('a rebuild that hangs at last is not waited for: others go on, and it must catch up again', async () => {
    const { one, other } = await openTwo()
    await applyRows(other, [rowOf()], 5n)
    const rebuild = await one.startRebuild()
    const asked: (bigint | undefined)[] = []
    const began = Promise.withResolvers<void>()
    const hanging = Promise.withResolvers<void>()
    const swapped = rebuild.swap(async (shown) => {
      asked.push(shown)
      began.resolve()
      await hanging.promise
      await applyRows(rebuild.fresh, [], shown as bigint)
    })
    await began.promise
    await expect(applyRows(other, [], 6n)).rejects.toMatchObject(replaced)
    expect(await checkpointOf(other)).toBe(5n)
    await applyRows(other, [rowOf()], 6n)
    hanging.resolve()
    await swapped
    expect(asked.slice(0, 2)).toEqual([5n, 6n])
    expect(await checkpointOf(one)).toBe(6n)
  })

  test('beside another one: each takes the place with all that was shown before', async () => {
    const { one, other } = await openTwo()
    await applyRows(one, [rowOf()], 5n)
    const rebuilds = [await one.startRebuild(), await other.startRebuild()]
    const rows = [rowOf(), rowOf()]
    await Promise.all(
      rebuilds.map(({ fresh: filled, swap }) => swap((shown) => applyRows(filled, rows, (shown as bigint) + 1n))),
    )
    expect([await checkpointOf(one), await checkpointOf(other)]).toEqual([7n, 7n])
    expect([await total(one), await total(other)]).toEqual([2, 2])
  })

  test('is followed by the others, who drop the former read models when nobody reads them any more', async () => {
    const fresh = await databaseOfTest()
    const [one, other] = [await fresh.open(), await fresh.open({ keepReplaced: 100 })]
    const former = await entityCollections(fresh)
    await (await one.startRebuild()).swap()
    await one.close()
    await expect
      .poll(async () => (await total(other), entityCollections(fresh)))
      .not.toEqual(expect.arrayContaining(former))
    expect(await entityCollections(fresh)).toHaveLength(1)
  })

  test('what was interrupted is gone on with, unless it is filled by another one, is to be compared or is in place', async () => {
    const fresh = await databaseOfTest()
    const readModels = await fresh.open()
    const rows = [rowOf(), rowOf()] as const
    const other = await fresh.open()
    const killed = await other.startRebuild(true)
    await applyRows(killed.fresh, [rows[0]], 4n)
    await other.close()
    const compared = await readModels.startRebuild()
    expect(await checkpointOf(compared.fresh)).toBeUndefined()
    await applyRows(compared.fresh, [rowOf()], 7n)
    const next = await readModels.startRebuild(true)
    expect(await checkpointOf(next.fresh)).toBe(4n)
    // It waits for something else, and so applies nothing.
    const another = await readModels.startRebuild(true)
    expect(await checkpointOf(another.fresh)).toBeUndefined()
    await another.discard()
    await next.discard(new StoreUnavailable('for a moment'))
    await applyRows(next.fresh, [rows[1]], 5n)
    await next.swap()
    expect([await checkpointOf(readModels), await total(readModels)]).toEqual([5n, 2])
    expect(await checkpointOf((await readModels.startRebuild(true)).fresh)).toBeUndefined()
  }, 60_000)

  test('what nobody reads any more is dropped at a later start', async () => {
    const fresh = await databaseOfTest()
    const readModels = await fresh.open()
    const rebuild = await readModels.startRebuild()
    await rebuild.swap()
    const other = await fresh.open()
    const abandoned = await other.startRebuild()
    await applyRows(abandoned.fresh, [rowOf()], 1n)
    await other.close()
    const names = await entityCollections(fresh)
    expect(names).toHaveLength(3)
    await fresh.open()
    expect(await entityCollections(fresh)).toEqual(names)
    const longAgo = { $set: { touched: new Date(Date.now() - 4_000_000) } }
    for (const name of names) await fresh.db.collection<{ _id: string }>(name).updateOne({ _id: 'state' }, longAgo)
    await fresh.db.createCollection('entities_of_others')
    await fresh.open()
    expect(await entityCollections(fresh)).toHaveLength(2)
    expect(await checkpointOf(readModels)).toBeUndefined()
  })
})
