import { expect, test } from 'vitest'
import type { StreamOutcome } from '../../src/commands/ports.ts'
import { makeStreamQueue } from '../../src/commands/unitOfWork/streamQueue.ts'
import type { Entity } from '../../src/commands/evolve.ts'

const entityOf = (items: readonly string[]) => ({ name: items.join(' and ') }) as Entity

/** Notes what is committed together and on what; the outcomes are the items. */
const openQueue = (most?: number) => {
  const order: string[] = []
  const queued = makeStreamQueue(most)
  const ask = (stream: string, item: string, until: Promise<unknown> = Promise.resolve()): Promise<unknown> =>
    queued(stream, item, async (items, newest): Promise<StreamOutcome<{ error: string }>> => {
      order.push(`${items.join(' and ')} on ${newest?.name ?? 'nothing'}`)
      await until
      return { outcomes: items.map((error) => ({ error })), newest: entityOf(items) }
    })
  return { order, ask }
}

test('what comes while something is committed to a stream is committed together after it, on what that led to', async () => {
  const { order, ask } = openQueue(2)
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = [ask('a', '1', promise), ask('a', '2'), ask('a', '3'), ask('a', '4')]
  await ask('b', 'other')
  resolve()
  expect(await Promise.all(asked)).toEqual(['1', '2', '3', '4'].map((error) => ({ error })))
  await ask('a', '5')
  expect(order).toEqual(['1 on nothing', 'other on nothing', '2 and 3 on 1', '4 on 2 and 3', '5 on nothing'])
})

test('a failure is that of those who were committed together, and the next ones begin on nothing', async () => {
  const { order, ask } = openQueue()
  const { promise, reject } = Promise.withResolvers<void>()
  const [first, second, third] = [ask('a', '1', promise), ask('a', '2'), ask('a', '3')]
  reject(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await Promise.all([second, third])
  expect(order).toEqual(['1 on nothing', '2 on nothing', '3 on 2'])
})
