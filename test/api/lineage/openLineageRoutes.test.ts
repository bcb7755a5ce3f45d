import { expect, test } from 'vitest'
import { outdated } from '../../../src/api/lineage/openLineageRoutes.ts'
import { runsIn, withReport } from '../../../src/commands/runs.ts'
import type { Members } from '../../../src/events/events.ts'
import { datasetAsset } from '../../../src/kinds/datasets.ts'

const time = '2026-01-01T00:00:00.000Z'
const [from, to] = ['from', 'to'].map((name) => ({ namespace: 'shop', name })) as [Dataset, Dataset]

type Dataset = Parameters<typeof datasetAsset>[0]

const completed = { run: 'r', state: 'COMPLETE', time, inputs: [], outputs: [to] }

/** Why a run does not say where `to` comes from, as far as the pipeline has been told. */
const refusal = (run: Members, pipeline: Members) => {
  const asset = datasetAsset(to) as NonNullable<ReturnType<typeof datasetAsset>>
  const reference = { id: 'p', type: 'pipeline', fullyQualifiedName: 'p' }
  const statement = { run: runsIn(run)[0], time }
  return outdated(statement, asset, (dataset) => datasetAsset(dataset))(
    { reference, deleted: false, members: pipeline },
    [],
  )
}

test('a run of which another event has come meanwhile is stated with that one', () => {
  const before = withReport({}, completed)
  const after = withReport(before, { ...completed, inputs: [from] })
  expect(refusal(before, before)).toBeUndefined()
  expect(refusal(after, after)).toBeUndefined()
  expect(refusal(before, after)).toContain('at the same time')
})
