import { expect, test } from 'vitest'
import { makeKeyedMutex } from '../../src/commands/unitOfWork/keyedMutex.ts'

test('work of one key is done one after the other, also after a failure, and is told whether it waited, and for what', async () => {
  const queued = makeKeyedMutex()
  const order: string[] = []
  const work = (name: string, outcome: Promise<void>) => async (before: string | undefined, waited: boolean) => {
    order.push(`${name} begins, waited: ${waited}${before === undefined ? '' : `, after ${before}`}`)
    await outcome
    order.push(`${name} ends`)
    return name
  }
  const { promise, reject } = Promise.withResolvers<void>()
  const first = queued('a', work('first', promise))
  const second = queued('a', work('second', Promise.resolve()))
  const fourth = queued('a', work('fourth', Promise.resolve()))
  await queued('b', work('other', Promise.resolve()))
  reject(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await second
  await fourth
  await queued('a', work('third', Promise.resolve()))
  expect(order).toEqual([
    'first begins, waited: false',
    'other begins, waited: false',
    'other ends',
    'second begins, waited: true',
    'second ends',
    'fourth begins, waited: true, after second',
    'fourth ends',
    'third begins, waited: false',
    'third ends',
  ])
})
