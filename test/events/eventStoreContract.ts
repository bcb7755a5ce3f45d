import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreUnavailable, type Append, type AppendOutcome, type EventStore } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { appendOf, appendOk, collect, collectUntil, created, freshStream, updated } from '../support/events.ts'

/** A running store for one suite. */
export interface StoreUnderTest {
  readonly store: EventStore
  /** The same log, opened anew; `store` is closed by it. Left out where a store cannot be reopened. */
  reopen?(): Promise<EventStore>
  dispose(): Promise<void>
}

const revisions = (events: readonly RecordedEvent[]): bigint[] => events.map(({ revision }) => revision)
const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id)
const increasing = (events: readonly RecordedEvent[]): boolean =>
  events.every(({ position }, index) => index === 0 || position > (events[index - 1] as RecordedEvent).position)

/** Position of the newest event; the log must have one. */
const headOf = async (store: EventStore): Promise<bigint> => {
  const head = await store.head()
  if (head === undefined) throw new Error('the log is empty')
  return head
}

const winners = (outcomes: readonly AppendOutcome[][]): number => outcomes.filter(([outcome]) => outcome?.ok).length

/**
 * What every adapter of the {@link EventStore} port must do. Each test uses streams of its own and looks at nothing else, so
 * the log may hold, and get, other events.
 */
export const eventStoreContract = (name: string, makeStore: () => Promise<StoreUnderTest>): void => {
  describe(`${name}: the event store contract`, () => {
    let underTest: StoreUnderTest
    let store: EventStore

    beforeAll(async () => {
      underTest = await makeStore()
      store = underTest.store
    }, 60_000)
    afterAll(() => underTest.dispose())

    appending(() => store)
    repeating(() => store)
    reading(() => store)
    following(() => store)
    closing(makeStore)
  })
}

const appending = (current: () => EventStore): void => {
  describe('append', () => {
    test('begins a stream at revision 0 and goes on from there', async () => {
      const stream = freshStream()
      const first = await appendOk(current(), appendOf(stream, 'no_stream'))
      const second = await appendOk(current(), appendOf(stream, 0n, 3))
      expect(first.revision).toBe(0n)
      expect(second.revision).toBe(3n)
      expect(second.position).toBeGreaterThan(first.position)
    })

    test('answers with the position of the last event', async () => {
      const stream = freshStream()
      const outcome = await appendOk(current(), appendOf(stream, 'no_stream'))
      const [event] = await collect(current().readStream(stream))
      expect(event?.position).toBe(outcome.position)
    })

    test('refuses no_stream when there is one, and names its revision', async () => {
      const stream = freshStream()
      await appendOk(current(), appendOf(stream, 'no_stream', 2))
      expect(await current().append([appendOf(stream, 'no_stream')])).toEqual([{ ok: false, actual: 1n }])
      expect(revisions(await collect(current().readStream(stream)))).toEqual([0n, 1n])
    })

    test('refuses a revision that is too old or too new', async () => {
      const stream = freshStream()
      await appendOk(current(), appendOf(stream, 'no_stream', 3))
      expect(await current().append([appendOf(stream, 0n)])).toEqual([{ ok: false, actual: 2n }])
      expect(await current().append([appendOf(stream, 7n)])).toEqual([{ ok: false, actual: 2n }])
      expect(revisions(await collect(current().readStream(stream)))).toEqual([0n, 1n, 2n])
    })

    test('refuses a revision, 0 too, of a stream that does not exist', async () => {
      const stream = freshStream()
      expect(await current().append([appendOf(stream, 0n)])).toEqual([{ ok: false, actual: 'no_stream' }])
      expect(await current().append([appendOf(stream, 4n)])).toEqual([{ ok: false, actual: 'no_stream' }])
      expect(await collect(current().readStream(stream))).toEqual([])
    })

    test('writes all events of an append or none', async () => {
      const stream = freshStream()
      const [left, right] = await Promise.all([
        current().append([appendOf(stream, 'no_stream', 20)]),
        current().append([appendOf(stream, 'no_stream', 30)]),
      ])
      const won = [left, right].flat().filter((outcome) => outcome.ok)
      expect(won).toHaveLength(1)
      expect((await collect(current().readStream(stream))).length).toBe(Number(won[0]?.revision) + 1)
    })

    test.each([3, 16, 64])('lets exactly one of %i parallel creations win', async (writers) => {
      const stream = freshStream()
      const appends = Array.from({ length: writers }, () => appendOf(stream, 'no_stream'))
      const outcomes = await Promise.all(appends.map((append) => current().append([append])))
      expect(winners(outcomes)).toBe(1)
      const winner = appends[outcomes.findIndex(([outcome]) => outcome?.ok)]
      expect(ids(await collect(current().readStream(stream)))).toEqual(ids(winner?.events ?? []))
    })

    test('takes several streams at once, each on its own terms, and answers in their order', async () => {
      const [fresh, taken, other] = [freshStream(), freshStream(), freshStream()]
      await appendOk(current(), appendOf(taken, 'no_stream'))
      const outcomes = await current().append([
        appendOf(fresh, 'no_stream', 2),
        appendOf(taken, 'no_stream'),
        appendOf(other, 'no_stream'),
      ])
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
      expect(outcomes[0]).toMatchObject({ revision: 1n })
      expect(outcomes[1]).toEqual({ ok: false, actual: 0n })
      const counts = [fresh, taken, other].map(async (stream) => (await collect(current().readStream(stream))).length)
      expect(await Promise.all(counts)).toEqual([2, 1, 1])
    })

    test('takes nothing and answers nothing', async () => {
      expect(await current().append([])).toEqual([])
    })

    test('takes 5,000 new streams in one call', async () => {
      const appends = Array.from({ length: 5000 }, () => appendOf(freshStream(), 'no_stream'))
      const outcomes = await current().append(appends)
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(5000)
      const last = appends.at(-1) as Append
      expect(ids(await collect(current().readStream(last.stream)))).toEqual(ids(last.events))
    }, 60_000)
  })
}

const repeating = (current: () => EventStore): void => {
  describe('a repeated append', () => {
    /** Appends, lets `between` happen, appends the same again. */
    const twice = async (append: Append, between: () => Promise<unknown> = async () => {}): Promise<void> => {
      const first = await appendOk(current(), append)
      await between()
      const before = await collect(current().readStream(append.stream))
      expect(await appendOk(current(), append)).toEqual(first)
      expect(ids(await collect(current().readStream(append.stream)))).toEqual(ids(before))
    }

    test('of a creation answers as the first did and writes nothing', () => twice(appendOf(freshStream(), 'no_stream')))

    test('of several events answers as the first did and writes nothing', () =>
      twice(appendOf(freshStream(), 'no_stream', 5)))

    test('under a revision that is stale by now answers as the first did', async () => {
      const stream = freshStream()
      await appendOk(current(), appendOf(stream, 'no_stream', 2))
      await twice(appendOf(stream, 1n, 2))
    })

    test('is recognised after more events', async () => {
      const stream = freshStream()
      const goOn = async (): Promise<void> => {
        for (let revision = 0n; revision < 300n; revision += 100n) {
          await appendOk(current(), appendOf(stream, revision, 100))
        }
      }
      await twice(appendOf(stream, 'no_stream'), goOn)
    })

    test('is recognised when both are under way at the same time', async () => {
      const append = appendOf(freshStream(), 'no_stream')
      const [first, second] = await Promise.all([current().append([append]), current().append([append])])
      expect(second).toEqual(first)
      expect(winners([first])).toBe(1)
      expect(await collect(current().readStream(append.stream))).toHaveLength(1)
    })

    test('with another id is a conflict', async () => {
      const stream = freshStream()
      await appendOk(current(), appendOf(stream, 'no_stream'))
      expect(await current().append([appendOf(stream, 'no_stream')])).toEqual([{ ok: false, actual: 0n }])
    })

    test('with further events is a conflict', async () => {
      const append = appendOf(freshStream(), 'no_stream')
      await appendOk(current(), append)
      const more = { ...append, events: [...append.events, updated({}, { stream: append.stream, revision: 1n })] }
      expect(await current().append([more])).toEqual([{ ok: false, actual: 0n }])
      expect(await collect(current().readStream(append.stream))).toHaveLength(1)
    })
  })
}

const reading = (current: () => EventStore): void => {
  describe('reading a stream', () => {
    const stream = freshStream()
    const read = async (options?: Parameters<EventStore['readStream']>[1]): Promise<number[]> =>
      revisions(await collect(current().readStream(stream, options))).map(Number)

    beforeAll(() => appendOk(current(), appendOf(stream, 'no_stream', 10)))

    test('gives it from the first event on', async () => expect(await read()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    test('backwards gives it from the last event on', async () =>
      expect(await read({ backwards: true })).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]))
    test('begins with the given revision', async () => expect(await read({ from: 7n })).toEqual([7, 8, 9]))
    test('begins with revision 0 when that is given', async () =>
      expect(await read({ from: 0n, limit: 1 })).toEqual([0]))
    test('backwards from a revision', async () => expect(await read({ from: 2n, backwards: true })).toEqual([2, 1, 0]))
    test('backwards from revision 0 gives that one alone', async () =>
      expect(await read({ from: 0n, backwards: true })).toEqual([0]))
    test('stops at the limit', async () => expect(await read({ from: 3n, limit: 2 })).toEqual([3, 4]))
    test('backwards stops at the limit', async () => expect(await read({ backwards: true, limit: 1 })).toEqual([9]))
    test('beyond its end gives nothing', async () => expect(await read({ from: 10n })).toEqual([]))
    test('can be left early', async () => {
      for await (const event of current().readStream(stream)) {
        expect(event.revision).toBe(0n)
        break
      }
      expect(await read({ limit: 1 })).toEqual([0])
    })

    test('gives nothing of a stream that does not exist', async () => {
      expect(await collect(current().readStream(freshStream()))).toEqual([])
      expect(await collect(current().readStream(freshStream(), { backwards: true, limit: 1 }))).toEqual([])
    })

    test('gives a long one whole, both ways', async () => {
      const long = freshStream()
      await appendOk(current(), appendOf(long, 'no_stream', 2500))
      const all = Array.from({ length: 2500 }, (_, index) => BigInt(index))
      expect(revisions(await collect(current().readStream(long)))).toEqual(all)
      expect(revisions(await collect(current().readStream(long, { backwards: true })))).toEqual(all.toReversed())
    })

    test('gives data and metadata back as they were', async () => {
      const other = freshStream()
      const members = {
        unicode: 'Größe Ωμέγα 東京 \u0000 \u2028 "quoted" \\',
        emoji: '👩‍👩‍👧‍👦 🇪🇺',
        big: 'ü'.repeat(200_000),
        nested: { a: [{ b: [[], {}, null, false, 0, -1.5e-7, 12345678901234] }] },
        '': 'empty key',
        '10': 'ten',
        '9': 'nine',
      }
      const event = created(members, { stream: other, name: 'a."b.c"' })
      await appendOk(current(), { stream: other, expected: 'no_stream', events: [event] })
      const [read] = await collect(current().readStream(other))
      expect(read).toEqual({ ...event, stream: other, revision: 0n, position: read?.position })
      expect(typeof read?.position).toBe('bigint')
    })
  })

  describe('reading the log', () => {
    test('goes on after a position, in the order of positions', async () => {
      const [left, right] = [freshStream(), freshStream()]
      const start = await appendOk(current(), appendOf(left, 'no_stream'))
      await appendOk(current(), appendOf(right, 'no_stream', 2))
      await appendOk(current(), appendOf(left, 0n))
      const events = await collect(current().readAll({ after: start.position }))
      expect(increasing(events)).toBe(true)
      const own = events.filter(({ stream }) => stream === left || stream === right)
      expect(own.map(({ stream, revision }) => [stream, revision])).toEqual([[right, 0n], [right, 1n], [left, 1n]])
    })

    test('from the beginning is the same with no position', async () => {
      const first = await collect(current().readAll({ limit: 3 }))
      expect(first).toHaveLength(3)
      expect(await collect(current().readAll({ after: undefined, limit: 3 }))).toEqual(first)
      expect(await collect(current().readAll({ after: first[0]?.position, limit: 2 }))).toEqual(first.slice(1))
    })

    test('goes over many pages', async () => {
      const before = await headOf(current())
      const streams = Array.from({ length: 300 }, () => freshStream())
      await current().append(streams.map((stream) => appendOf(stream, 'no_stream', 10)))
      const own = new Set(streams)
      const events = (await collect(current().readAll({ after: before }))).filter(({ stream }) => own.has(stream))
      expect(events).toHaveLength(3000)
      expect(increasing(events)).toBe(true)
    })

    test('ends at the head', async () => {
      const { position } = await appendOk(current(), appendOf(freshStream(), 'no_stream'))
      const head = await headOf(current())
      expect(head).toBeGreaterThanOrEqual(position)
      expect(await collect(current().readAll({ after: head, limit: 1 }))).toEqual([])
    })

    test('lets others work in between', async () => {
      const before = await headOf(current())
      await current().append(Array.from({ length: 200 }, () => appendOf(freshStream(), 'no_stream', 10)))
      let turns = 0
      const timer = setInterval(() => turns++, 0)
      await collect(current().readAll({ after: before }))
      clearInterval(timer)
      expect(turns).toBeGreaterThan(0)
    })
  })

  test('ping answers', async () => {
    await expect(current().ping()).resolves.toBeUndefined()
  })
}

const following = (current: () => EventStore): void => {
  describe('subscribe', () => {
    /** Sixteen writers, each with streams of its own; gives the ids of all their events. */
    const writeInParallel = async (streams: readonly string[], events: number): Promise<string[]> => {
      const written = streams.map(async (stream) => {
        const own: string[] = []
        for (let revision = -1n; revision < BigInt(events - 1); revision++) {
          const append = appendOf(stream, revision < 0n ? 'no_stream' : revision)
          await appendOk(current(), append)
          own.push(...ids(append.events))
        }
        return own
      })
      return (await Promise.all(written)).flat()
    }
    const freshStreams = (count: number): string[] => Array.from({ length: count }, () => freshStream())
    const within = (streams: readonly string[]) => {
      const own = new Set(streams)
      return ({ stream }: RecordedEvent): boolean => own.has(stream)
    }
    const atLeast = (count: number) => (events: readonly RecordedEvent[]): boolean => events.length >= count

    test('gives what was there and what comes, once and in order, while sixteen write', async () => {
      const before = await headOf(current())
      const streams = freshStreams(16)
      await current().append(freshStreams(40).map((stream) => appendOf(stream, 'no_stream', 50)))
      const writing = writeInParallel(streams, 40)
      const middle = freshStream()
      await appendOk(current(), appendOf(middle, 'no_stream'))
      const late = collectUntil(current(), before, within(streams), atLeast(16 * 40))
      const written = await writing
      const events = await late
      expect(ids(events).toSorted()).toEqual(written.toSorted())
      expect(increasing(events)).toBe(true)
      for (const stream of streams) {
        expect(revisions(events.filter((event) => event.stream === stream)).map(Number)).toEqual([...Array(40).keys()])
      }
    }, 60_000)

    test('begins right after the given position', async () => {
      const stream = freshStream()
      const middle = await appendOk(current(), appendOf(stream, 'no_stream'))
      await appendOk(current(), appendOf(stream, 0n, 2))
      const events = await collectUntil(current(), middle.position, within([stream]), atLeast(2))
      expect(revisions(events)).toEqual([1n, 2n])
    })

    test.each([undefined, 0n])('begins with the whole log at %s', async (after) => {
      const stream = freshStream()
      const first = await appendOk(current(), appendOf(freshStream(), 'no_stream'))
      await appendOk(current(), appendOf(stream, 'no_stream'))
      const log = await collect(current().readAll({ after, limit: 100 }))
      const events = await collectUntil(current(), after, () => true, (all) => all.some((event) => event.stream === stream))
      expect(events.slice(0, log.length)).toEqual(log)
      expect(events.some(({ position }) => position === first.position)).toBe(true)
      expect(increasing(events)).toBe(true)
    }, 60_000)

    test('gives live events the same as a read does', async () => {
      const stream = freshStream()
      const following = collectUntil(current(), await headOf(current()), within([stream]), atLeast(2))
      await appendOk(current(), appendOf(stream, 'no_stream', 1, { text: 'ü👍', deep: { list: [1, { a: null }] } }))
      await appendOk(current(), appendOf(stream, 0n))
      expect(await following).toEqual(await collect(current().readStream(stream)))
    })

    test('waits for a slow subscriber and skips nothing', async () => {
      const streams = freshStreams(16)
      const before = await headOf(current())
      const pause = async (): Promise<void> => {
        await appendOk(current(), appendOf(freshStream(), 'no_stream'))
        await appendOk(current(), appendOf(freshStream(), 'no_stream'))
      }
      const slow = collectUntil(current(), before, within(streams), atLeast(16 * 20), pause)
      const written = await writeInParallel(streams, 20)
      const events = await slow
      expect(ids(events).toSorted()).toEqual(written.toSorted())
      expect(increasing(events)).toBe(true)
    }, 60_000)

    test('serves two subscribers alike', async () => {
      const streams = freshStreams(4)
      const before = await headOf(current())
      const both = [1, 2].map(() => collectUntil(current(), before, within(streams), atLeast(4 * 10)))
      await writeInParallel(streams, 10)
      const [one, other] = await Promise.all(both)
      expect(ids(one ?? [])).toEqual(ids(other ?? []))
      expect(one).toHaveLength(40)
    })

    test('keeps to the batch size and reports how far it has come', async () => {
      const stream = freshStream()
      const before = await headOf(current())
      await appendOk(current(), appendOf(stream, 'no_stream', 25))
      const controller = new AbortController()
      const seen: RecordedEvent[] = []
      let position = before
      for await (const batch of current().subscribe({ after: before, signal: controller.signal, batchSize: 10 })) {
        expect(batch.events.length).toBeLessThanOrEqual(10)
        expect(batch.events.every((event) => event.position > position && event.position <= batch.position)).toBe(true)
        position = batch.position
        seen.push(...batch.events.filter(within([stream])))
        if (seen.length >= 25) controller.abort()
      }
      expect(seen).toHaveLength(25)
    })

    test('resumes from any reported position without a gap or a double', async () => {
      const streams = freshStreams(8)
      let position: bigint | undefined = await headOf(current())
      const writing = writeInParallel(streams, 20)
      const seen: RecordedEvent[] = []
      while (seen.length < 160) {
        const controller = new AbortController()
        for await (const batch of current().subscribe({ after: position, signal: controller.signal, batchSize: 7 })) {
          seen.push(...batch.events.filter(within(streams)))
          position = batch.position
          controller.abort()
        }
      }
      expect(ids(seen).toSorted()).toEqual((await writing).toSorted())
      expect(increasing(seen)).toBe(true)
    }, 60_000)

    test('ends when its signal aborts while it waits', async () => {
      const controller = new AbortController()
      const after = await headOf(current())
      const subscription = current().subscribe({ after, signal: controller.signal })
      const ended = collect(subscription)
      const stream = freshStream()
      await appendOk(current(), appendOf(stream, 'no_stream'))
      controller.abort()
      expect((await ended).flatMap(({ events }) => events).length).toBeLessThanOrEqual(1)
    })

    test('ends at once when its signal has aborted before', async () => {
      expect(await collect(current().subscribe({ after: undefined, signal: AbortSignal.abort() }))).toEqual([])
    })
  })
}

const closing = (makeStore: () => Promise<StoreUnderTest>): void => {
  describe('closing', () => {
    test('finishes what was appended, then refuses everything', async () => {
      const { store, dispose } = await makeStore()
      const stream = freshStream()
      const appended = store.append([appendOf(stream, 'no_stream')])
      const following = collect(store.subscribe({ after: undefined, signal: new AbortController().signal }))
      const settled = Promise.allSettled([following])
      await store.close()
      expect((await appended)[0]?.ok).toBe(true)
      await settled
      await expect(store.append([appendOf(stream, 0n)])).rejects.toThrow(StoreUnavailable)
      await expect(collect(store.readStream(stream))).rejects.toThrow(StoreUnavailable)
      await expect(collect(store.readAll())).rejects.toThrow(StoreUnavailable)
      await expect(store.head()).rejects.toThrow(StoreUnavailable)
      await expect(store.ping()).rejects.toThrow(StoreUnavailable)
      await expect(store.close()).resolves.toBeUndefined()
      await dispose()
    }, 60_000)

    test('keeps everything for the next one who opens', async ({ skip }) => {
      const { store, reopen, dispose } = await makeStore()
      if (!reopen) return skip('this store is not reopened')
      const append = appendOf(freshStream(), 'no_stream', 3)
      const later = appendOf(append.stream, 2n)
      const outcome = await appendOk(store, append)
      await appendOk(store, later)
      const before = await collect(store.readStream(append.stream))
      const reopened = await reopen()
      expect(await collect(reopened.readStream(append.stream))).toEqual(before)
      expect(await appendOk(reopened, append)).toEqual(outcome)
      const next = await appendOk(reopened, appendOf(append.stream, 3n))
      expect(next.position).toBeGreaterThan(before.at(-1)?.position as bigint)
      await dispose()
    }, 60_000)
  })
}
