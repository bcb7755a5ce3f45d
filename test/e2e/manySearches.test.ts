import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPings } from '../attack/pings.ts'
import { limits } from '../../src/shared/limits.ts'
import { external } from '../support/external.ts'
import {
  adminToken,
  startBuilt,
  temporaryDataDir,
  tokenFor,
  type Answer,
  type RunningService,
} from '../support/service.ts'

const folder = temporaryDataDir()
let service: RunningService

const vocabulary = Array.from(
  { length: 3000 },
  (_, at) => `word${at.toString(36)}stem${((at * 7919) % 3000).toString(36)}`,
)

const table = (_: unknown, at: number) => ({
  name: `t${at}`,
  databaseSchema: 's.d.x',
  description: Array.from({ length: 60 }, (__, word) => vocabulary[(at * 31 + word * word * 17 + word) % 3000]).join(
    ' ',
  ),
  columns: [{ name: 'c', dataType: 'INT' }],
})

beforeAll(async () => {
  service = await startBuilt(folder.path)
  await service.call('PUT', '/v1/services/databaseServices', { name: 's', serviceType: 'Mysql' })
  await service.call('PUT', '/v1/databases', { name: 'd', service: 's' })
  await service.call('PUT', '/v1/databaseSchemas', { name: 'x', database: 's.d' })
  const { body } = await service.call('PUT', '/v1/tables/bulk', Array.from({ length: 3000 }, table))
  expect(body.status).toBe('success')
})
afterAll(async () => {
  await service?.stop()
  await folder.remove()
})

const q = Array.from({ length: 25 }, (_, at) => `(word${at.toString(36)}* AND word${(at + 9).toString(36)}*)`).join(
  ' OR ',
)
/** A search that nobody has asked for before: its answer is not kept. */
let asked = 0
const search = (): string =>
  `/v1/search/query?${new URLSearchParams({ q, sort_field: 'name', size: '10', from: String((asked += 1)) })}`

/** A server of read models may take longer than the service waits for it, as without an index: that is said then (503). */
const isAnswered = (status: number | undefined): boolean =>
  status === 200 || (status === 503 && external.mongodbUrl !== undefined)

const timed = async (): Promise<number> => {
  const begun = performance.now()
  expect((await service.call('GET', search())).status).toSatisfy(isAnswered)
  return performance.now() - begun
}

const middle = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] as number

it('four hundred searches of one caller delay what others ask for by less than a search takes', async () => {
  await timed()
  const alone: number[] = []
  for (let turn = 0; turn < 5; turn += 1) alone.push(await timed())
  const pings = ['/livez', '/api/v1/tables?limit=1'].map((each) =>
    startPings(service, adminToken, () => undefined, each),
  )
  for (const { all } of pings) await expect.poll(() => all.length).toBeGreaterThan(0)
  const eve = { token: tokenFor('eve', ['DataConsumer']) }
  const from = Date.now()
  const answers = await Promise.all(
    Array.from({ length: 400 }, async (): Promise<Answer & { readonly late: boolean }> => {
      const answer = await service.call('GET', search(), undefined, eve)
      return { ...answer, late: Date.now() - from >= limits.requestTime.value }
    }),
  )
  const until = Date.now()
  await Promise.all(pings.map(({ stop }) => stop()))

  const refused = answers.filter(({ status }) => status === 429)
  // On a slow machine the last of them cannot have their turn in the time that a request has.
  const answered = answers.filter(({ status, late }) => isAnswered(status) || (status === 503 && late))
  expect(answered.length).toBe(400 - refused.length)
  expect(answered.some(({ status }) => isAnswered(status))).toBe(true)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true)
  for (const { all } of pings) {
    const beside = all.filter(({ began }) => began >= from && began <= until)
    expect(beside.length).toBeGreaterThanOrEqual(10)
    expect(beside.filter(({ status }) => !isAnswered(status))).toEqual([])
    const waited = middle(
      beside.map(({ milliseconds }) => milliseconds),
      0.5,
    )
    expect(waited).toBeLessThan(middle(alone, 0.5))
  }
})
