import { afterAll, beforeAll, expect, test } from 'vitest'
import { besideCrowd, crowds, type Crowd } from '../attack/crowds.ts'
import { readable } from '../attack/inspect.ts'
import { memoryOf } from '../attack/memory.ts'
import { must } from '../console/shop.ts'
import { limits } from '../../src/shared/limits.ts'
import { startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { external } from '../support/external.ts'
import { atThisPace } from '../support/processorTime.ts'

/** Milliseconds of processor time that somebody who asks for little may wait for what others ask for. */
const longestWait = 250

/** Sends a crowd. @returns milliseconds of processor time that others waited, and what was held meanwhile */
const besideWaiting = async (path: string, who: string) => {
  const { pings, longestTurn, meanwhile } = await besideCrowd(service, path, crowds[who] as Crowd)
  expect(pings.filter(({ status }) => status !== 200)).toEqual([])
  // A ping waits for the rows of MongoDB while the service goes on with others: only turns count there.
  const waited = external.mongodbUrl === undefined ? Math.max(...pings.map(({ computed }) => computed)) : longestTurn
  return { waited, meanwhile }
}

/** Bytes that unread answers may hold on to, and answers that are being made; and what may stay of them. */
const heldMeanwhile = limits.unreadAnswers.value + 64 * 1024 * 1024
const keptAfterwards = 16 * 1024 * 1024

let service: RunningService
const folder = temporaryDataDir()

const start = async (): Promise<void> => {
  service = await startBuilt(folder.path, { ...readable })
}

beforeAll(async () => {
  await start()
  const put = (path: string, body: unknown) => must(service.call('PUT', path, body))
  await put('/v1/services/databaseServices', { name: 's', serviceType: 'Mysql' })
  const description = 'What stands here is told at some length. '.repeat(90)
  for (let from = 0; from < 1000; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        put('/v1/databases', { name: `d${from + at}`, service: 's', description, owners: ['admin'] }),
      ),
    )
})

afterAll(async () => {
  await service?.stop('SIGKILL')
  await folder.remove()
})

const lists = '/api/v1/databases?limit=1000&fields=*'
const asked = Object.keys(crowds).map((who): [string, string] => [who, lists])

/** A store may still work for the crowd before, and this service cannot end that. */
const untilQuick = (): Promise<void> =>
  expect
    .poll(
      async () => {
        const began = performance.now()
        await service.call('GET', '/v1/me')
        return performance.now() - began
      },
      { interval: 500 },
    )
    .toBeLessThan(100)

test.each([
  ...asked,
  ['300 sockets of one caller', '/api/v1/events?limit=1000'],
  ['20 callers with ten sockets each', '/api/v1/events?limit=1000&wait=1'],
])('beside %s that read nothing of %s, others are answered, and memory comes back', async (who, path) => {
  await untilQuick()
  const before = await memoryOf(service)
  const { waited, meanwhile } = await besideWaiting(path, who)
  expect(waited).toBeLessThan(atThisPace(longestWait))
  expect(meanwhile.held - before.held).toBeLessThan(heldMeanwhile)
  // Each look collects garbage: so often that the service does nothing else would be too often.
  await expect
    .poll(async () => (await memoryOf(service)).held - before.held, { interval: 3000 })
    .toBeLessThan(keptAfterwards)
})

test('in the first seconds after a start, beside a crowd that reads nothing, others are answered', async () => {
  await service.stop()
  await start()
  const { waited } = await besideWaiting(lists, '20 callers with ten sockets each')
  expect(waited).toBeLessThan(atThisPace(longestWait))
})
