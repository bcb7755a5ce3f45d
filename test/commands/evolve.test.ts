import { expect, test } from 'vitest'
import { evolve, evolveAhead, type FoldableEvent } from '../../src/commands/evolve.ts'
import type { CatalogEvent } from '../../src/events/events.ts'
import { stillHeld } from '../support/garbage.ts'
import { thingId } from '../support/decider.ts'

const eventOf = (event: CatalogEvent, revision: bigint): FoldableEvent => ({
  ...event,
  revision,
  position: revision,
  metadata: {
    kind: 'thing',
    fullyQualifiedName: 'one',
    version: Number(revision) + 1,
    user: 'ann',
    time: '2024-01-02T03:04:05.000Z',
    correlationId: 'c',
    causationId: 'd',
    schemaVersion: 1,
    hash: `h${revision}`,
  },
})

const update = (revision: bigint): FoldableEvent =>
  eventOf({ type: 'Updated', data: { set: { description: 'short' }, unset: [] } }, revision)

test('an event that was folded does not hold the state that it changed, as the newest events stay in memory', async () => {
  const states: WeakRef<object>[] = []
  const events = Array.from({ length: 10 }, () => {
    const before = evolve(thingId, undefined, eventOf({ type: 'Created', data: { name: 'one', members: {} } }, 0n))
    states.push(new WeakRef(before.members))
    const event = update(1n)
    evolveAhead(thingId, before, event)
    return event
  })
  expect(await stillHeld(states)).toBe(0)
  expect(events).toHaveLength(10)
})

test('what an event changes is worked out once, before it is appended and when it is projected', () => {
  const before = evolve(thingId, undefined, eventOf({ type: 'Created', data: { name: 'one', members: {} } }, 0n))
  const event = update(1n)
  const after = evolveAhead(thingId, before, event)
  expect(evolve(thingId, before, event).change).toBe(after.change)
  const other = evolve(thingId, before, update(1n))
  expect(other.change).not.toBe(after.change)
  expect(other.change).toEqual(after.change)
})
