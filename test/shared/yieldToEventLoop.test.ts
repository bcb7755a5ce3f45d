import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { makeServer } from '../../src/api/http/server.ts'
import { inSlices, yieldToEventLoop, makeYielder, requestTurn } from '../../src/shared/yieldToEventLoop.ts'
import { computed } from '../support/processorTime.ts'

/** Takes so many milliseconds of the processor. */
const spin = (milliseconds: number): void => {
  for (const end = computed() + milliseconds; computed() < end;);
}

const many = 60

/** A server, and many who come to it at once. */
const crowd = async (handle: () => Promise<void>) => {
  const server = makeServer((_, response) => void handle().then(() => response.end()))
  const seen = { accepted: 0 }
  server.on('connection', () => seen.accepted++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: many }, () => connect(port, '127.0.0.1'))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  return { seen, answers: Promise.all(sockets.map((socket) => once(socket, 'data'))) }
}

it('work that is done in slices lets many connections in between two of them, and goes on while they come', async () => {
  const { seen } = await crowd(async () => {})
  const yieldWhenDue = makeYielder()
  let slices = 0
  for (; seen.accepted < many; slices++) {
    spin(11)
    await yieldWhenDue()
  }
  expect(seen.accepted).toBe(many)
  expect(slices).toBeGreaterThan(0)
  expect(slices).toBeLessThan(many / 2)
})

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

it('no request is begun as long as connections come, so that each waits for short turns alone', async () => {
  const acceptedWhenBegun: number[] = []
  const { seen, answers } = await crowd(async () => {
    await requestTurn('somebody')
    acceptedWhenBegun.push(seen.accepted)
    spin(11)
  })
  await answers
  expect(acceptedWhenBegun).toHaveLength(many)
  expect(acceptedWhenBegun[Math.floor(many / 4)]).toBe(many)
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
