import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { StoreUnavailable } from '../../../../src/stores/errors.ts'
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

it('says that the store does not answer when the file cannot be written', async () => {
  const path = join(await temporaryFolder(), 'webhooks.db')
  const store = openSqliteWebhookStore(path, secretCodec)
  const other = new DatabaseSync(path)
  other.exec('BEGIN EXCLUSIVE')
  await expect(store.addReadMarks('ann', [{ position: 1n, upTo: false }])).rejects.toThrow(StoreUnavailable)
  other.close()
  await store.close()
})
