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
  const client = makeClient({ url: 'http://catalog.example', tokenOf: () => 'token', retries: true })
  const planned = planLoad(client, { source: 'csv', steps, lineage: [], scopes: [] }, false)
  const [{ status: outcome }] = (await Promise.allSettled([planned])) as [PromiseSettledResult<unknown>]
  const times = asked.mock.calls.length
  vi.restoreAllMocks()
  return { outcome, times }
}

test('a plan is made where the service is not available for a moment, and not where it never is or refuses', async () => {
  expect(await plan(503, 3)).toMatchObject({ outcome: 'fulfilled' })
  expect(await plan(503, 100)).toEqual({ outcome: 'rejected', times: 5 })
  expect(await plan(403, 1)).toEqual({ outcome: 'rejected', times: 1 })
})
