import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable, type EventStore } from '../../../src/events/eventStore.ts'
import { newDurablePosition } from '../../../src/events/sqlite/reads.ts'
import { openSqliteEventStore, type SqliteEventStoreOptions } from '../../../src/events/sqlite/store.ts'
import { appendOf, appendOk, collect, freshStream } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'

const open = (options: SqliteEventStoreOptions) => {
  const store = openSqliteEventStore(options)
  onTestFinished(() => store.close())
  return store
}

/** A disk that synchronises when it is told to. */
const heldDisk = () => {
  const waiting: PromiseWithResolvers<void>[] = []
  const next = async (): Promise<PromiseWithResolvers<void>> => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0)
    return waiting.shift() as PromiseWithResolvers<void>
  }
  const sync = (): Promise<void> => {
    const asked = Promise.withResolvers<void>()
    waiting.push(asked)
    return asked.promise
  }
  return { sync, next, asked: () => waiting.length }
}

const pathOf = async (): Promise<string> => join(await temporaryFolder(), 'log.db')

/** Everything that a store tells of a stream, and of the log. */
const told = async (store: EventStore, stream: string) => ({
  head: await store.head(),
  all: (await collect(store.readAll())).length,
  stream: (await collect(store.readStream(stream))).length,
  backwards: (await collect(store.readStream(stream, { backwards: true, limit: 1 })))[0]?.revision,
  revision: await store.revisionOf(stream),
  third: (await store.eventAt(3n))?.position,
})

test('a log whose disk does not confirm a write is not up before it has', async () => {
  const disk = heldDisk()
  const store = open({ path: await pathOf(), sync: disk.sync })
  await store.ping()
  const appended = appendOk(store, appendOf(freshStream(), 'no_stream'))
  const sync = await disk.next()
  let isUp = false
  const asked = store.ping().then(() => (isUp = true))
  await delay(20)
  expect(isUp).toBe(false)
  sync.resolve()
  await asked
  await appended
})

test('nobody sees what is not on the disk yet, in this thread or another one, and the append is answered when all do', async () => {
  const path = await pathOf()
  const shown = newDurablePosition()
  const stream = freshStream()
  const before = openSqliteEventStore({ path })
  await appendOk(before, appendOf(stream, 'no_stream', 2))
  await before.close()

  const disk = heldDisk()
  const store = open({ path, durable: shown, sync: disk.sync })
  const beside = open({ path, durable: shown, readOnly: true })
  const controller = new AbortController()
  const followed: bigint[] = []
  const following = (async () => {
    for await (const { position } of store.subscribe({ after: 2n, signal: controller.signal })) followed.push(position)
  })()
  let isAnswered = false
  const appended = appendOk(store, appendOf(stream, 1n)).finally(() => (isAnswered = true))
  const sync = await disk.next()
  await delay(20)
  const hidden = {
    head: 2n,
    all: 2,
    stream: 2,
    backwards: 1n,
    revision: 1n,
    third: undefined,
  }
  expect(await told(store, stream)).toEqual(hidden)
  expect(await told(beside, stream)).toEqual(hidden)
  expect([isAnswered, followed]).toEqual([false, []])

  sync.resolve()
  expect(await appended).toEqual({ ok: true, revision: 2n, position: 3n })
  const seen = { head: 3n, all: 3, stream: 3, backwards: 2n, revision: 2n, third: 3n }
  expect(await told(store, stream)).toEqual(seen)
  expect(await told(beside, stream)).toEqual(seen)
  await expect.poll(() => followed).toEqual([3n])
  controller.abort()
  await following
})

test('what comes while the disk is busy shares the next sync, and is refused only for what can be seen then', async () => {
  const disk = heldDisk()
  const store = open({ path: await pathOf(), sync: disk.sync })
  const stream = freshStream()
  const first = appendOk(store, appendOf(stream, 'no_stream'))
  const sync = await disk.next()
  const refused = store
    .append([appendOf(stream, 'no_stream')])
    .then(async (outcome) => ({ outcome, seen: (await collect(store.readStream(stream))).length }))
  const others = Array.from({ length: 50 }, () => appendOk(store, appendOf(freshStream(), 'no_stream')))
  await delay(20)
  expect(disk.asked()).toBe(0)
  sync.resolve()
  await first
  ;(await disk.next()).resolve()
  const positions = (await Promise.all(others)).map(({ position }) => position)
  expect(positions).toEqual(Array.from({ length: 50 }, (_, index) => BigInt(index + 2)))
  expect(await refused).toEqual({ outcome: [{ ok: false, actual: 0n }], seen: 1 })
  expect(disk.asked()).toBe(0)
})

test('when the disk refuses, everybody who waits is told that the outcome is unknown, and nothing is written or shown any more', async () => {
  const path = await pathOf()
  let failing = true
  const options = {
    path,
    sync: () => (failing ? Promise.reject(new Error('EIO: i/o error, fdatasync')) : Promise.resolve()),
  }
  const store = open(options)
  const stream = freshStream()
  const appends = [store.append([appendOf(stream, 'no_stream')]), store.append([appendOf(freshStream(), 'no_stream')])]
  const results = await Promise.allSettled(appends)
  expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([
    expect.any(StoreUnavailable),
    expect.any(StoreUnavailable),
  ])
  failing = false
  await expect(store.append([appendOf(freshStream(), 'no_stream')])).rejects.toThrow('until the service is restarted')
  await expect(store.ping()).rejects.toThrow(StoreUnavailable)
  expect(await store.head()).toBe(undefined)
  expect(await collect(store.readStream(stream))).toEqual([])

  await store.close()
  const opened = open(options)
  await opened.ping()
  expect(await opened.append([appendOf(stream, 'no_stream')])).toEqual([{ ok: false, actual: 0n }])
  expect((await appendOk(opened, appendOf(stream, 0n))).position).toBe(3n)
})

test('closing waits for the disk, and what was appended before is answered', async () => {
  const disk = heldDisk()
  const store = openSqliteEventStore({ path: await pathOf(), sync: disk.sync })
  const first = appendOk(store, appendOf(freshStream(), 'no_stream'))
  const sync = await disk.next()
  const second = appendOk(store, appendOf(freshStream(), 'no_stream'))
  const closed = store.close()
  sync.resolve()
  ;(await disk.next()).resolve()
  expect((await Promise.all([first, second])).map(({ position }) => position)).toEqual([1n, 2n])
  await closed
})

test('a backup holds nothing that is not on the disk', async () => {
  const disk = heldDisk()
  const path = await pathOf()
  const store = open({ path, sync: disk.sync })
  const appended = appendOk(store, appendOf(freshStream(), 'no_stream'))
  const sync = await disk.next()
  let isThere = false
  const copied = store.backupTo(`${path}.copy`).then(() => (isThere = true))
  await delay(50)
  expect(isThere).toBe(false)
  sync.resolve()
  await Promise.all([appended, copied])
  expect(await collect(open({ path: `${path}.copy`, readOnly: true }).readAll())).toHaveLength(1)
})

test('what a process that was killed had committed comes into the file itself before the next one shows it', async () => {
  const path = await pathOf()
  const disk = heldDisk()
  const killed = openSqliteEventStore({ path, sync: disk.sync })
  const appended = appendOk(killed, appendOf(freshStream(), 'no_stream', 3))
  const sync = await disk.next()
  const next = open({ path })
  expect(await next.head()).toBe(3n)
  await copyFile(path, `${path}.alone`)
  expect(await collect(open({ path: `${path}.alone`, readOnly: true }).readAll())).toHaveLength(3)
  sync.resolve()
  await appended
  await killed.close()
})
