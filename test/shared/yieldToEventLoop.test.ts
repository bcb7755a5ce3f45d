import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inSlices, yieldToEventLoop, requestTurn } from '../../src/shared/yieldToEventLoop.ts'
import { computed } from '../support/processorTime.ts'

/** Takes so many milliseconds of the processor. */
const spin = (milliseconds: number): void => {
  for (const end = computed() + milliseconds; computed() < end;);
}

it('a loop over items lets others in between two of them once a slice is used up, and leaves what it reads when it ends', async () => {
  let [turns, isLeft] = [0, false]
  const items = async function* () {
    try {
      for (let item = 0; ; item++) yield item
    } finally {
      isLeft = true
    }
  }
  const turnsBefore: number[] = []
  for await (const item of inSlices(items())) {
    turnsBefore.push(turns)
    setImmediate(() => turns++)
    if (item === 3) break
    if (item > 0) spin(11)
  }
  expect(turnsBefore.slice(0, 2)).toEqual([0, 0])
  expect(turnsBefore[3]).toBeGreaterThan(turnsBefore[1] as number)
  expect(isLeft).toBe(true)
})

it('requests that come together begin in their order, so many in each turn as a slice of time allows', async () => {
  const begun: number[] = []
  const ask = async (number: number): Promise<void> => {
    await requestTurn('somebody')
    spin(6)
    begun.push(number)
  }
  // Each comes in a callback of its own within one turn, as requests on different connections do.
  const all = Promise.all(
    Array.from(
      { length: 20 },
      (_, number) => new Promise<void>((resolve) => setImmediate(() => void ask(number).then(resolve))),
    ),
  )
  const inTurns: number[] = []
  for (let before = 0; before < 20;) {
    await nextTurn()
    inTurns.push(begun.length - before)
    before = begun.length
  }
  await all
  expect(begun).toEqual(Array.from({ length: 20 }, (_, number) => number))
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(2)
})

it('of several long works each turn goes to one, one after the other, and requests come before them', async () => {
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let part = 0; part < 3; part++) {
      await yieldToEventLoop()
      order.push(name)
    }
  }
  const request = async (): Promise<void> => {
    spin(11)
    await requestTurn('somebody')
    order.push('a request')
  }
  await Promise.all([work('one'), work('another'), request()])
  expect(order).toEqual(['a request', 'one', 'another', 'one', 'another', 'one', 'another'])
})

it('the caller for whom least was computed comes next, however many requests of another came before', async () => {
  const begun: string[] = []
  const ask = async (caller: string): Promise<void> => {
    await requestTurn(caller)
    spin(11)
    begun.push(caller)
  }
  await Promise.all(
    [...Array.from({ length: 10 }, () => 'greedy'), 'other'].map(
      (caller) => new Promise<void>((resolve) => setImmediate(() => void ask(caller).then(resolve))),
    ),
  )
  // The first two begin before anything was computed for anybody.
  expect(begun.indexOf('other')).toBeLessThan(4)
})
