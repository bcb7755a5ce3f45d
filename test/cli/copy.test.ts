import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exactCodec } from '../../src/events/provenCodec.ts'
import { openSqliteVault } from '../../src/events/personal/sqliteVault.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { catalog } from '../support/commandLine.ts'
import { appendOf, appendOk, freshStream } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'

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
  expect(await target.current(stream)).toEqual({ id: key.id, key: key.key })
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
