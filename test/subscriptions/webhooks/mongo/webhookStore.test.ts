import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openMongoWebhookStore } from '../../../../src/subscriptions/webhooks/mongo/webhookStore.ts'
import { describeWebhookStore, secretCodec, webhook } from '../webhookStoreContract.ts'

const url = process.env['CATALOG_TEST_MONGODB_URL']

const databases = new Map<string, string>()

const open = async () => {
  const name = expect.getState().currentTestName ?? ''
  const database = databases.get(name) ?? `catalog-test-${randomUUID().slice(0, 8)}`
  if (!databases.has(name)) {
    onTestFinished(async () => {
      const client = await MongoClient.connect(url as string)
      await client.db(database).dropDatabase()
      await client.close()
    })
  }
  databases.set(name, database)
  const store = await openMongoWebhookStore({ url: url as string, database, secretCodec })
  onTestFinished(() => store.close())
  return store
}

describe.skipIf(url === undefined)('with a MongoDB server', () => {
  describeWebhookStore('webhooks in MongoDB', open)

  test('one process at a time delivers a webhook', async () => {
    const store = await open()
    const hook = webhook()
    await store.create(hook, { position: undefined })
    expect(await store.lease(hook.id, 'a', 60_000)).toBe(true)
    expect(await store.lease(hook.id, 'b', 60_000)).toBe(false)
    expect(await store.lease(hook.id, 'a', -1)).toBe(true)
    expect(await store.lease(hook.id, 'b', 60_000)).toBe(true)
  })

  test('a process whose clock is ahead takes no webhook from the one that delivers it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await open()
    const hook = webhook()
    await store.create(hook, { position: undefined })
    expect(await store.lease(hook.id, 'a', 60_000)).toBe(true)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect(await store.lease(hook.id, 'b', 60_000)).toBe(false)
  })

  test('who has lost the lease saves nothing', async () => {
    const store = await open()
    const hook = webhook()
    await store.create(hook, { position: 1n })
    const generation = (await store.get(hook.id))?.generation as number
    expect(await store.lease(hook.id, 'a', -1)).toBe(true)
    expect(await store.saveProgress(hook.id, { generation, holder: 'a' }, { position: 2n })).toBe(true)
    expect(await store.lease(hook.id, 'b', 60_000)).toBe(true)
    expect(await store.saveProgress(hook.id, { generation, holder: 'a' }, { position: 3n })).toBe(false)
    expect((await store.get(hook.id))?.progress).toEqual({ position: 2n })
    expect(await store.saveProgress(hook.id, { generation, holder: 'b' }, { position: 4n })).toBe(true)
  })
})
