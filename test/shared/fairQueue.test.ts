import { expect, it } from 'vitest'
import { makeFairQueue } from '../../src/shared/fairQueue.ts'

const drained = (queue: ReturnType<typeof makeFairQueue<number>>, cost: (caller: string) => number): string[] => {
  const order: string[] = []
  for (let first = queue.next(); first !== undefined; first = queue.next()) {
    order.push(first.caller)
    queue.charge(first.caller, cost(first.caller))
  }
  return order
}

it('goes round between callers whose turns cost the same', () => {
  const queue = makeFairQueue<number>()
  for (const at of [1, 2, 3]) queue.add('a', at)
  for (const at of [1, 2]) queue.add('b', at)
  expect(drained(queue, () => 1)).toEqual(['a', 'b', 'a', 'b', 'a'])
  expect(queue.size()).toBe(0)
})

it('lets a caller of cheap turns have as many as cost what one dear turn of another does', () => {
  const queue = makeFairQueue<number>()
  for (const at of [1, 2]) queue.add('dear', at)
  for (let at = 0; at < 6; at += 1) queue.add('cheap', at)
  expect(drained(queue, (caller) => (caller === 'dear' ? 10 : 2)).join(' ')).toBe(
    'dear cheap cheap cheap cheap cheap dear cheap',
  )
})

it('lets a caller who was never seen wait for one turn of each of a crowd at most, however cheap these are', () => {
  const queue = makeFairQueue<number>('newest')
  const crowd = Array.from({ length: 20 }, (_, at) => `reader${at}`)
  for (const name of crowd.with(10, 'victim'))
    for (let at = 0; at < (name === 'victim' ? 1 : 10); at += 1) queue.add(name, at)
  expect(drained(queue, () => 0.25).indexOf('victim')).toBeLessThan(crowd.length)
})

it('puts a newcomer where the others stand: it waits for no turn twice, and has not saved up turns either', () => {
  const queue = makeFairQueue<number>()
  for (let at = 0; at < 5; at += 1) queue.add('old', at)
  for (const _ of [1, 2, 3]) queue.charge(queue.next()?.caller ?? '', 1)
  for (let at = 0; at < 3; at += 1) queue.add('new', at)
  expect(drained(queue, () => 1)).toEqual(['new', 'old', 'new', 'old', 'new'])
})

it('of callers that have used the same takes the oldest, or the newest', () => {
  const [oldest, newest] = [makeFairQueue<number>(), makeFairQueue<number>('newest')]
  for (const caller of ['a', 'b', 'c']) {
    oldest.add(caller, 1)
    newest.add(caller, 1)
  }
  expect(drained(oldest, () => 1)).toEqual(['a', 'b', 'c'])
  expect(drained(newest, () => 1)).toEqual(['c', 'b', 'a'])
})

it('takes out what need not wait any more, once', () => {
  const queue = makeFairQueue<number>()
  queue.add('a', 1)
  expect([queue.remove('a', 1), queue.remove('a', 1), queue.remove('b', 1), queue.size(), queue.sizeOf('a')]).toEqual([
    true,
    false,
    false,
    0,
    0,
  ])
})
