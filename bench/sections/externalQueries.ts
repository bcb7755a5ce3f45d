import { setTimeout as delay } from 'node:timers/promises'
import { keptService, someTables, tableRequest } from '../catalog.ts'
import { call, type Bench } from '../context.ts'
import { startCountingProxy, type CountingProxy } from '../countingProxy.ts'
import { startCatalog } from '../processes.ts'
import type { Pair } from './external.ts'

/** Operations that are counted together. */
const operations = 64

/** Milliseconds for which nobody asks, to know what the process does by itself, and after the last answer. */
const quiet = 2000
const settling = 500

/** Commands for each operation, less those that come anyway. */
const counted = async (proxy: CountingProxy, atOnce: number, work: (index: number) => Promise<unknown>) => {
  await delay(quiet)
  const idleFrom = proxy.count()
  await delay(quiet)
  const perMillisecond = (proxy.count() - idleFrom) / quiet
  const [from, begun] = [proxy.count(), performance.now()]
  let next = 0
  const run = async (): Promise<void> => {
    while (next < operations) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  await delay(settling)
  const own = (performance.now() - begun) * perMillisecond
  return Math.max(0, proxy.count() - from - own) / operations
}

/** How many commands MongoDB is sent for what a single process is asked: that depends on no server and on no load. */
export const measureQueries = async (bench: Bench, pair: Pair): Promise<void> => {
  await bench.catalog.stop()
  const proxy = await startCountingProxy(pair.mongodbUrl)
  bench.catalog = await startCatalog(bench.dataDir, { env: { ...pair.env, CATALOG_MONGODB_URL: proxy.url } })
  const tables = someTables(bench.shape, operations)
  const kinds = {
    get: (index: number) => call(bench, 'GET', `/api/v1/tables/${tables[index]?.id}`),
    'upsert without change': (index: number) =>
      call(bench, 'PUT', '/api/v1/tables', tableRequest(tables[index]?.fullyQualifiedName as string)),
    create: () =>
      call(
        bench,
        'POST',
        '/api/v1/tables',
        tableRequest(`${keptService}.main.part_000.counted_${crypto.randomUUID()}`),
      ),
  }
  for (const [name, work] of Object.entries(kinds)) {
    for (let index = 0; index < operations; index++) await work(index)
    const numbers: string[] = []
    for (const atOnce of [1, 32]) numbers.push((await counted(proxy, atOnce, work)).toFixed(2))
    bench.add({
      operation: `commands to MongoDB for each ${name}`,
      value: numbers.join(', '),
      note: 'one at a time, 32 at once; of the process that projects, all projections included',
    })
  }
  await bench.catalog.stop()
  await proxy.close()
  bench.catalog = await startCatalog(bench.dataDir, { env: pair.env })
}
