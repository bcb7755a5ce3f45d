import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { RouteApi } from '../../../src/api/deps.ts'
import type { Permission } from '../../../src/api/http/route.ts'
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
    readModels: { get: async () => undefined } as never,
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

it('names in dead letters only what the caller may view all of', async () => {
  const store = openSqliteWebhookStore(join(await temporaryFolder(), 'webhooks.db'), secretCodec)
  onTestFinished(() => store.close())
  const hook = webhook({ filter: {} })
  await store.create(hook, { position: 7n })
  const letter = { eventId: crypto.randomUUID(), attempts: 10, error: 'e', time: new Date().toISOString() }
  const kinds = ['databaseService', 'topic', 'user']
  for (const [at, kind] of kinds.entries()) {
    const told = { position: BigInt(at), type: `catalog.${kind}.Created`, subject: `one ${kind}` }
    await store.addDeadLetter(hook.id, { ...letter, ...told }, 10)
  }
  const view: Record<string, Permission> = { databaseService: 'no', topic: 'ifOwner', user: 'yes' }
  const routeApi: Partial<RouteApi> = {
    permits: (_, operation, kind) => (operation === 'view' ? (view[kind ?? ''] ?? 'no') : 'yes'),
    webhooks: store,
  }
  const api = await running(bind({ api: routeApi as RouteApi }, webhookRoutes))
  const answer = await ask(api, `/api/v1/webhooks/${hook.id}/deadLetters`)
  const { data } = (await answer.json()) as { data: { subject: string }[] }
  expect(data.map(({ subject }) => subject)).toEqual(['********', '********', 'one user'])
})
