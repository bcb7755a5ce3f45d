import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exactCodec } from '../../src/events/provenCodec.ts'
import { sealPersonal } from '../../src/events/personal/sealing.ts'
import { openSqliteVault } from '../../src/events/personal/sqliteVault.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { openSqliteWebhookStore } from '../../src/subscriptions/webhooks/sqlite/webhookStore.ts'
import { catalog } from '../support/commandLine.ts'
import { appendOf, appendOk, changedAppend, created, freshStream } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'
import { letter, secretCodec, webhook } from '../subscriptions/webhooks/webhookStoreContract.ts'

/** A data folder with so many events in its log. @returns its path, and the id of the first event */
const folderWithLog = async (events: number) => {
  const folder = await temporaryFolder()
  const log = openSqliteEventStore({ path: join(folder, 'log.db'), codec: exactCodec })
  await appendOk(log, appendOf(freshStream(), 'no_stream', events))
  const first = (await log.first())?.id
  await log.close()
  return { folder, first }
}

const webhooksIn = (folder: string) => openSqliteWebhookStore(join(folder, 'webhooks.db'), secretCodec)

test('a data folder is copied with the keys of personal values that are in it, whatever other store is set', async () => {
  const [from, to] = [await temporaryFolder(), join(await temporaryFolder(), 'to')]
  const stream = freshStream()
  const log = openSqliteEventStore({ path: join(from, 'log.db'), codec: exactCodec })
  await appendOk(log, appendOf(stream, 'no_stream', 1))
  await log.close()
  const source = openSqliteVault({ path: join(from, 'personal.db'), readOnly: false })
  const key = await source.current(stream)
  await source.close()
  const said = await catalog(['copy', '--from', from, '--to', to], { CATALOG_MONGODB_URL: 'mongodb://127.0.0.1:1' })
  const [there, here] = [from, to].map((folder) => join(folder, 'personal.db'))
  expect(said.stdout).toContain(`1 keys of personal values copied from ${there} to ${here}.`)
  expect(said.code).toBe(0)
  const target = openSqliteVault({ path: join(to, 'personal.db'), readOnly: true })
  expect(await target.current(stream)).toEqual(key)
  await target.close()
})

test('a copy whose keys of personal values are elsewhere ends with 1, and says so', async () => {
  const [from, to, elsewhere] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const stream = freshStream('user')
  const vault = openSqliteVault({ path: join(elsewhere, 'personal.db'), readOnly: false })
  const plain = created({ email: 'mona@example.org' }, { stream })
  const { data } = await sealPersonal(vault, stream, plain, new Set(['email']))
  await vault.close()
  const log = openSqliteEventStore({ path: join(from, 'log.db'), codec: exactCodec })
  await appendOk(
    log,
    changedAppend(stream, 1, () => ({ data })),
  )
  await log.close()
  const said = await catalog(['copy', '--from', from, '--to', to])
  expect(said.stderr).toContain(`1 keys of personal values that the log needs are not in ${join(from, 'personal.db')}`)
  expect(said.code).toBe(1)
  await copyFile(join(elsewhere, 'personal.db'), join(from, 'personal.db'))
  expect(await catalog(['copy', '--from', from, '--to', to])).toMatchObject({ code: 0 })
})

test('a folder is not copied onto itself, whichever of its names is given', async () => {
  const { folder } = await folderWithLog(1)
  const link = join(await temporaryFolder(), 'link')
  await symlink(folder, link)
  for (const to of [folder, `${folder}/.`, link]) {
    const { code, stderr } = await catalog(['copy', '--from', folder, '--to', to])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the target is the source')])
  }
})

test('of whom the log says that they were forgotten no key is left in the target, whether it was there or is copied', async () => {
  const [from, to] = [await temporaryFolder(), await temporaryFolder()]
  const stream = freshStream()
  const before = openSqliteVault({ path: join(to, 'personal.db'), readOnly: false })
  const source = openSqliteVault({ path: join(from, 'personal.db'), readOnly: false })
  const there = await before.current(stream)
  await before.close()
  const copied = await source.current(stream)
  const kept = await source.current(freshStream())
  await source.close()
  const log = openSqliteEventStore({ path: join(from, 'log.db'), codec: exactCodec })
  const data = { members: ['email'], keys: [there.id, copied.id] }
  const forgotten = { type: 'Forgotten' as const, data }
  await appendOk(
    log,
    changedAppend(stream, 1, () => forgotten),
  )
  await log.close()
  expect(await catalog(['copy', '--from', from, '--to', to])).toMatchObject({ code: 0 })
  const target = openSqliteVault({ path: join(to, 'personal.db'), readOnly: true })
  const keys = await Array.fromAsync(target.all())
  expect(keys.map(({ id }) => id)).toEqual([kept.id])
  await target.close()
})

test('a copy to or from an EventStoreDB is refused before anything is written if nothing says where its keys are', async () => {
  const folder = await temporaryFolder()
  await openSqliteEventStore({ path: join(folder, 'log.db'), codec: exactCodec }).close()
  const [data, url] = [folder, 'esdb://127.0.0.1:1?tls=false']
  for (const [from, to] of [
    [data, url],
    [url, data],
  ] as const) {
    const said = await catalog(['copy', '--from', from, '--to', to], { CATALOG_DATA_DIR: '', CATALOG_MONGODB_URL: '' })
    expect(said.stderr).toContain('Set CATALOG_MONGODB_URL as the service on the EventStoreDB has it')
    expect(said.code).toBe(2)
  }
})

test('webhooks, read marks and key files come along, and what is new with the next copy', async () => {
  const { folder: from } = await folderWithLog(4)
  const to = join(await temporaryFolder(), 'to')
  const keys = ['sealing.key', 'jwt.secret', 'audit.key']
  for (const name of keys) await writeFile(join(from, name), `${name} of the source, of 32 characters or more\n`)
  const hook = webhook()
  const source = webhooksIn(from)
  await source.create(hook, { position: 3n })
  await source.addDeadLetter(hook.id, letter(2n), 10)
  await source.addReadMarks('ann', [{ position: 4n, upTo: true }])
  const first = await catalog(['copy', '--from', from, '--to', to])
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.stdout).toContain(
    `1 webhooks and notifications with 1 dead letters copied to ${to}.\n1 read marks copied to ${to}.`,
  )
  expect(first.stdout).toContain(`jwt.secret, sealing.key, audit.key copied to ${to}.`)
  for (const name of keys) expect(await readFile(join(to, name), 'utf8')).toBe(await readFile(join(from, name), 'utf8'))
  await source.saveProgress(hook.id, { generation: 1, holder: '' }, { position: 4n })
  await source.close()
  await writeFile(join(to, 'sealing.key'), 'that of a first start, of 32 characters or more')
  const second = await catalog(['copy', '--from', from, '--to', to])
  expect(second.stdout).toContain(`NOT copied, since ${to} has others: sealing.key.`)
  const target = webhooksIn(to)
  expect(await target.list()).toMatchObject([{ webhook: hook, progress: { position: 4n } }])
  expect(await target.deadLetters(hook.id, undefined, 10)).toMatchObject([{ position: 2n }])
  expect(await target.readMarks('ann')).toEqual([{ position: 4n, upTo: true }])
  await target.close()
})

test('what is beside another log is neither copied nor replaced', async () => {
  const [{ folder: from, first }, other] = [await folderWithLog(1), await folderWithLog(1)]
  const to = await temporaryFolder()
  const kept = webhook()
  const store = webhooksIn(to)
  await store.create(kept, { position: 1n })
  await writeFile(join(to, 'log.id'), `${other.first}\n`)
  const refused = await catalog(['copy', '--from', from, '--to', to])
  expect(refused.stderr).toContain(`The data folder ${to} belongs to the log that begins with event ${other.first}`)
  expect(refused.code).toBe(1)
  expect((await store.list()).map((each) => each.webhook)).toEqual([kept])
  await writeFile(join(to, 'log.id'), `${first}\n`)
  const said = await catalog(['copy', '--from', from, '--to', to])
  expect(said.stdout).toContain(`NOT copied, since ${from} has no webhooks.db: webhooks, notifications, read marks.`)
  expect((await store.list()).map((each) => each.webhook)).toEqual([kept])
  await webhooksIn(from).close()
  expect((await catalog(['copy', '--from', from, '--to', to])).code).toBe(0)
  expect(await store.list()).toEqual([])
  await store.close()
})

test('logs that would share what is beside them are not copied', async () => {
  const { folder } = await folderWithLog(1)
  const url = 'esdb://127.0.0.1:1?tls=false'
  const said = await catalog(['copy', '--from', folder, '--to', url], { CATALOG_DATA_DIR: folder })
  expect(said.stderr).toContain(`Both logs would keep their webhooks, read marks and keys in ${folder}`)
  expect(said.code).toBe(1)
})
