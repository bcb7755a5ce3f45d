import { expect, test } from 'vitest'
import type { EventBatch } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { openLogTail } from '../../src/events/logTail.ts'

const mebibyte = 1024 * 1024

/** The positions that the tail of a log still holds after it has read events of these lengths. */
const heldAfter = async (lengths: readonly number[]): Promise<bigint[]> => {
  const log = {
    subscribe: async function* (): AsyncGenerator<EventBatch> {
      for (const [at, length] of lengths.entries()) {
        const position = BigInt(at + 1)
        const data = { set: { description: 'x'.repeat(length) } }
        yield { events: [{ position, data } as unknown as RecordedEvent], position }
      }
    },
  }
  const tail = openLogTail(log, undefined)
  const { signal } = new AbortController()
  while (await tail.pull(signal));
  return tail.between(undefined, BigInt(lengths.length)).map(({ position }) => position)
}

test('the tail of a log holds at most 8 MiB of its newest events, and the newest page in any case', async () => {
  expect(await heldAfter(Array.from({ length: 10 }, () => mebibyte))).toEqual([4n, 5n, 6n, 7n, 8n, 9n, 10n])
  expect(await heldAfter([1, 1, 1])).toEqual([1n, 2n, 3n])
  expect(await heldAfter([1, 9 * mebibyte])).toEqual([2n])
  expect(await heldAfter([9 * mebibyte, 1])).toEqual([2n])
})
