import { beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from '../../../src/events/eventStore.ts'
import { appendOf, appendOk, collect, created, freshStream } from '../../support/events.ts'
import { headOf, increasing, revisions } from './support.ts'

/** Reading streams and the whole log. */
export const reading = (current: () => EventStore): void => {
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
    test('with a limit of 0 gives nothing', async () => expect(await read({ limit: 0 })).toEqual([]))
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

    test('is not needed for its newest revision, where the store knows that', async () => {
      const { revisionOf } = current()
      const growing = freshStream()
      expect(await revisionOf(growing)).toBeUndefined()
      await appendOk(current(), appendOf(growing, 'no_stream', 1))
      expect(await revisionOf(growing)).toBe(0n)
      await appendOk(current(), appendOf(growing, 0n, 2))
      expect(await revisionOf(growing)).toBe(2n)
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
      expect(own.map(({ stream, revision }) => [stream, revision])).toEqual([
        [right, 0n],
        [right, 1n],
        [left, 1n],
      ])
    })

    test('reading from the beginning is the same as with no position', async () => {
      const first = await collect(current().readAll({ limit: 3 }))
      expect(first).toHaveLength(3)
      expect(await collect(current().readAll({ after: undefined, limit: 3 }))).toEqual(first)
      expect(await collect(current().readAll({ after: first[0]?.position, limit: 2 }))).toEqual(first.slice(1))
    })

    test('gives single events by their positions, and none where none stands', async () => {
      const stream = freshStream()
      const { position } = await appendOk(current(), appendOf(stream, 'no_stream', 3))
      const events = await collect(current().readStream(stream))
      for (const event of events) expect(await current().eventAt(event.position)).toEqual(event)
      for (const nowhere of [0n, position + 1n, position + 10_000_000n, 2n ** 62n])
        expect(await current().eventAt(nowhere)).toBeUndefined()
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

    test('begins with the first event, which is the same for every reader and ever after', async () => {
      await appendOk(current(), appendOf(freshStream(), 'no_stream'))
      const [begun] = await collect(current().readAll({ limit: 1 }))
      expect(await current().first()).toEqual(begun)
      await appendOk(current(), appendOf(freshStream(), 'no_stream'))
      expect(await current().first()).toEqual(begun)
    })

    test('ends at the head', async () => {
      const stream = freshStream()
      const { position } = await appendOk(current(), appendOf(stream, 'no_stream', 2))
      const head = await headOf(current())
      expect(head).toBeGreaterThanOrEqual(position)
      const beyond = await collect(current().readAll({ after: head, limit: 1 }))
      expect(beyond.filter((event) => event.stream === stream)).toEqual([])
    })

    test('lets others work in between', async () => {
      const before = await headOf(current())
      await current().append(Array.from({ length: 200 }, () => appendOf(freshStream(), 'no_stream', 50)))
      let turns = 0
      const count = (): NodeJS.Immediate => {
        turns++
        return (next = setImmediate(count))
      }
      let next = setImmediate(count)
      await collect(current().readAll({ after: before }))
      clearImmediate(next)
      expect(turns).toBeGreaterThan(0)
    })
  })

  test('ping answers', async () => {
    await expect(current().ping()).resolves.toBeUndefined()
  })
}
