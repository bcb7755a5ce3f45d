import { describe, expect, test } from 'vitest'
import type { AppendCondition } from '../../../src/events/appendCondition.ts'
import type { Dependency, NewEvent } from '../../../src/events/events.ts'
import type { Append, EventStore } from '../../../src/events/eventStore.ts'
import {
  appendOf,
  appendOk,
  collect,
  created,
  exampleData,
  freshStream,
  newEvent,
  updated,
} from '../../support/events.ts'

const conditioned = (stream: string, after: bigint | undefined, dependency: Dependency): Append => {
  const condition: AppendCondition = { after, dependencies: [dependency] }
  return { ...appendOf(stream, 'no_stream'), condition }
}

/** What an append depends on, and what breaks it and does not. */
const cases: Readonly<Record<string, (stream: string) => { on: Dependency; breaks: Append; leaves: Append }>> = {
  'that something is live': (stream) => ({
    on: { streams: [freshStream(), stream], status: 'live' },
    breaks: {
      stream,
      expected: 0n,
      events: [newEvent({ type: 'SoftDeleted', data: { deletion: crypto.randomUUID() } }, { stream, revision: 1n })],
    },
    leaves: appendOf(stream, 0n),
  }),
  'on a member': (stream) => ({
    on: { stream, members: ['parents'] },
    breaks: { stream, expected: 0n, events: [updated({ parents: [] }, { stream, revision: 1n })] },
    leaves: { stream, expected: 0n, events: [updated({ description: 'd' }, { stream, revision: 1n })] },
  }),
  'that nothing of a kind is below a name': (stream) => {
    const [inside, outside] = [freshStream(), freshStream()]
    const appearing = (at: string, name: string): Append => ({
      stream: at,
      expected: 'no_stream',
      events: [created({}, { stream: at, name })],
    })
    return {
      on: { kind: 'thing', below: `in ${stream}` },
      breaks: appearing(inside, `in ${stream}.x`),
      leaves: appearing(outside, `in ${stream}x`),
    }
  },
  'that nobody has worked below a name': (stream) => {
    const happening = (event: NewEvent): Append => ({ stream, expected: 0n, events: [event] })
    const inside = { stream, revision: 1n, name: `in ${stream}.x` }
    return {
      on: { kinds: ['thing'], below: `in ${stream}` },
      breaks: happening(updated({ description: 'd' }, inside)),
      leaves: happening(newEvent({ type: 'Voted', data: exampleData.Voted }, inside)),
    }
  },
  'that a name is free': (stream) => {
    const other = freshStream()
    const named = (name: string): Append => ({
      stream: other,
      expected: 'no_stream',
      events: [created({}, { stream: other, name })],
    })
    return {
      on: { streams: [other], name: `of ${stream}` },
      breaks: named(`of ${stream}`),
      leaves: named('another'),
    }
  },
}

/** Appends that depend on what happened in other streams. */
export const conditions = (current: () => EventStore): void => {
  describe.each(Object.entries(cases))('an append that depends on it %s', (_, make) => {
    const open = async () => {
      const store = current()
      const stream = freshStream()
      const { position } = await appendOk(store, appendOf(stream, 'no_stream'))
      return { store, position, ...make(stream) }
    }

    test('is refused whole where it can be, when that was broken after the position, and names the event', async () => {
      const { store, position, on, breaks } = await open()
      const { position: broken } = await appendOk(store, breaks)
      const stream = freshStream()
      const [outcome] = await store.append([conditioned(stream, position, on)])
      if (!store.conditional) {
        expect(outcome).toMatchObject({ ok: true })
        return
      }
      expect(outcome).toEqual({ ok: false, brokenAt: broken })
      expect(await collect(store.readStream(stream))).toEqual([])
    })

    test('is taken when what happened does not break it', async () => {
      const { store, position, on, leaves } = await open()
      await appendOk(store, leaves)
      await appendOk(store, conditioned(freshStream(), position, on))
    })

    test('is taken when that was broken before the position', async () => {
      const { store, on, breaks } = await open()
      const { position } = await appendOk(store, breaks)
      await appendOk(store, conditioned(freshStream(), position, on))
    })

    test('sees what was appended in the same call and in the same turn, before it', async () => {
      const { store, position, on, breaks } = await open()
      if (!store.conditional) return
      const [refused, before, late] = [freshStream(), freshStream(), freshStream()].map((stream) =>
        conditioned(stream, position, on),
      ) as [Append, Append, Append]
      const [outcomes, [turn]] = await Promise.all([store.append([before, breaks, refused]), store.append([late])])
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false])
      const { position: broken } = outcomes[1] as { position: bigint }
      expect([outcomes[2], turn]).toEqual([
        { ok: false, brokenAt: broken },
        { ok: false, brokenAt: broken },
      ])
    })

    test('that was taken is answered as before when it is repeated', async () => {
      const { store, position, on, breaks } = await open()
      const append = conditioned(freshStream(), position, on)
      const first = await appendOk(store, append)
      await appendOk(store, breaks)
      expect(await appendOk(store, append)).toEqual(first)
    })
  })
}
