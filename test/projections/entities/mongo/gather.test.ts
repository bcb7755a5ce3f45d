import { describe, expect, test } from 'vitest'
import { gathering } from '../../../../src/projections/mongo/gather.ts'

/** Answers each key with itself but for those that are missing, and notes what was asked at once. */
const store = (missing: readonly string[] = []) => {
  const reads: (readonly string[])[] = []
  const read = gathering(async (keys) => {
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
    const read = gathering(
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

  test('with patience all that is asked for while a read is under way is read together after it, or when it takes too long', async () => {
    const reads: { keys: readonly string[]; answer: () => void }[] = []
    const read = gathering(
      (keys) =>
        new Promise<Map<string, string>>((resolve) => {
          reads.push({ keys, answer: () => resolve(new Map(keys.map((key) => [key, key]))) })
        }),
      200,
    )
    const keys = (): (readonly string[])[] => reads.map((each) => each.keys)
    const first = read(['a'])
    await expect.poll(keys).toEqual([['a']])
    const second = read(['b'])
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    const third = read(['c'])
    expect(keys()).toEqual([['a']])
    reads[0]?.answer()
    await expect.poll(keys).toEqual([['a'], ['b', 'c']])
    const begun = performance.now()
    const fourth = read(['d'])
    await expect.poll(keys).toEqual([['a'], ['b', 'c'], ['d']])
    expect(performance.now() - begun).toBeGreaterThan(150)
    for (const { answer } of reads) answer()
    expect((await Promise.all([first, second, third, fourth])).map(({ size }) => size)).toEqual([1, 1, 1, 1])
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
    const read = gathering(async (keys) => {
      if (fails) throw new Error('away')
      return new Map(keys.map((key) => [key, key]))
    })
    const outcomes = await Promise.allSettled([read(['a']), read(['b'])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect((await read(['a'])).get('a')).toBe('a')
  })
})
