import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EventBatch, type EventStore } from '../../../src/events/eventStore.ts'
import type { NewEvent, RecordedEvent } from '../../../src/events/events.ts'
import { openEventStoreDb } from '../../../src/events/eventstoredb/store.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import { ids } from '../contract/support.ts'
import { appendOf, appendOk, collect, firstEvents, created, freshStream } from '../../support/events.ts'
import {
  appendAsOther,
  eventStoreDbUrl,
  freshPrefix,
  hasEventStoreDb,
  openStore,
  silent,
  skippedOutLoud,
} from '../../support/eventStoreDb.ts'

skippedOutLoud('eventStoreDbFacts.test.ts')

/** Bytes of an event's data as it is stored. */
const dataBytes = (event: NewEvent): number => Buffer.byteLength(JSON.stringify(event.data))

/** A `Created` event whose data has exactly so many bytes. */
const eventOfSize = (bytes: number, stream: string): NewEvent => {
  const members = (length: number): JsonObject => ({ text: 'x'.repeat(length) })
  const rest = dataBytes(created(members(0), { stream }))
  return created(members(bytes - rest), { stream })
}

/** Batches of a subscription until `enough`. */
const batchesUntil = async (
  store: EventStore,
  after: bigint | undefined,
  enough: (batches: readonly EventBatch[]) => boolean,
): Promise<EventBatch[]> => {
  const controller = new AbortController()
  const batches: EventBatch[] = []
  for await (const batch of store.subscribe({ after, signal: controller.signal })) {
    batches.push(batch)
    if (enough(batches)) controller.abort()
  }
  return batches
}

describe.skipIf(!hasEventStoreDb)('EventStoreDB', () => {
  describe('positions', () => {
    test('positions at which there is no event skip nothing', async () => {
      const store = openStore()
      const first = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      const second = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      const third = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      for (const after of [first.position - 1n, first.position + 1n, second.position - 7n, third.position - 80n]) {
        const expected = [first, second, third].map(({ position }) => position).filter((position) => position > after)
        const found = await firstEvents(store, expected.length, after)
        expect(found.map(({ position }) => position)).toEqual(expected)
        expect((await collect(store.readAll({ after }))).map(({ position }) => position)).toEqual(expected)
      }
    })

    test('beyond the end of the log are waited for', async () => {
      const store = openStore()
      const { position } = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      expect(await collect(store.readAll({ after: position + 1_000_000_000n }))).toEqual([])
      const controller = new AbortController()
      const following = collect(store.subscribe({ after: position + 1_000_000_000n, signal: controller.signal }))
      await appendOk(store, appendOf(freshStream(), 'no_stream'))
      controller.abort()
      expect((await following).flatMap(({ events }) => events)).toEqual([])
    })
  })

  describe('streams of others', () => {
    test('are left out: other prefixes, other kinds, other names, the server’s own', async () => {
      const prefix = freshPrefix()
      const store = openStore({ prefix, kinds: ['thing', 'part'] })
      const other = openStore({ prefix })
      const prefixes = [`${prefix}x`, `x${prefix}`, `$$${prefix}`]
      await appendAsOther(...prefixes.map((other) => other + freshStream()))
      await appendAsOther(`${prefix}thing-4711`, `${prefix}${freshStream()}-more`)
      const stranger = await appendOk(other, appendOf(freshStream('anything'), 'no_stream'))
      const own = [appendOf(freshStream('part'), 'no_stream'), appendOf(freshStream('thing'), 'no_stream')] as const
      await store.append(own)
      const expected = own.flatMap(({ events }) => ids(events)).toSorted()
      const seen = await firstEvents(store, 2)
      expect(ids(seen).toSorted()).toEqual(expected)
      expect(ids(await collect(store.readAll())).toSorted()).toEqual(expected)
      expect(await store.head()).toBeGreaterThan(stranger.position)
    })

    test('are not appended to', async () => {
      const store = openStore({ kinds: ['thing'] })
      for (const stream of [freshStream('other'), 'thing-4711', `x${freshStream()}`]) {
        await expect(store.append([appendOf(stream, 'no_stream')])).rejects.toThrow(RangeError)
      }
    })

    test('move a subscription on, in batches without events', async () => {
      const prefix = freshPrefix()
      const [store, others] = [openStore({ prefix, kinds: ['thing'] }), openStore({ prefix, kinds: ['other'] })]
      const { position } = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      const strangers = Array.from({ length: 20 }, () => appendOf(freshStream('other'), 'no_stream', 100))
      const live = batchesUntil(store, position, (batches) => batches.length >= 1)
      await others.append(strangers)
      const later = batchesUntil(store, position, (batches) => batches.length >= 1)
      for (const batches of [await live, await later]) {
        expect(batches.every(({ events }) => events.length === 0)).toBe(true)
        expect(batches.at(-1)?.position).toBeGreaterThan(position)
      }
    })

    test('do not hide the newest event', async () => {
      const prefix = freshPrefix()
      const [store, others] = [openStore({ prefix, kinds: ['thing'] }), openStore({ prefix, kinds: ['other'] })]
      const { position } = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      await others.append(Array.from({ length: 5 }, () => appendOf(freshStream('other'), 'no_stream', 100)))
      expect(await store.head()).toBe(position)
      expect(await openStore({ prefix, kinds: ['thing'] }).head()).toBe(position)
    })

    test('however many, leave a head that every subscription reaches', async () => {
      const prefix = freshPrefix()
      const [store, others] = [openStore({ prefix, kinds: ['thing'] }), openStore({ prefix, kinds: ['other'] })]
      const { position } = await appendOk(store, appendOf(freshStream(), 'no_stream'))
      const live = batchesUntil(store, position, (batches) => (batches.at(-1)?.position ?? 0n) > position)
      await others.append(Array.from({ length: 70 }, () => appendOf(freshStream('other'), 'no_stream', 100)))
      await live
      const head = (await openStore({ prefix, kinds: ['thing'] }).head()) as bigint
      expect(head).toBeGreaterThanOrEqual(position)
      await batchesUntil(store, position, (batches) => (batches.at(-1)?.position ?? 0n) >= head)
      expect(await collect(store.readAll())).toHaveLength(1)
    })
  })

  describe('size', () => {
    test('up to the limit is taken, one byte more is refused before it is sent', async () => {
      const store = openStore({ maxAppendBytes: 2 ** 20 })
      const stream = freshStream()
      const tooLarge = { stream, expected: 'no_stream' as const, events: [eventOfSize(2 ** 20 + 1, stream)] }
      const small = appendOf(freshStream(), 'no_stream')
      expect(await store.append([small, tooLarge])).toMatchObject([
        { ok: true },
        { ok: false, tooLarge: { limit: 2 ** 20 } },
      ])
      expect(ids(await collect(store.readStream(small.stream)))).toEqual(ids(small.events))
      expect(await collect(store.readStream(stream))).toEqual([])
      const largest = { ...tooLarge, events: [eventOfSize(2 ** 20, stream)] }
      await appendOk(store, largest)
      expect(ids(await collect(store.readStream(stream)))).toEqual(ids(largest.events))
    })

    test('is counted over all events of an append', async () => {
      const store = openStore({ maxAppendBytes: 100_000 })
      const append = appendOf(freshStream(), 'no_stream', 11, { text: 'ü'.repeat(5000) })
      expect(await store.append([append])).toMatchObject([{ ok: false, tooLarge: { limit: 100_000 } }])
      await appendOk(store, { ...append, events: append.events.slice(0, 9) })
    })

    test('an append that only the server finds too large is refused alone', async () => {
      const store = openStore({ maxAppendBytes: 20 * 2 ** 20 })
      const stream = freshStream()
      const others = Array.from({ length: 20 }, () => store.append([appendOf(freshStream(), 'no_stream')]))
      const tooLarge = { stream, expected: 'no_stream' as const, events: [eventOfSize(15.9 * 2 ** 20, stream)] }
      expect(await store.append([tooLarge])).toMatchObject([{ ok: false, tooLarge: { name: 'AppendTooLarge' } }])
      expect((await Promise.all(others)).flat().every(({ ok }) => ok)).toBe(true)
    })
  })

  describe('the client', () => {
    test('is never given what is not JSON or has no UUID', async () => {
      const store = openStore()
      const [event] = appendOf(freshStream(), 'no_stream').events as [NewEvent]
      const append = (odd: object) =>
        store.append([{ stream: freshStream(), expected: 'no_stream', events: [{ ...event, ...odd } as NewEvent] }])
      await expect(append({ id: 'my-id' })).rejects.toThrow(TypeError)
      await expect(append({ data: undefined })).rejects.toThrow(TypeError)
      await expect(append({ data: { members: { big: 1n } } })).rejects.toThrow(TypeError)
      await appendOk(store, appendOf(freshStream(), 'no_stream'))
    })

    test('the client of one store can be closed while another works', async () => {
      const store = openStore()
      const appends = Array.from({ length: 500 }, () => appendOf(freshStream(), 'no_stream'))
      const written = appends.map(async (append, index) => {
        if (index % 100 === 0) {
          const second = openEventStoreDb({ url: eventStoreDbUrl, prefix: freshPrefix(), logger: silent })
          await second.append([appendOf(freshStream(), 'no_stream')])
          await second.close()
        }
        return appendOk(store, append)
      })
      expect(await Promise.all(written)).toHaveLength(500)
    })

    test('forgets finished calls and closes at once', async () => {
      const store = openEventStoreDb({ url: eventStoreDbUrl, prefix: freshPrefix(), logger: silent })
      const stream = freshStream()
      const { position } = await appendOk(store, appendOf(stream, 'no_stream'))
      await appendOk(store, appendOf(stream, 0n, 50))
      for (let round = 0; round < 30; round++) {
        await store.ping()
        for await (const _ of store.readStream(stream)) break
        for await (const _ of store.readAll({ after: position })) break
        await collect(store.readStream(freshStream()))
      }
      const began = performance.now()
      await store.close()
      expect(performance.now() - began).toBeLessThan(4000)
    })

    test('lets the process end', async () => {
      const program = `
        import { openEventStoreDb } from './src/events/eventstoredb/store.ts'
        import { appendOf } from './test/support/events.ts'
        const store = openEventStoreDb({ url: process.argv[1], prefix: process.argv[2], logger: { debug() {} } })
        await store.append([appendOf('thing-${randomUUID()}', 'no_stream')])
        const { signal } = new AbortController()
        for await (const { events } of store.subscribe({ signal })) if (events.length > 0) break
        await store.close()
        console.log('closed')`
      const args = ['--input-type=module-typescript', '-e', program, eventStoreDbUrl, freshPrefix()]
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 })
      expect(stdout).toBe('closed\n')
    })
  })

  test('a subscriber that stops taking is caught up without loss', async () => {
    const store = openStore()
    const begin = await appendOk(store, appendOf(freshStream(), 'no_stream'))
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const { signal } = controller
    const batches = store.subscribe({ after: begin.position, signal })[Symbol.asyncIterator]()
    const first = batches.next()
    const { position } = await appendOk(store, appendOf(freshStream(), 'no_stream'))
    expect((await first).value).toMatchObject({ position, events: { length: 1 } })
    const appends = Array.from({ length: 120 }, () => appendOf(freshStream(), 'no_stream', 100))
    for (const append of appends) await appendOk(store, append)
    const seen: RecordedEvent[] = []
    while (seen.length < 12_000) seen.push(...((await batches.next()).value as EventBatch).events)
    expect(ids(seen)).toEqual(appends.flatMap(({ events }) => ids(events)))
  })
})

test.each([['$all'], ['a b'], ['ü'], ['a*']])('the prefix %j is refused', (prefix) => {
  expect(() => openEventStoreDb({ url: 'esdb://127.0.0.1:1', prefix, logger: silent })).toThrow(RangeError)
})

test('an address that is none is refused without repeating it', () => {
  const open = () => openEventStoreDb({ url: 'esdb://me:secret@[', logger: silent })
  expect(open).toThrow('not a connection string')
  expect(open).not.toThrow('secret')
})
