import { describe, expect, test } from 'vitest'
import { StoreUnavailable, type Append, type EventStore } from '../../../src/events/eventStore.ts'
import { copyLog, digestOfLog } from '../../../src/events/transfer/copyLog.ts'
import { exactCodec } from '../../../src/events/provenCodec.ts'
import { openEventStoreDb } from '../../../src/events/eventstoredb/store.ts'
import { freshPrefix, hasEventStoreDb, openStore, proxied, silent, skippedOutLoud } from '../../support/eventStoreDb.ts'
import { ids, increasing } from '../contract/support.ts'
import { appendOf, appendOk, collect, collectUntil, firstEvents, freshStream } from '../../support/events.ts'

skippedOutLoud('eventStoreDbFaults.test.ts')

/** Appends, again while the store says that it is not to be had. */
const appendPatiently = async (store: EventStore, append: Append): Promise<void> => {
  for (;;) {
    try {
      await appendOk(store, append)
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }
}

/** Parallel writers, each with a stream of its own; gives the ids in the order of each stream. */
const write = (store: EventStore, writers: number, events: number, written = () => {}): Promise<string[][]> => {
  const one = async (): Promise<string[]> => {
    const stream = freshStream()
    const own: string[] = []
    for (let revision = -1n; revision < BigInt(events - 1); revision++) {
      const append = appendOf(stream, revision < 0n ? 'no_stream' : revision)
      await appendPatiently(store, append)
      own.push(...ids(append.events))
      written()
    }
    return own
  }
  return Promise.all(Array.from({ length: writers }, one))
}

/** What a call ends with, and after how many milliseconds. */
const ending = async (call: Promise<unknown>): Promise<{ error: unknown; took: number }> => {
  const began = performance.now()
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, took: performance.now() - began }
}

const sortedIds = (events: readonly { id: string }[]): string[] => ids(events).toSorted()

describe.skipIf(!hasEventStoreDb)('EventStoreDB behind a bad network', () => {
  test('nothing acknowledged is lost and nothing doubled when connections break amid appends', async () => {
    const proxy = await proxied()
    const prefix = freshPrefix()
    const store = openStore({ url: proxy.url, prefix })
    let appended = 0
    const written = await write(store, 32, 30, () => {
      if (++appended % 100 === 0) proxy.cut()
    })
    const found = await collect(openStore({ prefix }).readAll())
    expect(sortedIds(found)).toEqual(written.flat().toSorted())
  })

  test('a log is copied in its order although connections break', async () => {
    const proxy = await proxied()
    const [sourcePrefix, targetPrefix] = [freshPrefix(), freshPrefix()]
    const source = openStore({ prefix: sourcePrefix, codec: exactCodec })
    const target = openStore({ prefix: targetPrefix, codec: exactCodec, url: proxy.url })
    for (let round = 0; round < 10; round++) {
      await source.append(Array.from({ length: 100 }, () => appendOf(freshStream(), 'no_stream', 2)))
    }
    const head = await source.head()
    let windows = 0
    const cut = (): void => {
      if (++windows % 2 === 1) setImmediate(proxy.cut)
    }
    const { copied } = await copyLog(source, target, head, cut)
    expect(copied).toBe(2000)
    const direct = openStore({ prefix: targetPrefix, codec: exactCodec })
    const digests = [await digestOfLog(source, head), await digestOfLog(direct, await direct.head())]
    expect(digests[1]).toEqual(digests[0])
  })

  test('an append whose answer is lost is found in the stream', async () => {
    const proxy = await proxied({ keepAliveInterval: 10_000 })
    const prefix = freshPrefix()
    const [store, direct] = [openStore({ url: proxy.url, prefix, appendTimeout: 500 }), openStore({ prefix })]
    await store.ping()
    await appendOk(store, appendOf(freshStream(), 'no_stream'))
    proxy.holdAnswers()
    const append = appendOf(freshStream(), 'no_stream', 3)
    const outcome = appendOk(store, append)
    await collectUntil(
      direct,
      undefined,
      ({ stream }) => stream === append.stream,
      (events) => events.length >= 3,
    )
    proxy.cut()
    proxy.resume()
    const [last] = await collect(direct.readStream(append.stream, { backwards: true, limit: 1 }))
    expect(await outcome).toEqual({ ok: true, revision: 2n, position: last?.position })
    expect(await collect(direct.readStream(append.stream))).toHaveLength(3)
  })

  test('every call ends in bounded time when the store hangs, and works when it is back', async () => {
    const proxy = await proxied()
    const store = openStore({ url: proxy.url, appendTimeout: 400, readTimeout: 300 })
    const before = appendOf(freshStream(), 'no_stream')
    await appendOk(store, before)
    proxy.stall()
    const append = appendOf(freshStream(), 'no_stream')
    const calls = [
      store.append([append]),
      store.append(Array.from({ length: 20 }, () => appendOf(freshStream(), 'no_stream'))),
      store.ping(),
      store.head(),
      collect(store.readStream(before.stream)),
      collect(store.readAll()),
    ]
    for (const { error, took } of await Promise.all(calls.map(ending))) {
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(took).toBeLessThan(8000)
    }
    proxy.resume()
    await appendOk(store, append)
    expect(ids(await collect(store.readStream(append.stream)))).toEqual(ids(append.events))
  })

  test('closing ends in bounded time when the store hangs', async () => {
    const proxy = await proxied()
    const timeouts = { appendTimeout: 300, readTimeout: 300 }
    const store = openEventStoreDb({ url: proxy.url, prefix: freshPrefix(), logger: silent, ...timeouts })
    await appendOk(store, appendOf(freshStream(), 'no_stream'))
    proxy.stall()
    const appended = ending(store.append([appendOf(freshStream(), 'no_stream')]))
    const followed = ending(collect(store.subscribe({ after: undefined, signal: new AbortController().signal })))
    const { error, took } = await ending(store.close())
    expect(error).toBeUndefined()
    expect(took).toBeLessThan(15_000)
    expect((await appended).error).toBeInstanceOf(StoreUnavailable)
    expect((await followed).error).toBeInstanceOf(StoreUnavailable)
  })

  test('calls fail at once while the store is away, also at the start, and work when it is back', async () => {
    const proxy = await proxied()
    proxy.refuse()
    const store = openStore({ url: proxy.url })
    const append = appendOf(freshStream(), 'no_stream')
    const reads = [collect(store.readStream(append.stream)), collect(store.readAll())]
    const calls = [store.ping(), store.append([append]), store.head(), ...reads]
    for (const { error, took } of await Promise.all(calls.map(ending))) {
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(took).toBeLessThan(8000)
    }
    const following = firstEvents(store, 1)
    proxy.resume()
    await appendPatiently(store, append)
    expect(ids(await following)).toEqual(ids(append.events))
  })

  test('a cluster of which no node answers is unavailable, and nothing else happens', async () => {
    const url = 'esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=2'
    const store = openStore({ url, readTimeout: 2000, appendTimeout: 2000 })
    const calls = [store.ping(), store.append([appendOf(freshStream(), 'no_stream')]), store.head(), store.ping()]
    for (const { error } of await Promise.all(calls.map(ending))) expect(error).toBeInstanceOf(StoreUnavailable)
  })

  test('a subscription goes on without loss or doubles when connections break', async () => {
    const proxy = await proxied()
    const prefix = freshPrefix()
    const [store, direct] = [openStore({ url: proxy.url, prefix }), openStore({ prefix })]
    let batches = 0
    const following = firstEvents(store, 16 * 60, undefined, () => {
      if (++batches % 10 === 0) proxy.cut()
    })
    const written = await write(direct, 16, 60)
    const events = await following
    expect(sortedIds(events)).toEqual(written.flat().toSorted())
    expect(increasing(events)).toBe(true)
  })

  test('a subscription whose connection went dead without a word is noticed and resumed', async () => {
    const proxy = await proxied({ keepAliveInterval: 1000, keepAliveTimeout: 500 })
    const prefix = freshPrefix()
    const store = openStore({ url: proxy.url, prefix, readTimeout: 300, quietCheck: 300 })
    const direct = openStore({ prefix })
    const first = appendOf(freshStream(), 'no_stream')
    await appendOk(direct, first)
    let written: Promise<string[][]> | undefined
    const events = await firstEvents(store, 1 + 40, undefined, () => {
      if (!written) proxy.freeze()
      written ??= write(direct, 4, 10)
    })
    expect(sortedIds(events)).toEqual([...ids(first.events), ...((await written) ?? []).flat()].toSorted())
  })

  test('a slow connection only takes longer', async () => {
    const proxy = await proxied()
    const prefix = freshPrefix()
    const store = openStore({ url: proxy.url, prefix })
    await store.ping()
    proxy.slow(200_000)
    const written = await write(store, 8, 10)
    expect(sortedIds(await collect(store.readAll()))).toEqual(written.flat().toSorted())
  })
})
