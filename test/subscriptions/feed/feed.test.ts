import fc from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { CatalogEvent, RecordedEvent } from '../../../src/events/events.ts'
import type { LeafReader } from '../../../src/projections/tree/leafReader.ts'
import type { FeedLookup } from '../../../src/subscriptions/feed/feed.ts'
import { makeFeedItem, makeFeedTail } from '../../../src/subscriptions/feed/feedTail.ts'
import { matchWithLabels } from '../../../src/projections/activity/matching.ts'
import { makeLabels } from '../../../src/projections/labels.ts'
import { longEnough } from '../../support/patience.ts'
import { collect, exampleData, freshStream, recordedEvent } from '../../support/events.ts'
import { all, domain, makeWriter, openFeed, openLog, positionsOf, readPages } from './support.ts'

const sales = domain('sales')
const people = domain('people')

const created = { type: 'Created', data: { name: 'n', members: {} } } as const

/** An empty log, and what writes to it. */
const openWriter = async () => {
  const log = await openLog()
  const append = makeWriter(log)
  return { log, append, add: (kind = 'apple') => append(freshStream(kind), created) }
}

/** A step of a random history: which stream, and what becomes of its domains. */
const step = fc.record({
  stream: fc.integer({ min: 0, max: 4 }),
  domains: fc.option(fc.subarray([sales, people]), { nil: undefined }),
  erase: fc.boolean(),
})

const writeHistory = async (
  log: Awaited<ReturnType<typeof openLog>>,
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
) => {
  const append = makeWriter(log)
  const streams = Array.from({ length: 5 }, (_, index) => freshStream(index % 2 === 0 ? 'apple' : 'pear'))
  const live = new Set<string>()
  for (const { stream: index, domains, erase } of steps) {
    const stream = streams[index] as string
    const set = domains === undefined ? {} : { domains: domains.map((each) => ({ ...each })) }
    if (!live.has(stream)) {
      live.add(stream)
      await append(stream, { type: 'Created', data: { name: 'n', members: set } })
    } else if (erase && domains === undefined) {
      live.delete(stream)
      await append(stream, { type: 'HardDeleted', data: { deletion: crypto.randomUUID() } })
    } else if (domains?.length === 0) {
      await append(stream, { type: 'Updated', data: { set: {}, unset: ['domains'] } })
    } else await append(stream, { type: 'Updated', data: { set, unset: [] } })
  }
}

/** The domains just before and just after each event, by folding every stream from its beginning. */
const foldDomains = (events: readonly RecordedEvent[]): string[][] => {
  const now = new Map<string, string[]>()
  const names = (value: unknown) =>
    ((value ?? []) as { fullyQualifiedName: string }[]).map((each) => each.fullyQualifiedName)
  return events.map((event) => {
    const before = event.type === 'Created' ? [] : (now.get(event.stream) ?? [])
    let after = before
    if (event.type === 'Created') after = names(event.data.members['domains'])
    if (event.type === 'Updated' && 'domains' in event.data.set) after = names(event.data.set['domains'])
    if (event.type === 'Updated' && event.data.unset.includes('domains')) after = []
    now.set(event.stream, after)
    return [...before, ...after]
  })
}

describe('reading', () => {
  test('gives every event that matches once, in order, whatever the page size and however much is in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, limit, tailItems, capacity) => {
          const log = await openLog()
          const feed = openFeed(log, { tailItems })
          await feed.wait(undefined, AbortSignal.abort(), 0)
          await writeHistory(log, steps)
          const events = await collect(log.readAll())
          const domains = foldDomains(events)
          const wanted = events.filter(
            (event, index) => event.metadata.kind === 'apple' && domains[index]?.includes('sales'),
          )
          const match = matchWithLabels(
            { kinds: new Set(['apple']), domains: new Set(['sales']) },
            makeLabels(log, capacity),
          )
          expect(await readPages(feed, match, limit)).toEqual(positionsOf(wanted))
          const late = events[Math.floor(events.length / 2)]?.position
          expect(await readPages(feed, match, limit, late)).toEqual(
            positionsOf(wanted.filter((event) => event.position > (late ?? 0n))),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  test('along an index gives what looking through the log gives, however far the index has come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 10 }),
        async (steps, limit, come, tailItems) => {
          const log = await openLog()
          const feed = openFeed(log, { tailItems })
          await writeHistory(log, steps)
          const match = matchWithLabels({ kinds: new Set(['apple']) }, makeLabels(log))
          const known = (await collect(log.readAll())).slice(0, come)
          const lookup: FeedLookup = async (after, most) => {
            const last = known.at(-1)?.position
            if (last === undefined) return undefined
            const positions = positionsOf(known.filter((event) => event.position > (after ?? 0n))).slice(0, most)
            return { positions, reached: positions.length === most ? (positions.at(-1) as bigint) : last }
          }
          expect(await readPages(feed, match, limit, undefined, lookup)).toEqual(await readPages(feed, match, limit))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('tells of every event how many come before it, and looks up one for a page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 10 }),
        fc.boolean(),
        async (steps, limit, tailItems, follows) => {
          const log = await openLog()
          let asked = 0
          const leaves = (): LeafReader => async (position) => {
            asked++
            return Number(position) - 1
          }
          const feed = openFeed(log, { tailItems, leaves })
          await writeHistory(log, steps.slice(0, 10))
          if (follows) await feed.wait(undefined, AbortSignal.abort(), 0)
          await writeHistory(log, steps.slice(10))
          const match = matchWithLabels({ kinds: new Set(['apple']) }, makeLabels(log))
          let pages = 0
          for (let position: bigint | undefined; ; pages++) {
            const page = await feed.read({ after: position, match, limit, upToDate: true })
            for (const { event, text } of page.items)
              expect(JSON.parse(text)).toMatchObject({ leafindex: String(event.position - 1n) })
            position = page.position
            if (page.end) break
          }
          // Those of pages that memory and the log share are looked up for both; the subscription asks for itself.
          expect(asked).toBeLessThanOrEqual(2 * (pages + 1) + 1)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('says which leaf an event is unless that is not known yet', async () => {
    const { log, add } = await openWriter()
    let isKnown = false
    const feed = openFeed(log, { leaves: () => (position) => (isKnown ? Number(position) - 1 : undefined) })
    const { signal } = new AbortController()
    await feed.wait(undefined, signal, 0)
    for (const position of [undefined, 1n]) {
      await add()
      await feed.wait(position, signal, longEnough)
      isKnown = true
    }
    const page = await feed.read({ after: undefined, match: all, limit: 10 })
    const leaves = page.items.map(({ text }) => (JSON.parse(text) as { leafindex?: string }).leafindex)
    expect(leaves).toEqual([undefined, '1'])
  })

  test('reads nothing but what an index names, and says with a mark how far that was', async () => {
    const { log, add } = await openWriter()
    for (let index = 0; index < 20; index++) await add()
    const looked: bigint[] = []
    const match = (event: RecordedEvent): boolean => looked.push(event.position) > 0
    const lookup: FeedLookup = async () => ({ positions: [3n, 9n], reached: 18n })
    const page = await openFeed(log).read({ after: undefined, match, lookup, limit: 10 })
    expect(positionsOf(page.items.map(({ event }) => event))).toEqual([3n, 9n])
    expect(looked).toEqual([3n, 9n])
    expect(page).toMatchObject({ position: 18n, newest: { position: 18n }, end: false })
  })

  test('looks through the log where an index is one of another log', async () => {
    const { log, add } = await openWriter()
    await add()
    const lookup: FeedLookup = async () => ({ positions: [700n], reached: 800n })
    const page = await openFeed(log).read({ after: undefined, match: all, lookup, limit: 10 })
    expect(page).toMatchObject({ position: 1n, end: true })
  })

  test('says how far it looked when nothing matches, and skips nothing that comes after', async () => {
    const { log, add } = await openWriter()
    const feed = openFeed(log)
    const match = matchWithLabels({ kinds: new Set(['pear']) }, makeLabels(log))
    await add()
    const page = await feed.read({ after: undefined, match, limit: 10 })
    expect(page).toMatchObject({ items: [], position: 1n, end: true })
    await add('pear')
    const next = await feed.read({ after: page.position, match, limit: 10 })
    expect(next.items.map((item) => item.event.position)).toEqual([2n])
  })

  test('a page ends before its texts are too long, but not before the first of them', async () => {
    const { log, append } = await openWriter()
    for (let index = 0; index < 3; index++) {
      await append(freshStream('apple'), { type: 'Created', data: { name: 'n', members: { text: 'x'.repeat(4000) } } })
    }
    const page = await openFeed(log).read({ after: undefined, match: all, limit: 10, maxSize: 10_000 })
    expect(page).toMatchObject({ position: 2n, end: false })
    const short = await openFeed(log).read({ after: undefined, match: all, limit: 10, maxSize: 1000 })
    expect(short).toMatchObject({ position: 1n, end: false })
  })

  test('the texts are the same from memory and from the log', async () => {
    const { log, append } = await openWriter()
    const following = openFeed(log)
    await following.wait(undefined, AbortSignal.abort(), 0)
    const members = {
      'ä"': ['\u2028', { $sealed: 'x' }],
      secret: { $sealed: 'v1:a:b' },
      number: 1e21,
      nested: { a: null },
    }
    await append(
      freshStream('apple'),
      { type: 'Created', data: { name: 'n', members } },
      { type: 'Updated', data: { set: {}, unset: ['a'] } },
    )
    await following.wait(undefined, new AbortController().signal, 60_000)
    const options = { after: undefined, match: all, limit: 10, upToDate: true }
    const pages = await Promise.all([following, openFeed(log)].map((feed) => feed.read(options)))
    const texts = pages.map((page) => page.items.map((item) => item.text))
    expect(texts[0]).toHaveLength(2)
    expect(texts[1]).toEqual(texts[0])
  })
})

test('memory holds nothing from before values were erased', () => {
  const tail = makeFeedTail(0n, 10, 1000)
  const item = (position: bigint, type: 'Created' | 'Forgotten') =>
    makeFeedItem(recordedEvent({ type, data: exampleData[type] } as CatalogEvent, { stream: 'user-1', position }), '{}')
  tail.push([item(1n, 'Created')], 1n)
  tail.push([item(2n, 'Forgotten'), item(3n, 'Created')], 3n)
  expect([tail.covers(0n), tail.covers(1n)]).toEqual([false, true])
  expect(positionsOf(tail.after(0n).map(({ event }) => event))).toEqual([2n, 3n])
})

test('only positions of events are given out, however far a store says that it has looked', async () => {
  const { log, add } = await openWriter()
  await add()
  const looked = Promise.withResolvers<void>()
  const looking: typeof log = {
    ...log,
    subscribe: async function* (options) {
      yield { events: [], position: 500n }
      looked.resolve()
      yield* log.subscribe(options)
    },
  }
  const feed = openFeed(looking)
  await feed.wait(undefined, AbortSignal.abort(), 0)
  await looked.promise
  expect((await feed.read({ after: 1n, match: all, limit: 10 })).position).toBe(1n)
})

describe('waiting', () => {
  test('ends when something comes, when time is up and when the feed closes', async () => {
    const { log, add } = await openWriter()
    const feed = openFeed(log)
    const { signal } = new AbortController()
    await feed.wait(undefined, signal, 1)
    const woken = feed.wait(undefined, signal, 600_000)
    await add()
    await woken
    const closed = feed.wait(1n, signal, 600_000)
    await feed.close()
    await closed
  })

  test('a subscription that fails begins again where it was', async () => {
    const { log, add } = await openWriter()
    let failures = 0
    const failing: typeof log = {
      ...log,
      subscribe: (options) => {
        const source = log.subscribe(options)
        if (failures++ >= 2) return source
        return (async function* () {
          for await (const batch of source) {
            yield batch
            throw new Error('connection lost')
          }
        })()
      },
    }
    const feed = openFeed(failing)
    const { signal } = new AbortController()
    const seen: bigint[] = []
    for (let position: bigint | undefined; seen.length < 6;) {
      void add()
      await feed.wait(position, signal, 60_000)
      const page = await feed.read({ after: position, match: all, limit: 10 })
      seen.push(...page.items.map((item) => item.event.position))
      position = page.position
    }
    expect(seen).toEqual(seen.map((_, index) => BigInt(index + 1)))
    expect(failures).toBeGreaterThan(2)
  })
})
