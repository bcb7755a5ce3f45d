import { expect, test } from 'vitest'
import { evolve, evolveAhead, type FoldableEvent } from '../../src/commands/evolve.ts'
import { stillHeld } from '../support/garbage.ts'
import { recorded, thingId } from '../support/decider.ts'

const created = (): FoldableEvent => recorded({ type: 'Created', data: { name: 'one', members: {} } }, 0n, 1)

const updated = (): FoldableEvent =>
  recorded({ type: 'Updated', data: { set: { description: 'short' }, unset: [] } }, 1n, 2)

test('an event that was folded does not hold the state that it changed, as the newest events stay in memory', async () => {
  const states: WeakRef<object>[] = []
  const events = Array.from({ length: 10 }, () => {
    const before = evolve(thingId, undefined, created())
    states.push(new WeakRef(before.members))
    const event = updated()
    evolveAhead(thingId, before, event)
    return event
  })
  expect(await stillHeld(states)).toBe(0)
  expect(events).toHaveLength(10)
})

test('what an event changes is worked out once, before it is appended and when it is projected', () => {
  const before = evolve(thingId, undefined, created())
  const event = updated()
  const after = evolveAhead(thingId, before, event)
  expect(evolve(thingId, before, event).change).toBe(after.change)
  const other = evolve(thingId, before, updated())
  expect(other.change).not.toBe(after.change)
  expect(other.change).toEqual(after.change)
})
