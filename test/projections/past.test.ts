import fc, { examples } from '../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { evolve, type Entity } from '../../src/commands/evolve.ts'
import type { CatalogEvent, NewEvent, RecordedEvent } from '../../src/events/events.ts'
import type { ReadStreamOptions } from '../../src/events/eventStore.ts'
import { makeHistory, type Moment } from '../../src/projections/history.ts'
import { appendOk, collect, freshStream, newEvent } from '../support/events.ts'
import { openLog } from '../subscriptions/feed/support.ts'

const user = { id: '6f1c1f0a-e4c9-4c5c-8e0d-3c2b7a9d4e10', type: 'keeper', fullyQualifiedName: 'ann' }
const deletion = '6f1c1f0a-e4c9-4c5c-8e0d-3c2b7a9d4e11'

type Log = Awaited<ReturnType<typeof openLog>>

/** Appends events whose versions go up as those of an entity do; each a second after the one before. */
const writeStream = async (log: Log, events: readonly CatalogEvent[]) => {
  const stream = freshStream('apple')
  let version = 0
  let previous: NewEvent | undefined
  const made = events.map((event, index) => {
    if (event.type === 'Created') version = 1
    else if (event.type !== 'Voted') version += 1
    const chain = previous && { previousHash: previous.metadata.hash }
    const time = new Date(index * 1000).toISOString()
    return (previous = newEvent(event, { stream, revision: BigInt(index), name: 'a', version, time, ...chain }))
  })
  for (let at = 0; at < made.length; at += 5000)
    await appendOk(log, {
      stream,
      expected: at === 0 ? 'no_stream' : BigInt(at - 1),
      events: made.slice(at, at + 5000),
    })
  return { stream, identity: { kind: 'apple', id: stream.slice('apple-'.length) } }
}

const created: CatalogEvent = { type: 'Created', data: { name: 'a', members: { step: -1, large: ['x'] } } }
const updated = (step: number): CatalogEvent => ({ type: 'Updated', data: { set: { step }, unset: [] } })

const life = fc.record({
  changes: fc.array(fc.constantFrom('update', 'update', 'vote', 'delete'), { maxLength: 30 }),
  erased: fc.boolean(),
})

/** Lives one after the other; only the last may be going on. */
const eventsOf = (lives: readonly { changes: readonly string[]; erased: boolean }[]): CatalogEvent[] =>
  lives.flatMap(({ changes, erased }, index): CatalogEvent[] => [
    created,
    ...changes.map((change, step): CatalogEvent => {
      if (change === 'vote') return { type: 'Voted', data: { user, vote: step % 2 === 0 ? 'votedUp' : 'unVoted' } }
      if (change === 'delete') return { type: 'SoftDeleted', data: { deletion } }
      return updated(step)
    }),
    ...(erased || index < lives.length - 1 ? [{ type: 'HardDeleted', data: { deletion } } as const] : []),
  ])

/** The plain way: every state, by folding everything. */
const foldAll = (id: string, events: readonly RecordedEvent[]): Entity[] => {
  const states: Entity[] = []
  for (const event of events) states.push(evolve(id, states.at(-1), event))
  return states
}

const versionsByFolding = (states: readonly Entity[], events: readonly RecordedEvent[]): Entity[] => {
  const begin = events.findLastIndex((event) => event.type === 'Created')
  return states.filter(
    (state, index) =>
      index >= begin && state.status !== 'gone' && (index === begin || state.version !== states[index - 1]?.version),
  )
}

describe('the states of an entity', () => {
  test('are the same as by folding everything, however much is remembered', async () => {
    const log = await openLog()
    await fc.assert(
      fc.asyncProperty(
        fc.array(life, { minLength: 1, maxLength: 3 }),
        fc.record({
          step: fc.integer({ min: 1, max: 7 }),
          minEvents: fc.constantFrom(0, 10, 1000),
          maxSize: fc.constantFrom(0, 2000, 1e6),
        }),
        fc.integer({ min: 1, max: 6 }),
        async (lives, options, limit) => {
          const { stream, identity } = await writeStream(log, eventsOf(lives))
          const events = await collect(log.readStream(stream))
          const states = foldAll(identity.id, events)
          const history = makeHistory(log, options)
          const alive = (state: Entity | undefined) => (state?.status === 'gone' ? undefined : state)
          for (const [index, event] of events.entries()) {
            expect(await history.asOf(identity, { position: event.position })).toEqual(alive(states[index]))
            expect(await history.asOf(identity, { position: event.position - 1n })).toEqual(alive(states[index - 1]))
          }
          const isChosen = (index: number): boolean => states[index] !== undefined && index % 5 < 3
          const some = events.filter((_, index) => isChosen(index)).map(({ position }) => position)
          const befores = states.flatMap((_, at) => (isChosen(at) && !isChosen(at - 1) ? [alive(states[at - 1])] : []))
          const afters = states.flatMap((state, at) => (isChosen(at) && !isChosen(at + 1) ? [alive(state)] : []))
          expect(await collect(history.transitions(identity, some))).toEqual(
            befores.map((before, at) => ({ before, after: afters[at] })),
          )
          expect(await history.asOf(identity, { position: -1n })).toBeUndefined()
          const versions = versionsByFolding(states, events)
          for (const state of versions) {
            expect(await history.asOf(identity, { version: state.version })).toEqual(state)
          }
          const newestFirst = versions.toReversed()
          const forwards: Entity[] = []
          for (let after: bigint | undefined; ; after = forwards.at(-1)?.revision) {
            const page = await history.versions(identity, { limit, after })
            expect(page.total).toBe(versions.length)
            expect(page.hasNewer).toBe(forwards.length > 0)
            forwards.push(...page.states)
            if (!page.hasOlder) break
          }
          expect(forwards).toEqual(newestFirst)
          const oldest = versions[0]?.revision ?? 0n
          const page = await history.versions(identity, { limit, before: oldest })
          expect(page.states).toEqual(newestFirst.slice(0, -1).slice(-limit))
          expect(page.hasNewer).toBe(versions.length - 1 > limit)
        },
      ),
      { numRuns: examples(100) },
    )
  })

  test('show what was written since', async () => {
    const log = await openLog()
    const { stream, identity } = await writeStream(log, [
      created,
      ...Array.from({ length: 20 }, (_, step) => updated(step)),
    ])
    const history = makeHistory(log, { minEvents: 5 })
    const moment: Moment = { position: 2n ** 63n - 1n }
    expect((await history.asOf(identity, moment))?.members['step']).toBe(19)
    const [tip] = await collect(log.readStream(stream, { backwards: true, limit: 1 }))
    if (tip === undefined) throw new Error('missing')
    const next = {
      ...updated(20),
      id: crypto.randomUUID(),
      metadata: { ...tip.metadata, version: tip.metadata.version + 1 },
    }
    await log.append([{ stream, expected: tip.revision, events: [next] }])
    const both = await Promise.all([history.asOf(identity, moment), history.asOf(identity, moment)])
    expect(both.map((state) => state?.members['step'])).toEqual([20, 20])
    expect((await history.versions(identity, { limit: 1 })).total).toBe(22)
  })

  test('nothing is known of what never was', async () => {
    const history = makeHistory(await openLog())
    const identity = { kind: 'apple', id: crypto.randomUUID() }
    expect(await history.asOf(identity, { version: 1 })).toBeUndefined()
    expect(await history.versions(identity, { limit: 10 })).toEqual({
      states: [],
      total: 0,
      hasNewer: false,
      hasOlder: false,
    })
  })
})

const countingReads = (log: Log) => {
  const read = { events: 0 }
  const readStream: Log['readStream'] = async function* (stream, options) {
    for await (const event of log.readStream(stream, options)) {
      read.events++
      yield event
    }
  }
  return { readStream, read }
}

test('reading one state of ten thousand reads few events', async () => {
  const log = await openLog()
  const { identity } = await writeStream(log, [created, ...Array.from({ length: 9_999 }, (_, step) => updated(step))])
  const { readStream, read } = countingReads(log)
  const history = makeHistory({ readStream })
  await history.versions(identity, { limit: 10 })
  read.events = 0
  for (let version = 1; version <= 10_000; version += 97) {
    expect((await history.asOf(identity, { version }))?.version).toBe(version)
  }
  expect(read.events / 104).toBeLessThan(60)
  read.events = 0
  await history.versions(identity, { limit: 10, after: 5000n })
  expect(read.events).toBeLessThan(70)
})

test('nothing is kept of a kind whose values may be erased', async () => {
  const log = await openLog()
  const { identity } = await writeStream(log, [created, ...Array.from({ length: 4 }, (_, step) => updated(step))])
  const { readStream, read } = countingReads(log)
  const history = makeHistory({ readStream }, { minEvents: 0, isCacheable: () => false })
  await history.asOf(identity, { version: 5 })
  await history.asOf(identity, { version: 5 })
  expect(read.events).toBe(10)
})

test('a page of versions holds no more than its room, and the walk goes through all of them both ways', async () => {
  const log = await openLog()
  const large = (step: number): CatalogEvent => ({
    type: 'Updated',
    data: { set: { step, large: [String(step).repeat(700_000)] }, unset: [] },
  })
  const { identity } = await writeStream(log, [created, ...Array.from({ length: 9 }, (_, step) => large(step))])
  const history = makeHistory(log)
  const seen: number[] = []
  let pages = 0
  for (let after: bigint | undefined; ; pages++) {
    const page = await history.versions(identity, { limit: 1000, after })
    expect(page.states.length).toBeLessThan(6)
    expect(page.hasNewer).toBe(seen.length > 0)
    seen.push(...page.states.map(({ version }) => version))
    if (!page.hasOlder) break
    after = page.states.at(-1)?.revision
  }
  expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => 10 - index))
  expect(pages).toBeGreaterThan(2)
  const back: number[] = []
  for (let before = 0n; ;) {
    const page = await history.versions(identity, { limit: 1000, before })
    expect(page.states.length).toBeLessThan(6)
    back.push(...page.states.map(({ version }) => version).reverse())
    if (!page.hasNewer) break
    before = page.states[0]?.revision ?? 0n
  }
  expect(back).toEqual(Array.from({ length: 9 }, (_, index) => index + 2))
})

test('what stays the same in a large entity is looked at once, however often the rest changes', async () => {
  let looks = 0
  const look = (): string => {
    looks++
    return 'x'
  }
  const column = Object.defineProperty({}, 'name', { enumerable: true, get: look })
  const id = '6f1c1f0a-e4c9-4c5c-8e0d-3c2b7a9d4e12'
  const stream = `apple-${id}`
  const metadata = { kind: 'apple', fullyQualifiedName: 'a', user: 'ann', time: '2026-01-01T00:00:00Z', hash: '' }
  const events = Array.from({ length: 600 }, (_, index) => ({
    ...(index === 0 ? { type: 'Created', data: { name: 'a', members: { columns: [column] } } } : updated(index)),
    id,
    stream,
    revision: BigInt(index),
    position: BigInt(index + 1),
    metadata: { ...metadata, correlationId: 'c', causationId: 'd', schemaVersion: 2, version: index + 1 },
  })) as unknown as RecordedEvent[]
  const readStream = async function* (_: string, { from = 0n, limit = Infinity }: ReadStreamOptions = {}) {
    for (const event of events.slice(Number(from), Number(from) + limit)) yield event
  }
  const history = makeHistory({ readStream })
  const state = await history.asOf({ kind: 'apple', id }, { version: 300 })
  expect(state?.members['step']).toBe(299)
  // By what remembers states, and by the page.
  expect(looks).toBeLessThanOrEqual(2)
})
