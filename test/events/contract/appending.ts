import { describe, expect, test } from 'vitest'
import type { Append, AppendOutcome, EventStore } from '../../../src/events/eventStore.ts'
import { appendOf, appendOk, collect, freshStream } from '../../support/events.ts'
import { ids, increasing, revisions } from './support.ts'

/** How many of the calls won. */
const winners = (outcomes: readonly AppendOutcome[][]): number => outcomes.filter(([outcome]) => outcome?.ok).length

/** What an append does and refuses. */
export const appending = (current: () => EventStore): void => {
  describe('append', () => {
    test('begins a stream at revision 0 and goes on from there', async () => {
      const stream = freshStream()
      const first = await appendOk(current(), appendOf(stream, 'no_stream'))
      const second = await appendOk(current(), appendOf(stream, 0n, 3))
      expect(first.revision).toBe(0n)
      expect(second.revision).toBe(3n)
      expect(second.position).toBeGreaterThan(first.position)
    })

    test.each([1, 5])(
      'an append of %i events answers with the position of the last, each having its own',
      async (count) => {
        const stream = freshStream()
        const outcome = await appendOk(current(), appendOf(stream, 'no_stream', count))
        const events = await collect(current().readStream(stream))
        expect(events.at(-1)?.position).toBe(outcome.position)
        expect(increasing(events)).toBe(true)
      },
    )

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
    })
  })
}
