import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batchReads } from '../../src/shared/batchReads.ts'
import { longEnough } from '../support/patience.ts'

/** A store that answers each key but `missing` with itself, read by read when it is told to. */
const setUp = (batchDelay?: number) => {
  const reads: { keys: readonly string[]; answer: () => void; fail: (reason: Error) => void }[] = []
  const read = batchReads((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
    const found = keys.filter((key) => key !== 'missing').map((key) => [key, key] as const)
    reads.push({ keys, answer: () => resolve(new Map(found)), fail: reject })
    return promise
  }, batchDelay)
  const ask = async (...keys: string[]): Promise<string[]> => [...(await read(keys)).entries()].flat()
  return { reads, ask, asked: () => reads.map(({ keys }) => keys) }
}

test('what is asked for in one turn is read at once, each key once, and everybody gets what he asked for', async () => {
  const { reads, ask, asked } = setUp()
  const all = Promise.all([ask('a', 'b'), ask('b', 'missing'), ask()])
  await expect.poll(asked).toEqual([['a', 'b', 'missing']])
  reads[0]?.answer()
  expect(await all).toEqual([['a', 'a', 'b', 'b'], ['b', 'b'], []])
})

test('what is asked for while a read is under way is read anew', async () => {
  const { reads, ask, asked } = setUp()
  const first = ask('a')
  await expect.poll(asked).toEqual([['a']])
  const second = ask('a')
  await expect.poll(asked).toEqual([['a'], ['a']])
  for (const { answer } of reads) answer()
  expect(await Promise.all([first, second])).toEqual([
    ['a', 'a'],
    ['a', 'a'],
  ])
})

test('with patience all that is asked for while a read is under way is read together after it', async () => {
  const { reads, ask, asked } = setUp(longEnough)
  const first = ask('a')
  await expect.poll(asked).toEqual([['a']])
  const second = ask('b')
  await nextTurn()
  await nextTurn()
  const third = ask('c')
  expect(asked()).toEqual([['a']])
  reads[0]?.answer()
  await expect.poll(asked).toEqual([['a'], ['b', 'c']])
  reads[1]?.answer()
  expect((await Promise.all([first, second, third])).flat()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
})

test('with patience what is asked for while a read takes too long waits for it no longer', async () => {
  const { reads, ask, asked } = setUp(200)
  const first = ask('a')
  await expect.poll(asked).toEqual([['a']])
  const begun = performance.now()
  const second = ask('b')
  await expect.poll(asked).toEqual([['a'], ['b']])
  expect(performance.now() - begun).toBeGreaterThan(150)
  for (const { answer } of reads) answer()
  expect((await Promise.all([first, second])).flat()).toEqual(['a', 'a', 'b', 'b'])
})

test('who asks for very much asks alone', async () => {
  const { reads, ask, asked } = setUp()
  const many = Array.from({ length: 1000 }, (_, index) => `k${index}`)
  const both = Promise.all([ask(...many), ask('a')])
  await expect.poll(asked).toEqual([many, ['a']])
  for (const { answer } of reads) answer()
  expect((await both).map(({ length }) => length)).toEqual([2000, 2])
})

test('a read that fails fails for those who asked, and for nobody else', async () => {
  const { reads, ask, asked } = setUp()
  const both = Promise.allSettled([ask('a'), ask('b')])
  await expect.poll(asked).toHaveLength(1)
  reads[0]?.fail(new Error('away'))
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const later = ask('a')
  await expect.poll(asked).toHaveLength(2)
  reads[1]?.answer()
  expect(await later).toEqual(['a', 'a'])
})
