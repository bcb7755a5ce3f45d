import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { MissingStore } from '../../../../src/stores/sqlite/openReadOnly.ts'
import { StoreUnavailable } from '../../../../src/stores/errors.ts'
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

it('commits the progress of a second together, and at once with what somebody has changed', async () => {
  const path = join(await temporaryFolder(), 'webhooks.db')
  const store = openSqliteWebhookStore(path, secretCodec)
  const file = new DatabaseSync(path)
  onTestFinished(() => file.close())
  const committed = () => file.prepare(`SELECT progress ->> '$.position' AS at FROM webhooks`).get()
  const { id } = webhook()
  expect(await store.create(webhook({ id }), { position: 0n })).toBe('written')
  const save = (position: bigint) => store.saveProgress(id, { generation: 1, holder: '' }, { position })
  for (const position of [1n, 2n]) expect(await save(position)).toBe(true)
  expect((await store.get(id))?.progress.position).toBe(2n)
  expect(committed()).toEqual({ at: '0' })
  await store.addReadMarks('ann', [{ position: 1n, upTo: false }])
  expect(committed()).toEqual({ at: '2' })
  await save(3n)
  await expect.poll(committed).toEqual({ at: '3' })
  await save(4n)
  await store.close()
  expect(committed()).toEqual({ at: '4' })
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
