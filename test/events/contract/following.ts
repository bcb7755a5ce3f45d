import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { EventBatch, EventStore } from '../../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { appendOf, appendOk, collect, collectUntil, freshStream } from '../../support/events.ts'
import { headOf, ids, increasing, revisions } from './support.ts'

/** Subscriptions: from catch-up to live. */
export const following = (current: () => EventStore): void => {
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
    const atLeast =
      (count: number) =>
      (events: readonly RecordedEvent[]): boolean =>
        events.length >= count

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
    })

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
      const found = (all: readonly RecordedEvent[]): boolean => all.some((event) => event.stream === stream)
      const events = await collectUntil(current(), after, () => true, found)
      expect(events.slice(0, log.length)).toEqual(log)
      expect(events.some(({ position }) => position === first.position)).toBe(true)
      expect(increasing(events)).toBe(true)
    })

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
    })

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
    })

    test('ends when its signal aborts while it waits', async () => {
      const controller = new AbortController()
      const after = await headOf(current())
      const subscription = current().subscribe({ after, signal: controller.signal })[Symbol.asyncIterator]()
      const stream = freshStream()
      let next = subscription.next()
      await appendOk(current(), appendOf(stream, 'no_stream'))
      for (let seen = false; !seen; next = subscription.next()) {
        const { value } = (await next) as IteratorYieldResult<EventBatch>
        seen = value.events.some((event) => event.stream === stream)
      }
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      controller.abort()
      while (!(await next).done) next = subscription.next()
    })

    test('ends at once when its signal has aborted before', async () => {
      expect(await collect(current().subscribe({ after: undefined, signal: AbortSignal.abort() }))).toEqual([])
    })
  })
}
