import { describe, expect, test } from 'vitest'
import type { Append, AppendOutcome, EventStore } from '../../../src/events/eventStore.ts'
import { appendOf, appendOk, collect, freshStream, updated } from '../../support/events.ts'
import { ids } from './support.ts'

/** How many of the calls won. */
const winners = (outcomes: readonly AppendOutcome[][]): number => outcomes.filter(([outcome]) => outcome?.ok).length

/** What a repeated append answers. */
export const repeating = (current: () => EventStore): void => {
  describe('a repeated append', () => {
    /** Appends, lets `between` happen, appends the same again. */
    const twice = async (append: Append, between: () => Promise<unknown> = async () => {}): Promise<void> => {
      const first = await appendOk(current(), append)
      await between()
      const before = await collect(current().readStream(append.stream))
      expect(await appendOk(current(), append)).toEqual(first)
      expect(ids(await collect(current().readStream(append.stream)))).toEqual(ids(before))
    }

    test('a repeated append of a creation answers as the first did and writes nothing', () =>
      twice(appendOf(freshStream(), 'no_stream')))

    test('a repeated append of several events answers as the first did and writes nothing', () =>
      twice(appendOf(freshStream(), 'no_stream', 5)))

    test('a repeated append under a revision that is stale by now answers as the first did', async () => {
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

    test('a repeated append with another id is a conflict', async () => {
      const stream = freshStream()
      await appendOk(current(), appendOf(stream, 'no_stream'))
      expect(await current().append([appendOf(stream, 'no_stream')])).toEqual([{ ok: false, actual: 0n }])
    })

    test('a repeated append with further events is a conflict', async () => {
      const append = appendOf(freshStream(), 'no_stream')
      await appendOk(current(), append)
      const more = { ...append, events: [...append.events, updated({}, { stream: append.stream, revision: 1n })] }
      expect(await current().append([more])).toEqual([{ ok: false, actual: 0n }])
      expect(await collect(current().readStream(append.stream))).toHaveLength(1)
    })
  })
}
