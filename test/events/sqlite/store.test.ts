import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codec, EventFormatError, type Codec } from '../../../src/events/codec.ts'
import { lockDataFolder } from '../../../src/stores/sqlite/dataFolder.ts'
import { AppendTooLarge, DamagedLog, StoreFailed, StoreUnavailable } from '../../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import {
  openSqliteEventStore,
  type SqliteEventStore,
  type SqliteEventStoreOptions,
} from '../../../src/events/sqlite/store.ts'
import { appendOf, appendOk, collect, firstEvents, created, freshStream } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { limitPages } from '../../support/fullDisk.ts'
import { eventStoreContract, newestEventsContract } from '../eventStoreContract.ts'

const underContract = (options: Omit<SqliteEventStoreOptions, 'path'>) => async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  const path = join(folder, 'log.db')
  let store = openSqliteEventStore({ ...options, path })
  return {
    store,
    reopen: async () => {
      await store.close()
      store = openSqliteEventStore({ ...options, path })
      return store
    },
    dispose: async () => {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}

eventStoreContract('SQLite', underContract({}))
newestEventsContract('SQLite with a tail of seven events', underContract({ tailEvents: 7 }))
newestEventsContract('SQLite with a tail of 3,000 characters', underContract({ tailSize: 3000 }))

const openStore = (options: SqliteEventStoreOptions): SqliteEventStore => {
  const store = openSqliteEventStore(options)
  onTestFinished(() => store.close())
  return store
}

const freshPath = async (): Promise<string> => join(await temporaryFolder(), 'log.db')

/** Revisions and positions have no holes. */
const expectSound = (events: readonly RecordedEvent[]): void => {
  const next = new Map<string, bigint>()
  let position = 0n
  for (const event of events) {
    expect(event.position).toBe(++position)
    expect(event.revision).toBe(next.get(event.stream) ?? 0n)
    next.set(event.stream, event.revision + 1n)
  }
}

describe('group commit', () => {
  test('gives all appends of one turn one transaction', async () => {
    let commits = 0
    const store = openStore({ path: await freshPath(), sync: async () => void commits++ })
    await Promise.all(Array.from({ length: 100 }, () => store.append([appendOf(freshStream(), 'no_stream', 2)])))
    expect(commits).toBe(1)
  })

  test('divides very many appends', async () => {
    let commits = 0
    const store = openStore({ path: await freshPath(), sync: async () => void commits++ })
    await Promise.all(Array.from({ length: 21 }, () => store.append([appendOf(freshStream(), 'no_stream', 1000)])))
    expect(commits).toBe(2)
  })

  test('checks each append against those before it in the group', async () => {
    const store = openStore({ path: await freshPath() })
    const stream = freshStream()
    const outcomes = await Promise.all([
      store.append([appendOf(stream, 'no_stream', 2)]),
      store.append([appendOf(stream, 1n)]),
      store.append([appendOf(stream, 1n)]),
      store.append([appendOf(stream, 2n)]),
    ])
    expect(outcomes.flat()).toEqual([
      { ok: true, revision: 1n, position: 2n },
      { ok: true, revision: 2n, position: 3n },
      { ok: false, actual: 2n },
      { ok: true, revision: 3n, position: 4n },
    ])
  })

  test('refuses what makes no sense without touching others of the group', async () => {
    const store = openStore({ path: await freshPath(), maxAppendSize: 5000 })
    const stream = freshStream()
    const circular = created({}, { stream })
    Object.assign(circular.data, { self: circular.data })
    const results = await Promise.allSettled([
      store.append([appendOf(stream, 'no_stream')]),
      store.append([{ stream, expected: 0n, events: [] }]),
      store.append([appendOf(freshStream(), 'no_stream', 1, { big: 'x'.repeat(5000) })]),
      store.append([{ stream, expected: 0n, events: [circular] }]),
      store.append([appendOf(stream, 0n), appendOf(stream, 1n)]),
      store.append([appendOf(stream, 0n)]),
    ])
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(results[2]).toMatchObject({ value: [{ ok: false, tooLarge: new AppendTooLarge(5000) }] })
    expect(await collect(store.readAll())).toHaveLength(2)
  })
})

test('a reader that stops early has hardly more events decoded than it takes', async () => {
  let decoded = 0
  const decode: Codec['decode'] = (raw) => {
    decoded++
    return codec.decode(raw)
  }
  const store = openStore({ path: await freshPath(), codec: { ...codec, decode } })
  const stream = freshStream()
  await store.append([appendOf(stream, 'no_stream', 400, { text: 'x'.repeat(1000) })])
  for (const events of [store.readAll(), store.readStream(stream)]) {
    let taken = 0
    decoded = 0
    for await (const _ of events) if (++taken === 20) break
    expect(taken).toBe(20)
    expect(decoded).toBeLessThan(100)
  }
})

test('a condition reaches back beyond what is in memory', async () => {
  const store = openStore({ path: await freshPath(), tailEvents: 1 })
  const watched = freshStream()
  const { position } = await appendOk(store, appendOf(watched, 'no_stream'))
  await appendOk(store, appendOf(watched, 0n))
  await appendOk(store, appendOf(freshStream(), 'no_stream', 5))
  const condition = { after: position, dependencies: [{ stream: watched, members: ['*'] }] }
  const [outcome] = await store.append([{ ...appendOf(freshStream(), 'no_stream'), condition }])
  expect(outcome).toEqual({ ok: false, brokenAt: 2n })
})

test('a full disk rejects the whole group, keeps nothing of it, and is over when there is space again', async () => {
  const path = await freshPath()
  const store = openStore({ path })
  const first = await appendOk(store, appendOf(freshStream(), 'no_stream'))
  const controller = new AbortController()
  const seen = collect(store.subscribe({ after: first.position, signal: controller.signal }))
  const small = appendOf(freshStream(), 'no_stream')
  const big = appendOf(freshStream(), 'no_stream', 50, { padding: 'x'.repeat(5000) })

  limitPages(path, 1)
  const results = await Promise.allSettled([store.append([small]), store.append([big])])
  expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([
    expect.any(StoreUnavailable),
    expect.any(StoreUnavailable),
  ])
  expect(await store.head()).toBe(first.position)
  expect(await collect(store.readStream(small.stream))).toEqual([])

  limitPages(path, 100_000)
  const outcomes = await Promise.all([store.append([small]), store.append([big])])
  expect(outcomes.flat()).toEqual([
    { ok: true, revision: 0n, position: 2n },
    { ok: true, revision: 49n, position: 52n },
  ])
  controller.abort()
  await seen
  expectSound(await collect(store.readAll()))
})

test('a log whose newest write failed is down until it can be written, whether or not anybody writes', async () => {
  const path = await freshPath()
  const store = openStore({ path })
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  await store.ping()
  await expect(store.append([appendOf(freshStream(), 'no_stream')])).rejects.toThrow(StoreUnavailable)
  await expect(store.ping()).rejects.toThrow(StoreUnavailable)
  other.exec('ROLLBACK')
  await store.ping()
  expect(await store.head()).toBeUndefined()
})

test('a log in which an append cannot read a page is down until it can, whether or not anybody writes', async () => {
  const path = await freshPath()
  const append = appendOf(freshStream(), 'no_stream')
  const filled = openSqliteEventStore({ path })
  await appendOk(filled, append)
  await filled.close()
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  const { rootpage } = other.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'events_by_stream'").get() as {
    rootpage: number
  }
  const whole = readFileSync(path)
  const store = openStore({ path })
  writeFileSync(path, Buffer.from(whole).fill(0xff, (rootpage - 1) * 8192, rootpage * 8192))
  await store.ping()
  await expect(store.append([appendOf(append.stream, 0n)])).rejects.toThrow(DamagedLog)
  await expect(store.ping()).rejects.toThrow(DamagedLog)
  await expect(store.ping()).rejects.toThrow(DamagedLog)
  writeFileSync(path, whole)
  // A write of another connection empties the page cache.
  other.exec('PRAGMA user_version = 1')
  await store.ping()
  await appendOk(store, appendOf(append.stream, 0n))
})

test('a transaction that fails half-way leaves nothing behind and does not stay open', async () => {
  const path = await freshPath()
  const store = openStore({ path })
  const alter = new DatabaseSync(path)
  onTestFinished(() => alter.close())
  const [before, failing] = [appendOf(freshStream(), 'no_stream'), appendOf(freshStream(), 'no_stream', 2)]
  alter.exec(`
    CREATE TRIGGER fail BEFORE INSERT ON events WHEN new.revision = 1 BEGIN SELECT RAISE(ABORT, 'broken'); END
  `)
  const results = await Promise.allSettled([store.append([before]), store.append([failing])])
  expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([
    expect.any(StoreFailed),
    expect.any(StoreFailed),
  ])
  expect(await collect(store.readAll())).toEqual([])
  alter.exec('DROP TRIGGER fail')
  expect((await appendOk(store, before)).position).toBe(1n)
  expect((await appendOk(store, failing)).position).toBe(3n)
})

describe('several openers', () => {
  test('several openers of one file still refuse what is out of date, and the tail does not hide what the other wrote', async () => {
    const path = await freshPath()
    const [one, other] = [openStore({ path }), openStore({ path })]
    const stream = freshStream()
    await appendOk(one, appendOf(stream, 'no_stream'))
    expect(await other.append([appendOf(stream, 'no_stream')])).toEqual([{ ok: false, actual: 0n }])
    await appendOk(other, appendOf(stream, 0n))
    await appendOk(one, appendOf(stream, 1n))
    const seen = await firstEvents(one, 3)
    expect(seen.map(({ revision }) => revision)).toEqual([0n, 1n, 2n])
    expectSound(await collect(other.readAll()))
  })

  test('openers for reading see what the writer writes, follow it, and cannot write', async () => {
    const path = await freshPath()
    const writer = openStore({ path })
    const stream = freshStream()
    await appendOk(writer, appendOf(stream, 'no_stream'))
    const reader = openStore({ path, readOnly: true })
    const following = firstEvents(reader, 3)
    await appendOk(writer, appendOf(stream, 0n, 2))
    expect((await following).map(({ revision }) => revision)).toEqual([0n, 1n, 2n])
    expect(await reader.head()).toBe(3n)
    await expect(reader.append([appendOf(stream, 2n)])).rejects.toThrow('reading only')
  })

  test('openers for reading find a log whose service has stopped', async () => {
    const path = await freshPath()
    const writer = openSqliteEventStore({ path })
    await appendOk(writer, appendOf(freshStream(), 'no_stream', 3))
    await writer.close()
    expect(await collect(openStore({ path, readOnly: true }).readAll())).toHaveLength(3)
  })

  test('openers for reading are told when there is no log', async () => {
    const path = await freshPath()
    expect(() => openSqliteEventStore({ path, readOnly: true })).toThrow('There is no ')
  })
})

test('kill -9 in the middle of writes loses nothing that was acknowledged and leaves a sound log', async () => {
  const folder = await temporaryFolder()
  const script = fileURLToPath(new URL('../support/writingProcess.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const acknowledged: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut off.
    if (line.length === 36) acknowledged.push(line)
    if (acknowledged.length === 1) expect(() => lockDataFolder(folder)).toThrow(`(pid ${child.pid})`)
    if (acknowledged.length === 600) child.kill('SIGKILL')
  }
  await exited
  expect(acknowledged.length).toBeGreaterThanOrEqual(600)

  const held = lockDataFolder(folder)
  onTestFinished(() => held.close())
  expect(held.path).toBe(folder)
  const store = openStore({ path: join(folder, 'log.db') })
  const events = await collect(store.readAll())
  const written = new Set(events.map(({ id }) => id))
  expect(acknowledged.filter((id) => !written.has(id))).toEqual([])
  expectSound(events)
  const { position } = await appendOk(store, appendOf(freshStream(), 'no_stream'))
  expect(position).toBe(BigInt(events.length + 1))
})

describe('backup', () => {
  test('holds everything that was acknowledged before it, while writing goes on', async () => {
    const path = await freshPath()
    const store = openStore({ path })
    let writing = true
    const write = async (): Promise<void> => {
      while (writing) await appendOk(store, appendOf(freshStream(), 'no_stream', 2, { padding: 'x'.repeat(3000) }))
    }
    await store.append(Array.from({ length: 500 }, () => appendOf(freshStream(), 'no_stream', 2)))
    const writers = Array.from({ length: 8 }, write)
    const acknowledged = await appendOk(store, appendOf(freshStream(), 'no_stream'))
    const copy = `${path}.copy`
    await store.backupTo(copy)
    await store.backupTo(copy)
    writing = false
    await Promise.all(writers)

    const restored = openStore({ path: copy })
    const events = await collect(restored.readAll())
    expect(events.length).toBeGreaterThanOrEqual(Number(acknowledged.position))
    expect(events).toEqual(await collect(store.readAll({ limit: events.length })))
    expectSound(events)
    expect((await appendOk(restored, appendOf(freshStream(), 'no_stream'))).position).toBe(BigInt(events.length + 1))
  })

  test('a backup of a read-only store works beside the writer', async () => {
    const path = await freshPath()
    await appendOk(openStore({ path }), appendOf(freshStream(), 'no_stream', 5))
    await openStore({ path, readOnly: true }).backupTo(`${path}.copy`)
    expect(await collect(openStore({ path: `${path}.copy`, readOnly: true }).readAll())).toHaveLength(5)
  })

  test('a backup to where nothing can be written is an error', async () => {
    const path = await freshPath()
    await expect(openStore({ path }).backupTo(join(path, 'nowhere', 'copy.db'))).rejects.toThrow()
  })
})

describe('a log of another version', () => {
  const tamper = (path: string, sql: string): void => {
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  }

  test('is refused when the storage format is newer', async () => {
    const path = await freshPath()
    tamper(path, 'PRAGMA user_version = 99')
    expect(() => openSqliteEventStore({ path })).toThrow('written by a newer catalog (storage version 99)')
  })

  test('stops a reader at an event that it does not know', async () => {
    const path = await freshPath()
    const store = openStore({ path })
    await appendOk(store, appendOf(freshStream(), 'no_stream', 3))
    tamper(path, "UPDATE events SET type = 'Teleported' WHERE position = 2")
    const reading = collect(openStore({ path, readOnly: true }).readAll())
    await expect(reading).rejects.toThrow(EventFormatError)
    await expect(reading).rejects.toThrow('Teleported at position 2')
  })
})
