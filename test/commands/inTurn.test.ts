import { expect, test } from 'vitest'
import { makeInTurn } from '../../src/commands/inTurn.ts'

test('work of one key is done one after the other, also after a failure, and is told whether it waited', async () => {
  const inTurn = makeInTurn()
  const order: string[] = []
  const work = (name: string, outcome: Promise<void>) => async (waited: boolean) => {
    order.push(`${name} begins, waited: ${waited}`)
    await outcome
    order.push(`${name} ends`)
  }
  const { promise, reject } = Promise.withResolvers<void>()
  const first = inTurn('a', work('first', promise))
  const second = inTurn('a', work('second', Promise.resolve()))
  await inTurn('b', work('other', Promise.resolve()))
  reject(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await second
  await inTurn('a', work('third', Promise.resolve()))
  expect(order).toEqual([
    'first begins, waited: false',
    'other begins, waited: false',
    'other ends',
    'second begins, waited: true',
    'second ends',
    'third begins, waited: false',
    'third ends',
  ])
})
