import { expect, test } from 'vitest'
import { runsIn, withReport } from '../../src/commands/runs.ts'
import type { CatalogEvent } from '../../src/events/events.ts'

type Report = (CatalogEvent & { type: 'RunReported' })['data']

const reports = (...some: Partial<Report>[]) =>
  runsIn(
    some.reduce((members, data) => {
      const report = { run: 'r', state: 'RUNNING', time: '2026-01-01T00:00:00.000Z', inputs: [], outputs: [], ...data }
      return withReport(members, { type: 'RunReported', data: report })
    }, {}),
  )

const [orders, customers] = ['orders', 'customers'].map((name) => ({ namespace: 'shop', name })) as [Input, Input]

type Input = Report['inputs'][number]

test('a run has all datasets that its reports name, and the version of each that was told last', () => {
  const start = { state: 'START', inputs: [{ ...orders, version: '7' }, customers] }
  const end = { state: 'COMPLETE', inputs: [orders], outputs: [{ ...customers, version: '8' }] }
  expect(reports(start, end)).toMatchObject([
    { state: 'COMPLETE', inputs: [{ ...orders, version: '7' }, customers], outputs: [{ ...customers, version: '8' }] },
  ])
})

test('a run names what started it, whichever of its events says so', () => {
  const parent = { run: 'p', pipeline: 'scheduler.daily' }
  expect(reports({ state: 'START' }, { parent }, { state: 'COMPLETE' })).toMatchObject([{ parent }])
})

test('the newest runs are kept, newest first, whichever was reported last', () => {
  const at = (minute: number, run = `${minute}`): Partial<Report> => ({
    run,
    state: 'COMPLETE',
    time: new Date(minute * 60_000).toISOString(),
  })
  const late = Array.from({ length: 19 }, (_, minute) => at(minute))
  const kept = reports({ run: 'goes on' }, at(100), ...late, at(101))
  expect(kept.map(({ id }) => id)).toEqual([
    '101',
    '100',
    ...late
      .map(({ run }) => run)
      .toReversed()
      .slice(0, 18),
  ])
})
