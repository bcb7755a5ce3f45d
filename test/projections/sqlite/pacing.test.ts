import { expect, test } from 'vitest'
import type { EventBatch } from '../../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { makeHurried, paced } from '../../../src/projections/sqlite/beside/pacing.ts'

/** Longer than any test may take. */
const minute = 60_000

const eventAt = (position: bigint) => ({ position }) as RecordedEvent

/** A log whose pages end at these positions, and whose end is wherever the test says. */
const setUp = (positions: readonly bigint[]) => {
  const end = { head: positions[0] }
  const hurried = makeHurried()
  const log = {
    head: async () => end.head,
    subscribe: async function* (): AsyncGenerator<EventBatch> {
      for (const [index, position] of positions.entries()) {
        const first = (positions[index - 1] ?? position - 1n) + 1n
        const events = Array.from({ length: Number(position - first) + 1 }, (_, at) => eventAt(first + BigInt(at)))
        yield { events, position }
      }
    },
  }
  const leaving = new AbortController()
  const batches = paced(log, hurried, minute)
    .subscribe({ after: undefined, signal: leaving.signal })
    [Symbol.asyncIterator]()
  const next = async (): Promise<bigint | undefined> =>
    ((await batches.next()).value as EventBatch | undefined)?.position
  return { end, hurried, leaving, next }
}

test('pages that are there already come together in one batch', async () => {
  const { end, next } = setUp([1n, 2n, 3n])
  end.head = 3n
  expect(await next()).toBe(3n)
})

test('whoever waits does not wait for what came after', async () => {
  const { end, hurried, next } = setUp([1n, 1000n, 2000n])
  expect(await next()).toBe(1n)
  end.head = 2000n
  hurried.to(300n)
  expect(await next()).toBe(300n)
  expect(await next()).toBe(1000n)
  expect(await next()).toBe(2000n)
})

test('a few new events wait for others until somebody wants them', async () => {
  const { end, hurried, next } = setUp([1n, 2n])
  expect(await next()).toBe(1n)
  end.head = 2n
  let came = false
  const second = next().finally(() => (came = true))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(came).toBe(false)
  hurried.to(2n)
  expect(await second).toBe(2n)
})

test('many new events wait for nobody', async () => {
  const { end, next } = setUp([1n, 1001n])
  expect(await next()).toBe(1n)
  const second = next()
  end.head = 1001n
  expect(await second).toBe(1001n)
})

test('whoever leaves waits no longer', async () => {
  const { leaving, next } = setUp([1n])
  expect(await next()).toBe(1n)
  const end = next()
  leaving.abort()
  expect(await end).toBe(undefined)
})
