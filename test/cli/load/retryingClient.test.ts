import { expect, onTestFinished, test, vi } from 'vitest'
import { CallError, type ApiClient } from '../../../src/cli/client/apiClient.ts'
import { planLoad } from '../../../src/cli/load/plan.ts'
import { retryingClient } from '../../../src/cli/load/retryingClient.ts'
import { tableSteps } from '../../../src/cli/load/tables.ts'

/** Plans a load with a service whose first answers are refusals with a status. */
const plan = async (status: number, refusals: number) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let left = refusals
  const get = async () => {
    if (left-- > 0) throw new CallError('Try again later.', status)
    return { data: [], paging: {} }
  }
  const table = { database: 'd', schema: 's', name: 't', columns: [], members: {} }
  const steps = tableSteps({ name: 'w', type: 'Postgres' }, [table], { standing: new Map() }).slice(1)
  const client = retryingClient({ get } as object as ApiClient)
  const planned = planLoad(client, { source: 'csv', steps, lineage: [], scopes: [] }, false)
  const [outcome] = await Promise.allSettled([planned, vi.runAllTimersAsync()])
  return outcome.status
}

test('a plan is made where the service is not available for a moment, and not where it never is or refuses', async () => {
  expect(await plan(503, 3)).toBe('fulfilled')
  expect(await plan(503, 100)).toBe('rejected')
  expect(await plan(403, 1)).toBe('rejected')
})
