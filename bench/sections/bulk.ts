import { keptService, deletedService, tableRequest } from '../catalog.ts'
import { call, compareLine, Unavailable, type Bench, type Section } from '../context.ts'
import { cpuOf } from '../processes.ts'
import { whole } from '../report.ts'

const bulkSize = 1000

const put = async (bench: Bench, path: string, items: readonly unknown[]): Promise<void> => {
  const { status, failedRequest } = (await call(bench, 'PUT', `/api/v1/${path}/bulk`, items)).json()
  if (status !== 'success') throw new Error(`PUT ${path}/bulk: ${JSON.stringify(failedRequest).slice(0, 500)}`)
}

/** Loads everything; a bulk request is answered when each read sees all of it. */
export const loadAll = async (bench: Bench): Promise<void> => {
  const services = [keptService, deletedService]
  await put(
    bench,
    'services/databaseServices',
    services.map((name) => ({ name, serviceType: 'Postgres' })),
  )
  await put(
    bench,
    'databases',
    services.map((service) => ({ name: 'main', service })),
  )
  await put(
    bench,
    'databaseSchemas',
    bench.shape.schemas.map((fqn) => ({
      name: fqn.split('.').at(-1),
      database: fqn.split('.').slice(0, -1).join('.'),
    })),
  )
  const times: number[] = []
  const cpu = await cpuOf(bench.catalog)
  const begun = performance.now()
  for (let from = 0; from < bench.shape.tables.length; from += bulkSize) {
    const body = bench.shape.tables.slice(from, from + bulkSize).map((fqn) => tableRequest(fqn))
    const at = performance.now()
    await put(bench, 'tables', body)
    times.push(performance.now() - at)
  }
  const seconds = (performance.now() - begun) / 1000
  const used = ((await cpuOf(bench.catalog)) - cpu) / bench.shape.tables.length
  const sorted = times.toSorted((a, b) => a - b)
  bench.add({
    operation: `bulk of ${whole(bulkSize)}, one after the other`,
    value: `${whole(bench.shape.tables.length / seconds)} entities/s`,
    note: `visible when answered; ${used.toFixed(0)} µs CPU each; p50 ${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms, slowest ${sorted.at(-1)?.toFixed(0)} ms`,
  })
  await indexForSearch(bench, 'the load', bench.shape.tables.length)
}

/** Searches that may be 503, each after it has waited for 10 seconds. */
const mostUnavailable = 30

/**
 * Waits until everything is indexed for search, as any search does: otherwise the lines that follow would bear it. What
 * takes longer than an answer waits is 503, and is asked again.
 */
export const indexForSearch = async (bench: Bench, work: string, count: number): Promise<void> => {
  const cpu = await cpuOf(bench.catalog)
  const begun = performance.now()
  let unavailable = 0
  for (let isAnswered = false; !isAnswered;)
    try {
      await call(bench, 'GET', '/api/v1/search/query?q=nothing&size=0')
      isAnswered = true
    } catch (error) {
      if (!(error instanceof Unavailable) || unavailable === mostUnavailable) throw error
      unavailable += 1
    }
  const used = ((await cpuOf(bench.catalog)) - cpu) / count
  const times = unavailable === 0 ? '' : `; 503 ${unavailable} times before`
  bench.add({
    operation: `first search after ${work}`,
    value: `${whole(performance.now() - begun)} ms`,
    note: `indexes what is not indexed yet; ${used.toFixed(0)} µs CPU for each of ${whole(count)}${times}`,
  })
}

const bulk: Section = {
  name: 'bulk',
  title: 'bulk',
  loaded: true,
  measure: async (bench) => {
    let round = 0
    const next = () => ({
      path: '/api/v1/tables/bulk',
      body: JSON.stringify(
        Array.from({ length: bulkSize }, (_, index) =>
          tableRequest(`${keptService}.main.part_000.bulk_${round}_${index}`),
        ),
      ).replaceAll('bulk_', `bulk_${round++}_`),
    })
    const { ours } = await compareLine(
      bench,
      'bulk of 1,000, against parsing it',
      'bulk',
      { method: 'PUT', requests: next },
      { note: '2 connections', connections: 2, leastSeconds: 4 },
    )
    bench.add({
      operation: 'bulk of 1,000, two at a time',
      value: `${whole(ours.perSecond * bulkSize)} entities/s`,
      note: 'the generator builds the bodies meanwhile',
    })
  },
}

export const bulkSections: readonly Section[] = [bulk]
