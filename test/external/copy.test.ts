import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEventStoreDb } from '../../src/events/eventstoredb/store.ts'
import { exactCodec } from '../../src/events/provenCodec.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { external, streamPrefixOf, withStreamPrefix } from '../support/external.ts'
import { receiving } from '../support/listening.ts'
import { runCli, startBuilt, temporaryDataDir, tokenFor, type Answer, type RunningService } from '../support/service.ts'
import { appendOf, appendOk, collect, freshStream } from '../support/events.ts'
import { describeWith } from './support.ts'

const root = resolve(import.meta.dirname, '../..')

describeWith({ log: true }, 'catalog copy', () => {
  let folders: ReturnType<typeof temporaryDataDir>[]
  let running: RunningService | undefined

  const pathOf = (index: number) => (folders[index] as { path: string }).path
  const [source, target] = [() => pathOf(0), () => pathOf(1)]
  /** What is beside the log in EventStoreDB is in this folder, or in the database of a service on it. */
  const beside = () => pathOf(2)
  /** A log in EventStoreDB that nobody used before. */
  const url = () => withStreamPrefix(external.eventStoreUrl as string, streamPrefixOf(source()))

  beforeEach(() => {
    folders = [temporaryDataDir(), temporaryDataDir(), temporaryDataDir()]
  })

  afterEach(async () => {
    await running?.stop('SIGKILL')
    running = undefined
    await Promise.all(folders.map((folder) => folder.remove()))
  })

  const copy = (from: string, to: string) => runCli(beside(), ['copy', '--from', from, '--to', to])

  const embedded = { CATALOG_EVENTSTORE_URL: '', CATALOG_MONGODB_URL: '' }

  const eventsIn = async (log: EventStore) => {
    const events = await collect(log.readAll())
    await log.close()
    return events.map(({ stream, revision, id, type, data, metadata }) => ({
      stream,
      revision,
      id,
      type,
      data,
      metadata,
    }))
  }

  const inFolder = (path: string) => openSqliteEventStore({ path: join(path, 'log.db'), codec: exactCodec })
  const inStore = () =>
    openEventStoreDb({
      url: external.eventStoreUrl as string,
      prefix: streamPrefixOf(source()),
      codec: exactCodec,
      logger: { debug: () => {} },
    })

  it('takes a catalog to EventStoreDB and back, and each copy serves what the original did', async () => {
    running = await startBuilt(source(), embedded)
    await running.call('PUT', '/v1/services/databaseServices', {
      name: 'pg',
      serviceType: 'Postgres',
      connection: { config: { type: 'Postgres', password: 'hush' } },
    })
    await running.call('PUT', '/v1/databases', { name: 'db', service: 'pg' })
    await running.call('PUT', '/v1/databaseSchemas', { name: 's', database: 'pg.db' })
    const tables = Array.from({ length: 1200 }, (_, index) => ({
      name: `t${index}`,
      databaseSchema: 'pg.db.s',
      columns: [{ name: 'ä', dataType: 'INT' }],
    }))
    await running.call('PUT', '/v1/tables/bulk', tables)
    await running.call('DELETE', '/v1/tables/name/pg.db.s.t7')
    await running.stop()

    const there = copy(source(), url())
    expect(there.stdout + there.stderr).toContain('The target is identical to the source.')
    expect(there.code).toBe(0)
    const back = copy(url(), target())
    expect(back.stdout).toContain('The target is identical to the source.')
    const original = await eventsIn(inFolder(source()))
    expect(await eventsIn(inStore())).toEqual(original)
    expect(await eventsIn(inFolder(target()))).toEqual(original)
    const again = copy(source(), url())
    expect(again.stdout).toContain(`0 events copied`)

    running = await startBuilt(beside(), { CATALOG_EVENTSTORE_URL: url() })
    expect((await running.call('GET', '/v1/tables?limit=0')).body.paging.total).toBe(1199)
    expect((await running.call('GET', '/v1/tables/name/pg.db.s.t7?include=deleted')).body.version).toBe(0.2)
  })

  it('webhooks go on at the event where they were, there and back again, and what was read stays read', async () => {
    const delivered: string[] = []
    const refused = new Set<string>()
    const receiver = await receiving((body) => {
      const { subject } = JSON.parse(body) as { subject: string }
      if (refused.has(subject)) return 500
      delivered.push(subject)
      return 200
    })
    const env = { CATALOG_SECRET_KEY: 'the key that source and copies share', CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }
    const make = async (name: string, more: object = {}): Promise<void> =>
      expect((await running?.call('POST', '/v1/glossaries', { name, ...more }))?.status).toBe(201)
    const hasRead = async (): Promise<boolean[]> => {
      const token = tokenFor('ann', ['DataConsumer'])
      const answer = (await running?.call('GET', '/v1/inbox', undefined, { token })) as Answer
      return answer.body.data.map(({ read }: { read: boolean }) => read)
    }
    const move = async (from: string, to: string, settings: Record<string, string>, folder: string) => {
      await running?.stop()
      expect(copy(from, to).stdout).toMatch(
        /\b1 webhooks and notifications with 0 dead letters .*\n1 read marks copied/,
      )
      running = await startBuilt(folder, { ...env, ...settings })
    }

    running = await startBuilt(source(), { ...env, ...embedded })
    await running.call('POST', '/v1/users', { name: 'ann' })
    await running.call('POST', '/v1/webhooks', {
      name: 'hook',
      endpoint: receiver.url,
      filter: { kinds: ['glossary'] },
    })
    for (const name of ['one', 'two']) await make(name, { owners: ['ann'] })
    await receiver.until(() => delivered.length === 2)
    const token = tokenFor('ann', ['DataConsumer'])
    const { data } = (await running.call('GET', '/v1/inbox', undefined, { token })).body
    await running.call('PUT', '/v1/inbox/read', { positions: [data[1].position] }, { token })
    expect(await hasRead()).toEqual([false, true])
    refused.add('late')
    await make('late')
    await move(source(), url(), { CATALOG_EVENTSTORE_URL: url() }, beside())
    refused.delete('late')
    await make('three')
    await receiver.until(() => delivered.length >= 4)
    expect(await hasRead()).toEqual([false, true])
    await move(url(), target(), embedded, target())
    await make('four')
    await receiver.until(() => delivered.length >= 5)
    expect(await hasRead()).toEqual([false, true])
    expect(delivered).toEqual(['one', 'two', 'late', 'three', 'four'])
  })

  it('from a place without the keys of its people replaces nothing beside the target', async () => {
    running = await startBuilt(source(), embedded)
    await running.call('POST', '/v1/users', { name: 'ann', email: 'ann@example.org' })
    await running.stop()
    expect(copy(source(), url()).code).toBe(0)
    const away = temporaryDataDir()
    folders.push(away)
    for (const repeated of [false, true]) {
      const lost = runCli(away.path, ['copy', '--from', url(), '--to', target()])
      expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('1 keys of personal values that the log')])
      if (!repeated) expect(copy(url(), target()).code).toBe(0)
    }
  })

  it('goes on where it was killed', async () => {
    const log = inFolder(source())
    const streams = Array.from({ length: 60 }, () => freshStream('glossary'))
    for (const stream of streams) await appendOk(log, appendOf(stream, 'no_stream', 500))
    const original = await eventsIn(log)
    const store = inStore()
    const has = async (stream: string): Promise<boolean> =>
      (await collect(store.readStream(stream, { limit: 1 }))).length === 1
    for (const reached of [5, 15, 25]) {
      const child = spawn(process.execPath, [join(root, 'bin/catalog.js'), 'copy', '--from', source(), '--to', url()], {
        env: { ...process.env, CATALOG_DATA_DIR: beside() },
        stdio: 'ignore',
      })
      await expect.poll(() => has(streams[reached] as string), { interval: 1 }).toBe(true)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(await has(streams.at(-1) as string)).toBe(false)
    await store.close()
    const { stdout } = copy(source(), url())
    expect(stdout).toMatch(/[1-9]\d* were already there/)
    expect(stdout).toContain('The target is identical to the source.')
    expect(await eventsIn(inStore())).toEqual(original)
  })

  it('refuses a target that holds other events, a target that is in use, and a source that is none', async () => {
    const log = inFolder(source())
    await appendOk(log, appendOf(freshStream('glossary'), 'no_stream', 3))
    await log.close()
    const store = inStore()
    await appendOk(store, appendOf(freshStream('glossary'), 'no_stream', 1))
    await store.close()
    const refused = copy(source(), url())
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('The target has other events: its event 1'),
    ])
    running = await startBuilt(target(), embedded)
    const held = copy(source(), target())
    expect([held.code, held.stderr]).toEqual([1, expect.stringContaining(`pid ${running.process.pid}`)])
    const none = copy(join(source(), 'nothing'), url())
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no log.db in')])
  })
})
