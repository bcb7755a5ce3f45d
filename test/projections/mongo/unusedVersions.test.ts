import { expect, test } from 'vitest'
import type { MongoReadModelsOptions } from '../../../src/projections/distributed/readModels.ts'
import { treeDocuments } from '../../../src/projections/tree/treeProjection.ts'
import { applyRows } from '../../support/projecting.ts'
import { databaseOfTest, describeMongo, rowOf, silent } from '../entities/mongo/support.ts'

interface Stored {
  readonly _id: string
}

const hours = (count: number): Date => new Date(Date.now() - count * 3_600_000)

/** A database after an upgrade: it has the leases of another version, and a collection and an alias of each projection. */
const upgraded = async (...leases: readonly string[]) => {
  const fresh = await databaseOfTest()
  const [pointers, processes] = ['read_models', 'processes'].map((name) => fresh.db.collection<Stored>(name))
  for (const lease of leases) {
    await processes?.insertOne({ _id: `lease ${lease}`, holder: 'gone', term: 3, beat: 70 } as Stored)
    for (const version of lease.split(' ')) {
      const collection = `${version.replace('-', '_')}_made_by_it`
      await pointers?.updateOne({ _id: version }, { $set: { collection } }, { upsert: true })
      await fresh.db.collection<Stored>(collection).replaceOne({ _id: 'state' }, {}, { upsert: true })
    }
  }
  const dropped: string[] = []
  const info = (what: unknown): void => void dropped.push(...(what as { dropped: string[] }).dropped)
  return {
    fresh,
    /** What a start drops. */
    start: async (): Promise<string[]> => {
      dropped.length = 0
      await (await fresh.open({ logger: { ...silent, info } as MongoReadModelsOptions['logger'] })).close()
      return dropped.toSorted()
    },
    /** Leases are as they were this long ago. */
    unrenewedFor: (count: number) =>
      processes?.updateMany({ seen: { $exists: true } }, { $set: { 'seen.at': hours(count) } }),
    renew: (lease: string) => processes?.updateOne({ _id: `lease ${lease}` }, { $inc: { beat: 1 } } as object),
    names: async () => ({
      collections: (await fresh.db.listCollections().toArray())
        .map(({ name }) => name)
        .filter((name) => /made_by_it/.test(name))
        .toSorted(),
      aliases: await pointers?.countDocuments({ collection: /made_by_it/ } as object),
      leases: await processes?.countDocuments({ holder: 'gone' } as object),
    }),
  }
}

describeMongo('read models of another version', () => {
  test('are dropped, with what is stored about them, when its leases have not been renewed for a day', async () => {
    const { start, unrenewedFor, names } = await upgraded('entities-0', 'activity-0 gone-7')
    const all = ['activity_0_made_by_it', 'entities_0_made_by_it', 'gone_7_made_by_it']
    expect(await start()).toEqual([])
    await unrenewedFor(23)
    expect(await start()).toEqual([])
    expect(await names()).toEqual({ collections: all, aliases: 3, leases: 2 })
    await unrenewedFor(25)
    expect(await start()).toEqual(all)
    expect(await names()).toEqual({ collections: [], aliases: 0, leases: 0 })
    expect(await start()).toEqual([])
  })

  test('are kept from their last renewal on for another day', async () => {
    const { start, unrenewedFor, renew, names } = await upgraded('entities-0')
    await start()
    await unrenewedFor(25)
    await renew('entities-0')
    expect(await start()).toEqual([])
    await unrenewedFor(23)
    expect(await start()).toEqual([])
    expect((await names()).collections).toEqual(['entities_0_made_by_it'])
  })

  test('are kept where this version or one whose leases are renewed has them, too', async () => {
    const { fresh, start, unrenewedFor, renew, names } = await upgraded('activity-0 lineage-0', 'activity-0')
    const own = `tree-${treeDocuments.layout.version}`
    await fresh.db
      .collection<Stored>('processes')
      .insertOne({ _id: `lease ${own}`, holder: 'gone', term: 1, beat: 1 } as Stored)
    const readModels = await fresh.open()
    await applyRows(readModels, [rowOf()], 5n)
    await start()
    await unrenewedFor(25)
    await renew('activity-0')
    expect(await start()).toEqual(['lineage_0_made_by_it'])
    expect((await names()).collections).toEqual(['activity_0_made_by_it'])
    expect((await readModels.checkpoints()).get('tree')?.position).toBe(5n)
  })

  test('are looked at every hour', async () => {
    const { start, fresh, unrenewedFor, names } = await upgraded('entities-0')
    await start()
    await unrenewedFor(25)
    const readModels = await fresh.open({ sweepEvery: 50 })
    await unrenewedFor(25)
    await expect.poll(async () => (await names()).collections).toEqual([])
    await readModels.close()
  })
})
