import { describe, expect, test } from 'vitest'
import type { Append, EventStore, AppendCondition } from '../../../src/events/eventStore.ts'
import type { EventType, RecordedEvent } from '../../../src/events/events.ts'
import { appendOf, appendOk, collect, freshStream } from '../../support/events.ts'

const conditionsOn = {
  'on a stream': (stream: string) => ({ streams: [freshStream(), stream] }),
  'on any event': (stream: string) => ({ isBrokenBy: (event: RecordedEvent) => event.stream === stream }),
}

const conditioned = (stream: string, condition: AppendCondition): Append => ({
  ...appendOf(stream, 'no_stream'),
  conditions: [condition],
})

/** Appends that depend on what happened in other streams. */
export const conditions = (current: () => EventStore): void => {
  describe.each(Object.entries(conditionsOn))('an append with a condition %s', (_, on) => {
    const conditionOn = (stream: string, after: bigint | undefined, ...types: EventType[]): AppendCondition => ({
      after,
      types: new Set(types),
      ...on(stream),
    })

    test('is refused whole where it can be, when such an event stands after the position, and names it', async () => {
      const store = current()
      const [watched, stream] = [freshStream(), freshStream()]
      const first = await appendOk(store, appendOf(watched, 'no_stream'))
      const second = await appendOk(store, appendOf(watched, 0n))
      const [outcome] = await store.append([conditioned(stream, conditionOn(watched, first.position, 'Updated'))])
      if (!store.conditional) {
        expect(outcome).toMatchObject({ ok: true })
        return
      }
      expect(outcome).toEqual({ ok: false, brokenAt: second.position })
      expect(await collect(store.readStream(stream))).toEqual([])
    })

    test('is taken when nothing such isBrokenBy: before the position, of another type, in another stream', async () => {
      const store = current()
      const watched = freshStream()
      const first = await appendOk(store, appendOf(watched, 'no_stream'))
      const { position } = await appendOk(store, appendOf(watched, 0n))
      await appendOk(store, conditioned(freshStream(), conditionOn(watched, position, 'Created', 'Updated')))
      await appendOk(store, conditioned(freshStream(), conditionOn(watched, first.position, 'HardDeleted')))
      await appendOk(store, conditioned(freshStream(), conditionOn(freshStream(), undefined, 'Created')))
    })

    test('sees what was appended in the same call and in the same turn, before it', async () => {
      const store = current()
      if (!store.conditional) return
      const [watched, other] = [freshStream(), freshStream()]
      const { position } = await appendOk(store, appendOf(watched, 'no_stream'))
      const refused = conditioned(freshStream(), conditionOn(watched, position, 'Updated'))
      const before = conditioned(freshStream(), conditionOn(watched, position, 'Updated'))
      const late = conditioned(freshStream(), conditionOn(other, position, 'Created'))
      const [outcomes, [turn]] = await Promise.all([
        store.append([before, appendOf(watched, 0n), appendOf(other, 'no_stream'), refused]),
        store.append([late]),
      ])
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, false])
      expect(outcomes[3]).toEqual({ ok: false, brokenAt: (outcomes[1] as { position: bigint }).position })
      expect(turn).toEqual({ ok: false, brokenAt: (outcomes[2] as { position: bigint }).position })
    })

    test('that was taken is answered as before when it is repeated', async () => {
      const store = current()
      const watched = freshStream()
      const { position } = await appendOk(store, appendOf(watched, 'no_stream'))
      const append = conditioned(freshStream(), conditionOn(watched, position, 'Updated'))
      const first = await appendOk(store, append)
      await appendOk(store, appendOf(watched, 0n))
      expect(await appendOk(store, append)).toEqual(first)
    })
  })
}
