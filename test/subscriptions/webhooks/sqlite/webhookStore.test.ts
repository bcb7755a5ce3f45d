import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openSqliteWebhookStore } from '../../../../src/subscriptions/webhooks/sqlite/webhookStore.ts'
import { temporaryFolder } from '../../../support/folders.ts'
import { describeWebhookStore, secretCodec } from '../webhookStoreContract.ts'

const paths = new Map<string, string>()

describeWebhookStore('webhooks in one SQLite file', async () => {
  const name = expect.getState().currentTestName ?? ''
  const path = paths.get(name) ?? join(await temporaryFolder(), 'webhooks.db')
  paths.set(name, path)
  const store = openSqliteWebhookStore(path, secretCodec)
  onTestFinished(() => store.close().catch(() => undefined))
  return store
})
