import { expect, test } from 'vitest'
import { makeStreamQueue } from '../../src/commands/unitOfWork/streamQueue.ts'
import type { Entity } from '../../src/commands/evolve.ts'

/** Notes what is committed, and on what. */
const openQueue = () => {
  const order: string[] = []
  const queued = makeStreamQueue()
  const ask = (stream: string, item: string, until: Promise<unknown> = Promise.resolve()) =>
    queued(stream, async (newest) => {
      order.push(`${item} on ${newest?.name ?? 'nothing'}`)
      await until
      return { item, newest: { name: item } as Entity }
    })
  return { order, ask }
}

test('commits to a stream come one after the other, each on what the one before led to', async () => {
  const { order, ask } = openQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = [ask('a', '1', promise), ask('a', '2'), ask('a', '3')]
  await ask('b', 'other')
  expect(order).toEqual(['1 on nothing', 'other on nothing'])
  resolve()
  expect((await Promise.all(asked)).map(({ item }) => item)).toEqual(['1', '2', '3'])
  await ask('a', '4')
  expect(order.slice(2)).toEqual(['2 on 1', '3 on 2', '4 on nothing'])
})

test('after a failure the next commit begins on nothing', async () => {
  const { order, ask } = openQueue()
  const { promise, reject } = Promise.withResolvers<void>()
  const [first, second, third] = [ask('a', '1', promise), ask('a', '2'), ask('a', '3')]
  reject(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await Promise.all([second, third])
  expect(order).toEqual(['1 on nothing', '2 on nothing', '3 on 2'])
})
