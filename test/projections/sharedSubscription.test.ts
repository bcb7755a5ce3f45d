import { expect, test } from 'vitest'
import type { EventBatch, SubscribeOptions } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { makeNotifier } from '../../src/events/logTail.ts'
import { shareSubscription } from '../../src/projections/projectors.ts'

/** A log of dense positions whose pages have up to ten events. */
const setUp = () => {
  const arrived = makeNotifier()
  let end = 0n
  let open = 0
  let opened = 0
  let failure: Error | undefined
  const log = {
    subscribe: async function* ({ after, signal }: SubscribeOptions): AsyncGenerator<EventBatch> {
      open++
      opened++
      try {
        for (let at = after ?? 0n; !signal.aborted;) {
          if (failure !== undefined) throw failure
          const last = at + 10n < end ? at + 10n : end
          if (last === at) {
            await arrived.wait(signal)
            continue
          }
          const first = at + 1n
          const events = Array.from({ length: Number(last - at) }, (_, index) => first + BigInt(index))
          at = last
          yield { events: events.map((position) => ({ position, data: {} }) as RecordedEvent), position: last }
        }
      } finally {
        open--
      }
    },
  }
  const shared = shareSubscription(log)
  const subscribe = (after?: bigint) => {
    const leaving = new AbortController()
    const pages = shared.subscribe({ after, signal: leaving.signal })[Symbol.asyncIterator]()
    const upTo = async (position: bigint): Promise<bigint[]> => {
      const seen: bigint[] = []
      while (seen.at(-1) !== position) {
        const { value } = (await pages.next()) as { value: EventBatch }
        seen.push(...value.events.map((event) => event.position))
      }
      return seen
    }
    return { upTo, leave: () => leaving.abort(), next: () => pages.next() }
  }
  return {
    subscribe,
    write: (events: bigint): void => {
      end += events
      arrived.notify()
    },
    fail: (error: Error | undefined): void => {
      failure = error
      arrived.notify()
    },
    counts: () => ({ open, opened }),
  }
}

const between = (first: number, last: number): bigint[] =>
  Array.from({ length: last - first + 1 }, (_, index) => BigInt(first + index))

test('two that follow from the same place read the log once, and both see everything', async () => {
  const { subscribe, write, counts } = setUp()
  const [one, other] = [subscribe(), subscribe()]
  write(25n)
  expect(await Promise.all([one.upTo(25n), other.upTo(25n)])).toEqual([between(1, 25), between(1, 25)])
  write(1n)
  expect(await Promise.all([one.upTo(26n), other.upTo(26n)])).toEqual([[26n], [26n]])
  expect(counts()).toEqual({ open: 1, opened: 1 })
})

test('one that begins further on waits for nobody, and one that is behind misses nothing and joins', async () => {
  const { subscribe, write, counts } = setUp()
  write(95n)
  const behind = subscribe()
  expect((await behind.upTo(10n)).length).toBe(10)
  const ahead = subscribe(93n)
  expect(await ahead.upTo(95n)).toEqual([94n, 95n])
  expect(await behind.upTo(95n)).toEqual(between(11, 95))
  write(1n)
  expect(await Promise.all([ahead.upTo(96n), behind.upTo(96n)])).toEqual([[96n], [96n]])
  expect(counts().open).toBe(1)
})

test('one that is slow holds up nobody: what is held for it is bounded, and it misses nothing', async () => {
  const { subscribe, write } = setUp()
  const [slow, quick] = [subscribe(), subscribe()]
  write(10n)
  expect(await Promise.all([slow.upTo(10n), quick.upTo(10n)])).toEqual([between(1, 10), between(1, 10)])
  write(20_000n)
  expect((await quick.upTo(20_010n)).length).toBe(20_000)
  expect(await slow.upTo(20_010n)).toEqual(between(11, 20_010))
})

test('all are told of a failure of the log, and begin again', async () => {
  const { subscribe, write, fail, counts } = setUp()
  const [one, other] = [subscribe(), subscribe()]
  const failing = Promise.allSettled([one.next(), other.next()])
  fail(new Error('away'))
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fail(undefined)
  write(3n)
  expect(await subscribe().upTo(3n)).toEqual([1n, 2n, 3n])
  expect(counts().open).toBe(1)
})

test('the log is left when the last one leaves', async () => {
  const { subscribe, write, counts } = setUp()
  const [one, other] = [subscribe(), subscribe()]
  write(1n)
  await Promise.all([one.upTo(1n), other.upTo(1n)])
  one.leave()
  expect((await one.next()).done).toBe(true)
  expect(counts().open).toBe(1)
  other.leave()
  expect((await other.next()).done).toBe(true)
  await expect.poll(() => counts().open).toBe(0)
})
