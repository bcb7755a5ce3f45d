import { expect, test } from 'vitest'
import { makeOutdated } from '../../../src/api/lineage/openLineageRoutes.ts'
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
  return makeOutdated(statement, (dataset) => datasetAsset(dataset))(asset)(
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

test('the outputs of later runs are looked at once for all outputs of a run', () => {
  const outputs = Array.from({ length: 100 }, (_, at) => ({ namespace: 'shop', name: `t${at}` }))
  const members = withReport({}, { ...completed, outputs })
  let named = 0
  const refusalOn = makeOutdated({ run: undefined, time: '2025-01-01T00:00:00.000Z' }, (dataset) => {
    named++
    return datasetAsset(dataset)
  })
  const pipeline = { reference: { id: 'p', type: 'pipeline', fullyQualifiedName: 'p' }, deleted: false, members }
  for (const output of outputs)
    expect(refusalOn(datasetAsset(output) as never)(pipeline, [])).toContain('a run that ended later')
  expect(named).toBe(outputs.length)
})
