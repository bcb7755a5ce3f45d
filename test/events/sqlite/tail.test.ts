import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { makeTail } from '../../../src/events/sqlite/reads.ts'
import { stillHeld } from '../../support/garbage.ts'

const eventAt = (position: number): RecordedEvent => ({ position: BigInt(position) }) as RecordedEvent

test('a tail holds no event that it has no room for', async () => {
  const tail = makeTail(0, 1000, 10)
  const pushed: WeakRef<object>[] = []
  for (let position = 1; position <= 300; position++) {
    const event = eventAt(position)
    pushed.push(new WeakRef(event))
    tail.push([{ event, size: 4 }])
  }
  expect(tail.after(298, 10, 100)?.map(({ position }) => position)).toEqual([299n, 300n])
  expect(tail.after(297, 10, 100)).toBeUndefined()
  expect(await stillHeld(pushed)).toBe(2)
})
