import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { RouteApi } from '../../../src/api/deps.ts'
import { bind } from '../../../src/api/routes/allRoutes.ts'
import { webhookRoutes } from '../../../src/api/webhooks/webhookRoutes.ts'
import { openSqliteWebhookStore } from '../../../src/subscriptions/webhooks/sqlite/webhookStore.ts'
import { secretCodec, webhook } from '../../subscriptions/webhooks/webhookStoreContract.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { ask, running } from '../support.ts'

it('keeps what was changed while a change waits for the name service', async () => {
  const store = openSqliteWebhookStore(join(await temporaryFolder(), 'webhooks.db'), secretCodec)
  onTestFinished(() => store.close())
  const hook = webhook({ filter: { kinds: ['table'] } })
  await store.create(hook, { position: 7n })
  const [asked, resolved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const routeApi: Partial<RouteApi> = {
    log: { head: async () => 7n, eventAt: async () => undefined } as never,
    commands: { secretCodec, clock: { time: Date.now } } as never,
    webhooks: store,
    dispatcher: { sync: async () => undefined, progress: () => undefined },
    allowPrivate: false,
    resolve: (_, callback) => {
      asked.resolve()
      void resolved.promise.then(() => callback(null, [{ address: '93.184.216.34', family: 4 }]))
    },
  }
  const api = await running(bind({ api: routeApi as RouteApi }, webhookRoutes))
  const patch = (change: object) =>
    ask(api, `/api/v1/webhooks/${hook.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(change),
    })
  const slow = patch({ endpoint: 'https://other.example/in' })
  await Promise.race([asked.promise, slow.then(async (early) => expect(await early.text()).toBe(''))])
  expect((await patch({ enabled: false })).status).toBe(200)
  resolved.resolve()
  expect((await slow).status).toBe(200)
  const { enabled, endpoint } = (await store.get(hook.id))?.webhook ?? {}
  expect([enabled, endpoint?.['$shown']]).toEqual([false, 'https://other.example/********'])
})
