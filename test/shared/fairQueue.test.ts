import { expect, it } from 'vitest'
import { makeFairQueue } from '../../src/shared/turns.ts'

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

it('lets a caller of cheap turns go ahead of dear ones, until it has used as much more as it was let ahead', () => {
  const queue = makeFairQueue<number>('oldest', 10)
  const turns = { dear: 20, cheap: 400 }
  for (const [caller, count] of Object.entries(turns)) for (let at = 0; at < count; at += 1) queue.add(caller, at)
  const order = drained(queue, (caller) => (caller === 'dear' ? 10 : 1))
  const usedAt = (at: number) => {
    const dear = order.slice(0, at).filter((caller) => caller === 'dear').length
    return { dear: 10 * dear, cheap: at - dear }
  }
  expect(order.slice(1, 100)).toEqual(Array.from({ length: 99 }, () => 'cheap'))
  const whileBothWait = order.slice(0, order.lastIndexOf('dear')).map((_, at) => usedAt(at))
  expect(Math.max(...whileBothWait.map(({ dear, cheap }) => cheap - dear))).toBeLessThan(16 * 10)
})

it('lets a caller who asks for little go ahead also after one of his turns was disturbed', () => {
  const queue = makeFairQueue<number>('newest', 5)
  const crowd = Array.from({ length: 20 }, (_, at) => `reader${at}`)
  for (const name of crowd) for (let at = 0; at < 10; at += 1) queue.add(name, at)
  const turn = (cost: (caller: string) => number): string => {
    const { caller } = queue.next() as { caller: string }
    queue.charge(caller, cost(caller))
    return caller
  }
  const ask = (cost: number): string => {
    for (let at = 0; at < 3; at += 1) turn(() => 8)
    queue.add('victim', 0)
    return turn(() => cost)
  }
  for (const _ of crowd) turn(() => 8)
  expect([1, 1, 1, 9, 1, 1].map(ask)).toEqual(Array.from({ length: 6 }, () => 'victim'))
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
