import { expect, test } from 'vitest'
import type { EventBatch } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { makeNotifier } from '../../src/events/logTail.ts'
import { batched } from '../../src/projections/batching.ts'

/** Longer than any test may take. */
const minute = 60_000

/** A log that gives pages, each of so many events, when the test says so. */
const setUp = (size: number, time = minute) => {
  const arrived = makeNotifier()
  const waiting = makeNotifier()
  const leaving = new AbortController()
  const pages: EventBatch[] = []
  let end = 0
  let isAwaited = false
  const log = async function* (): AsyncGenerator<EventBatch> {
    while (!leaving.signal.aborted)
      if (pages.length > 0) yield pages.shift() as EventBatch
      else await arrived.wait(leaving.signal)
  }
  const batches = batched(log(), {
    size,
    mayCollect: () => !isAwaited,
    whenDue: async (signal) => void (await waiting.wait(signal, time)),
  })
  return {
    leave: () => leaving.abort(),
    add: (events: number): void => {
      const all = Array.from({ length: events }, () => ({ position: BigInt(++end) }) as RecordedEvent)
      pages.push({ events: all, position: BigInt(end) })
      arrived.notify()
    },
    wait: (): void => {
      isAwaited = true
      waiting.notify()
    },
    next: async (): Promise<readonly bigint[] | undefined> =>
      ((await batches.next()).value as EventBatch | undefined)?.events.map(({ position }) => position),
  }
}

test('pages come together until they are enough', async () => {
  const { add, next } = setUp(3)
  for (const events of [1, 1, 1, 2]) add(events)
  expect(await next()).toEqual([1n, 2n, 3n])
})

test('a few events wait for others until their time is over', async () => {
  const { add, next } = setUp(100, 20)
  add(1)
  add(2)
  expect(await next()).toEqual([1n, 2n, 3n])
  add(1)
  expect(await next()).toEqual([4n])
})

test('a few events wait for others until somebody wants them', async () => {
  const { add, wait, next } = setUp(100)
  add(1)
  let came = false
  const first = next().finally(() => (came = true))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(came).toBe(false)
  wait()
  expect(await first).toEqual([1n])
  add(1)
  expect(await next()).toEqual([2n])
})

test('what has come is given when the log ends', async () => {
  const { add, leave, next } = setUp(100)
  add(1)
  const last = next()
  leave()
  expect(await last).toEqual([1n])
  expect(await next()).toBeUndefined()
})

test('nobody is waited for any more when the log fails', async () => {
  const failing = async function* (): AsyncGenerator<EventBatch> {
    yield { events: [], position: 1n }
    throw new Error('away')
  }
  const waits: AbortSignal[] = []
  const whenDue = (signal: AbortSignal): Promise<never> => {
    waits.push(signal)
    return new Promise(() => {})
  }
  const batches = batched(failing(), { size: 100, mayCollect: () => true, whenDue })
  await expect(batches.next()).rejects.toThrow('away')
  expect(waits.map(({ aborted }) => aborted)).toEqual([true])
})
