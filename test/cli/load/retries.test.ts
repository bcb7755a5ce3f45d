import { expect, onTestFinished, test, vi } from 'vitest'
import { makeClient } from '../../../src/cli/client/apiClient.ts'
import { planLoad } from '../../../src/cli/load/plan.ts'
import { tableSteps } from '../../../src/cli/load/tables.ts'

/** Plans a load with a service whose first answers are refusals with a status, and counts what it is asked. */
const plan = async (status: number, refusals: number) => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    const isRefused = asked.mock.calls.length <= refusals
    return Response.json(isRefused ? { message: 'Try again later.' } : { data: [], paging: {} }, {
      status: isRefused ? status : 200,
    })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const table = { database: 'd', schema: 's', name: 't', columns: [], members: {} }
  const steps = tableSteps({ name: 'w', type: 'Postgres' }, [table], { standing: new Map() }).slice(1)
  const client = makeClient({ url: 'http://catalog.example', tokenOf: () => 'token', retries: [429, 503] })
  const planned = planLoad(client, { source: 'csv', steps, lineage: [], scopes: [] }, false)
  const [{ status: outcome }] = (await Promise.allSettled([planned])) as [PromiseSettledResult<unknown>]
  const times = asked.mock.calls.length
  vi.restoreAllMocks()
  return { outcome, times }
}

test('a plan is made where the service is not available for a moment, and not where it never is or refuses', async () => {
  expect(await plan(503, 3)).toMatchObject({ outcome: 'fulfilled' })
  expect(await plan(503, 100)).toEqual({ outcome: 'rejected', times: 5 })
  expect(await plan(429, 3)).toMatchObject({ outcome: 'fulfilled' })
  expect(await plan(403, 1)).toEqual({ outcome: 'rejected', times: 1 })
})

test('a call that is one too many waits as long as the service says, also one that writes', async () => {
  const refused = Response.json({ message: 'Too many.' }, { status: 429, headers: { 'retry-after': '1' } })
  const away = () => Promise.resolve(Response.json({ message: 'Away.' }, { status: 503 }))
  vi.spyOn(Math, 'random').mockReturnValue(0)
  vi.spyOn(globalThis, 'fetch')
    .mockResolvedValueOnce(refused)
    .mockResolvedValueOnce(Response.json({}))
    .mockImplementation(away)
  onTestFinished(() => void vi.restoreAllMocks())
  const client = makeClient({ url: 'http://catalog.example', tokenOf: () => 'token', retries: [429] })
  const asked = performance.now()
  await client.put('tables/bulk', [])
  expect(performance.now() - asked).toBeGreaterThan(900)
  await expect(client.put('tables/bulk', [])).rejects.toThrow('Away.')
})
