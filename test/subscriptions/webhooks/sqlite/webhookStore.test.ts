import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { MissingStore } from '../../../../src/stores/sqlite/openReadOnly.ts'
import { StoreFailed, StoreUnavailable } from '../../../../src/stores/errors.ts'
import { openSqliteWebhookStore } from '../../../../src/subscriptions/webhooks/sqlite/webhookStore.ts'
import { temporaryFolder } from '../../../support/folders.ts'
import { describeWebhookStore, secretCodec, webhook } from '../webhookStoreContract.ts'

const paths = new Map<string, string>()

describeWebhookStore('webhooks in one SQLite file', async () => {
  const name = expect.getState().currentTestName ?? ''
  const path = paths.get(name) ?? join(await temporaryFolder(), 'webhooks.db')
  paths.set(name, path)
  const store = openSqliteWebhookStore(path, secretCodec)
  onTestFinished(() => store.close().catch(() => undefined))
  return store
})

it('commits progress at once', async () => {
  const path = join(await temporaryFolder(), 'webhooks.db')
  const store = openSqliteWebhookStore(path, secretCodec)
  const file = new DatabaseSync(path)
  onTestFinished(() => file.close())
  const { id } = webhook()
  expect(await store.create(webhook({ id }), { position: 0n })).toBe('written')
  expect(await store.saveProgress(id, { generation: 1, holder: '' }, { position: 1n })).toBe(true)
  expect(file.prepare(`SELECT progress ->> '$.position' AS at FROM webhooks`).get()).toEqual({ at: '1' })
  await store.close()
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

it('says that the store fails when the file cannot be read', async () => {
  const path = join(await temporaryFolder(), 'webhooks.db')
  const store = openSqliteWebhookStore(path, secretCodec)
  const other = new DatabaseSync(path)
  for (const table of ['webhooks', 'dead_letters', 'read_marks']) other.exec(`DROP TABLE ${table}`)
  other.close()
  await expect(store.list()).rejects.toThrow(StoreFailed)
  await expect(store.get('a')).rejects.toThrow(StoreFailed)
  await expect(store.deadLetters('a', undefined, 1)).rejects.toThrow(StoreFailed)
  await expect(store.countDeadLetters('a')).rejects.toThrow(StoreFailed)
  await expect(store.readMarks('ann')).rejects.toThrow(StoreFailed)
  await store.close()
})

it('is read beside the process that writes, also as it was before there were inboxes', async () => {
  const path = join(await temporaryFolder(), 'webhooks.db')
  const reading = () => {
    const store = openSqliteWebhookStore(path, secretCodec, { readOnly: true })
    onTestFinished(() => store.close())
    return store
  }
  expect(reading).toThrow(MissingStore)
  const store = openSqliteWebhookStore(path, secretCodec)
  const hook = webhook()
  await store.create(hook, { position: 3n })
  await store.addReadMarks('ann', [{ position: 1n, upTo: false }])
  expect(await reading().list()).toMatchObject([{ webhook: hook, progress: { position: 3n } }])
  expect(await reading().readers()).toEqual(['ann'])
  await store.close()
  const file = new DatabaseSync(path)
  file.exec('DROP TABLE read_marks')
  file.close()
  expect(await reading().readers()).toEqual([])
})
