import { describe, expect, test } from 'vitest'
import { batchReads } from '../../../../src/shared/batchReads.ts'
import { longEnough } from '../../../support/patience.ts'

/** Answers each key with itself but for those that are missing, and notes what was asked at once. */
const store = (missing: readonly string[] = []) => {
  const reads: (readonly string[])[] = []
  const read = batchReads(async (keys) => {
    reads.push(keys)
    return new Map(keys.filter((key) => !missing.includes(key)).map((key) => [key, `value of ${key}`]))
  })
  return { reads, read }
}

describe('gathering', () => {
  test('what is asked for in one turn is read at once, each key once, and everybody gets what he asked for', async () => {
    const { reads, read } = store(['c'])
    const [first, second, none] = await Promise.all([read(['a', 'b']), read(['b', 'c']), read([])])
    expect(reads).toEqual([['a', 'b', 'c']])
    expect([...first]).toEqual([
      ['a', 'value of a'],
      ['b', 'value of b'],
    ])
    expect([...second]).toEqual([['b', 'value of b']])
    expect(none.size).toBe(0)
  })

  test('what is asked for while a read is under way is read anew', async () => {
    const reads: { keys: readonly string[]; answer: () => void }[] = []
    const read = batchReads(
      (keys) =>
        new Promise<Map<string, string>>((resolve) => {
          reads.push({ keys, answer: () => resolve(new Map(keys.map((key) => [key, `read ${reads.length}`]))) })
        }),
    )
    const first = read(['a'])
    await expect.poll(() => reads.length).toBe(1)
    const second = read(['a'])
    await expect.poll(() => reads.length).toBe(2)
    for (const { answer } of reads) answer()
    expect(reads.map(({ keys }) => keys)).toEqual([['a'], ['a']])
    expect([(await first).size, (await second).size]).toEqual([1, 1])
  })

  describe('with patience', () => {
    const setUp = (patience: number) => {
      const reads: { keys: readonly string[]; answer: () => void }[] = []
      const read = batchReads(
        (keys) =>
          new Promise<Map<string, string>>((resolve) => {
            reads.push({ keys, answer: () => resolve(new Map(keys.map((key) => [key, key]))) })
          }),
        patience,
      )
      return { reads, read, keys: (): (readonly string[])[] => reads.map((each) => each.keys) }
    }

    test('all that is asked for while a read is under way is read together after it', async () => {
      const { reads, read, keys } = setUp(longEnough)
      const first = read(['a'])
      await expect.poll(keys).toEqual([['a']])
      const second = read(['b'])
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      const third = read(['c'])
      expect(keys()).toEqual([['a']])
      reads[0]?.answer()
      await expect.poll(keys).toEqual([['a'], ['b', 'c']])
      reads[1]?.answer()
      expect((await Promise.all([first, second, third])).map(({ size }) => size)).toEqual([1, 1, 1])
    })

    test('what is asked for while a read takes too long waits for it no longer', async () => {
      const { reads, read, keys } = setUp(200)
      const first = read(['a'])
      await expect.poll(keys).toEqual([['a']])
      const begun = performance.now()
      const second = read(['b'])
      await expect.poll(keys).toEqual([['a'], ['b']])
      expect(performance.now() - begun).toBeGreaterThan(150)
      for (const { answer } of reads) answer()
      expect((await Promise.all([first, second])).map(({ size }) => size)).toEqual([1, 1])
    })
  })

  test('who asks for very much asks alone', async () => {
    const { reads, read } = store()
    const many = Array.from({ length: 1000 }, (_, index) => `k${index}`)
    const [found] = await Promise.all([read(many), read(['a'])])
    expect(found.size).toBe(1000)
    expect(reads.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([1, 1000])
  })

  test('a read that fails fails for those who asked, and for nobody else', async () => {
    let fails = true
    const read = batchReads(async (keys) => {
      if (fails) throw new Error('away')
      return new Map(keys.map((key) => [key, key]))
    })
    const outcomes = await Promise.allSettled([read(['a']), read(['b'])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect((await read(['a'])).get('a')).toBe('a')
  })
})
