import { expect, test } from 'vitest'
import { sharedRead } from '../../src/events/eventstoredb/store.ts'

/** A read that ends when it is told to. */
const controlled = () => {
  const reads: PromiseWithResolvers<number>[] = []
  const ask = sharedRead(() => {
    const read = Promise.withResolvers<number>()
    reads.push(read)
    return read.promise
  })
  return { reads, ask }
}

test('who asks while a read is under way waits for the next one, with all others that do', async () => {
  const { reads, ask } = controlled()
  const first = ask()
  const others = Array.from({ length: 1000 }, ask)
  expect(reads).toHaveLength(1)
  reads[0]?.resolve(1)
  expect(await first).toBe(1)
  await expect.poll(() => reads.length).toBe(2)
  reads[1]?.resolve(2)
  expect(new Set(await Promise.all(others))).toEqual(new Set([2]))
  const later = ask()
  expect(reads).toHaveLength(3)
  reads[2]?.resolve(3)
  expect(await later).toBe(3)
})

test('a read that fails fails for those that it was made for alone', async () => {
  const { reads, ask } = controlled()
  const [first, second] = [ask(), ask()]
  reads[0]?.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await expect.poll(() => reads.length).toBe(2)
  reads[1]?.resolve(2)
  expect(await second).toBe(2)
})
