import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { eventStream } from '../../../src/subscriptions/feed/eventStream.ts'
import { matchWithLabels } from '../../../src/projections/activity/matching.ts'
import { makeLabels } from '../../../src/projections/labels.ts'
import { StoreUnavailable, type EventStore } from '../../../src/events/eventStore.ts'
import { limits } from '../../../src/shared/limits.ts'
import type { Feed } from '../../../src/subscriptions/feed/feed.ts'
import { freshStream } from '../../support/events.ts'
import { all, makeWriter, openFeed, openLog } from './support.ts'

const shared = {
  reader: { caller: 'c', signal: new AbortController().signal },
  select: async () => ({ match: all }),
  problemText: ({ message }: Error) => JSON.stringify({ message }),
}

const created = (members = {}) => ({ type: 'Created', data: { name: 'n', members } }) as const

/** Reads frames until `enough` ids have come; then the stream is destroyed. */
const ids = async (stream: Readable, enough: number): Promise<string[]> => {
  const found: string[] = []
  let rest = ''
  for await (const chunk of stream) {
    const frames = (rest + String(chunk)).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) if (frame.includes('\ndata: ')) found.push(/^id: (\d+)/.exec(frame)?.[1] as string)
    if (found.length >= enough) break
  }
  return found
}

test('many who follow from anywhere get every event once, in order, while events are written', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  const feed = openFeed(log, { tailItems: 20 })
  const total = 300
  for (let index = 0; index < 100; index++) await append(freshStream('apple'), created())
  const controller = new AbortController()
  const readers = Array.from({ length: 40 }, (_, index) => {
    const after = index === 0 ? undefined : BigInt(index * 2)
    return {
      after: index * 2,
      found: eventStream(feed, { ...shared, after, signal: controller.signal }).then((stream) =>
        ids(stream, total - index * 2),
      ),
    }
  })
  for (let index = 100; index < total; index++) {
    await append(freshStream('apple'), created())
    if (index % 7 === 0) await new Promise(setImmediate)
  }
  for (const { after, found } of readers) {
    expect(await found).toEqual(Array.from({ length: total - after }, (_, index) => String(after + index + 1)))
  }
  controller.abort()
})

test('the log is read in turns, and what has just happened is not', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  const text = 'x'.repeat(5000)
  for (let index = 0; index < 50; index++) await append(freshStream('apple'), created({ text }))
  let [reading, most] = [0, 0]
  const readAll: EventStore['readAll'] = async function* (options) {
    most = Math.max(most, ++reading)
    try {
      for await (const event of log.readAll(options)) {
        await new Promise(setImmediate)
        yield event
      }
    } finally {
      reading--
    }
  }
  let looked = 0
  const feed = openFeed({ ...log, readAll })
  const wait: Feed['wait'] = (...waiting) => {
    looked++
    return feed.wait(...waiting)
  }
  const { signal } = new AbortController()
  const readers = Array.from({ length: 10 }, async (_, at) => {
    const reader = { caller: `c${at}`, signal }
    const stream = await eventStream({ ...feed, wait }, { ...shared, after: undefined, signal, reader })
    return ids(stream, 51)
  })
  await expect.poll(() => looked).toBe(10)
  expect(most).toBe(limits.listsAtOnce.value)
  most = 0
  await append(freshStream('apple'), created())
  for (const found of await Promise.all(readers)) expect(found).toHaveLength(51)
  expect(most).toBe(0)
})

test('a silent stream says that it lives, and how far it has looked', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  await append(freshStream('apple'), created())
  const match = matchWithLabels({ kinds: new Set(['pear']) }, makeLabels(log))
  const stream = await eventStream(openFeed(log), {
    ...shared,
    after: undefined,
    select: async () => ({ match }),
    signal: new AbortController().signal,
    heartbeat: 5,
  })
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    if (text.split(': alive').length > 2) break
  }
  expect(text).toMatch(/: alive\nid: 1\n\n/)
  expect(text).not.toContain('data:')
})

test('a silent stream whose log does not answer ends instead of saying that it lives', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  await append(freshStream('apple'), created())
  let isUp = true
  const head = async () => {
    if (!isUp) throw new StoreUnavailable('The store is down.')
    return log.head()
  }
  const signal = new AbortController().signal
  const stream = await eventStream(openFeed({ ...log, head }), { ...shared, after: 1n, signal, heartbeat: 5 })
  let beats = 0
  for await (const chunk of stream) {
    if (!String(chunk).includes(': alive')) continue
    beats += 1
    isUp = beats < 2
  }
  expect(beats).toBe(2)
})

test('little is read for one who takes nothing', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  for (let index = 0; index < 50; index++) await append(freshStream('apple'), created({ text: 'x'.repeat(20_000) }))
  const stream = await eventStream(openFeed(log), {
    ...shared,
    after: undefined,
    signal: new AbortController().signal,
  })
  await once(stream, 'readable')
  let held: number
  do {
    held = stream.readableLength
    await new Promise(setImmediate)
  } while (stream.readableLength > held)
  expect(held).toBeGreaterThan(20_000)
  expect(held).toBeLessThan(300_000)
  stream.destroy()
})

test('a fast reader of a long log leaves turns of the event loop to others', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  await append(freshStream('apple'), created())
  const feed = openFeed(log)
  const { items } = await feed.read({ after: undefined, match: all, limit: 1 })
  const work = 2
  let pages = 0
  const stream = await eventStream(
    {
      ...feed,
      read: async () => {
        for (const end = performance.now() + work; performance.now() < end;);
        pages += 1
        return { items, position: BigInt(pages), newest: undefined, end: false }
      },
    },
    { ...shared, after: undefined, signal: new AbortController().signal },
  )
  let turns = 0
  const count = (): void => {
    turns += 1
    if (pages < 200) setImmediate(count)
  }
  setImmediate(count)
  await ids(stream, 200)
  expect(turns).toBeGreaterThan((200 * work) / 40)
})
