import { expect, test } from 'vitest'
import { detailsOfRun, runsIn, storedReport, withReport } from '../../src/commands/runs.ts'
import type { CatalogEvent, Members } from '../../src/events/events.ts'
import { randomFor } from '../support/random.ts'

type Report = (CatalogEvent & { type: 'RunReported' })['data']

const reports = (...some: Partial<Report>[]) =>
  runsIn(
    some.reduce((members, data) => {
      const report = { run: 'r', state: 'RUNNING', time: '2026-01-01T00:00:00.000Z', inputs: [], outputs: [], ...data }
      return withReport(members, report)
    }, {}),
  )

const [orders, customers] = ['orders', 'customers'].map((name) => ({ namespace: 'shop', name })) as [Input, Input]

type Input = Report['inputs'][number]

test('a run has all datasets that its reports name, and the version of each that was told last', () => {
  const start = { state: 'START', inputs: [{ ...orders, version: '7' }, customers] }
  const end = { state: 'COMPLETE', inputs: [orders], outputs: [{ ...customers, version: '8' }] }
  expect(reports(start, end)).toMatchObject([
    { state: 'COMPLETE', inputs: [customers, { ...orders, version: '7' }], outputs: [{ ...customers, version: '8' }] },
  ])
})

test('a run names what started it, whichever of its events says so', () => {
  const parent = { run: 'p', pipeline: 'scheduler.daily' }
  expect(reports({ state: 'START' }, { parent }, { state: 'COMPLETE' })).toMatchObject([{ parent }])
})

const at = (minute: number, more: Partial<Report> = {}): Report => ({
  run: `${minute}`,
  state: 'COMPLETE',
  time: new Date(minute * 60_000).toISOString(),
  inputs: [],
  outputs: [],
  ...more,
})

test('the runs with the newest events are kept, newest first, and those of former ones change nothing', () => {
  const long = [at(0, { run: 'long', state: 'START' }), at(90, { run: 'long' })]
  const short = Array.from({ length: 20 }, (_, minute) => at(minute + 70))
  const told = [...long, ...short.toReversed(), at(5)]
  const members = told.reduce(withReport, {})
  expect(runsIn(members).map(({ id }) => id)).toEqual([
    'long',
    ...Array.from({ length: 19 }, (_, earlier) => `${89 - earlier}`),
  ])
  for (const each of told) expect(storedReport(members, each)).toBeUndefined()
})

test('runs are the same in whatever order their events come, and events that come again change nothing', () => {
  const { next, pick, sample, between } = randomFor('reports')
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [next(), item] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => item)
  const states = ['START', 'RUNNING', 'RUNNING', 'OTHER', 'ABORT', 'FAIL', 'COMPLETE']
  const datasets = () =>
    sample([orders, customers], between(0, 2)).map((each) => ({ ...each, version: pick(['7', '8']) }))
  const events = Array.from({ length: 60 }, (): Report => {
    const details = { id: pick(['x', 'y']), sql: 'select 1' }
    const parent = { run: pick(['p', 'q']), pipeline: 'scheduler.daily' }
    const told = { state: pick(states), inputs: datasets(), outputs: datasets(), parent }
    return at(between(0, 30), { run: pick(['one', 'two', 'three']), ...told, ...(next() < 0.5 && { details }) })
  })
  const received = (members: Members, report: Report): Members =>
    withReport(members, storedReport(members, report) ?? report)
  const inOrder = events.reduce(received, {})
  for (let time = 0; time < 50; time++) {
    const members = shuffled([...events, ...sample(events, 20)]).reduce(received, {})
    expect(members).toEqual(inOrder)
    for (const each of events) expect(storedReport(members, each)).toBeUndefined()
  }
})

test('SQL and columns are kept of the runs with the newest events, as far as there is room', () => {
  const sql = 'x'.repeat(400_000)
  const reports = ['a', 'b', 'c', 'd'].map((id, minute) => at(minute, { details: { id, sql: sql + id } }))
  const members = reports.toReversed().reduce(withReport, {})
  expect(Object.keys(members['runDetails'] ?? {})).toEqual(['d', 'c', 'b'])
  const [newest, , , oldest] = runsIn(members).map((run) => detailsOfRun(members, run))
  expect([newest?.sql?.at(-1), oldest]).toEqual(['d', undefined])
  for (const each of reports) expect(storedReport(members, each)).toBeUndefined()
})
