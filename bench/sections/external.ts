import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { MongoClient } from 'mongodb'
import { entityId } from '../../src/kinds/names.ts'
import { databaseIn } from '../../src/stores/mongo/connection.ts'
import { keptService, someTables, tableRequest } from '../catalog.ts'
import { call, type Bench } from '../context.ts'
import { quantile, run, type Measured } from '../load.ts'
import { cpuOf, runMeasured } from '../processes.ts'
import { whole } from '../report.ts'
import { measureProcesses } from './externalProcesses.ts'
import { measureQueries } from './externalQueries.ts'

/** The pair, with a database and a stream prefix of this run's own. */
export interface Pair {
  readonly env: NodeJS.ProcessEnv
  readonly streamPrefix: string
  readonly eventStoreUrl: string
  readonly mongodbUrl: string
  /** Drops the database; events stay in the store, under the prefix. */
  dispose(): Promise<void>
}

/** Reads the addresses of the pair. @throws Error when one is missing */
export const pairOf = (env: NodeJS.ProcessEnv): Pair => {
  const eventStoreUrl = env['CATALOG_EVENTSTORE_URL']
  const given = env['CATALOG_MONGODB_URL']
  if (eventStoreUrl === undefined || given === undefined)
    throw new Error('--external needs CATALOG_EVENTSTORE_URL and CATALOG_MONGODB_URL.')
  const own = `bench${Date.now().toString(36)}`
  const [, server = '', , parameters = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(\/[^?]*)?(\?.*)?$/.exec(given) ?? []
  const mongodbUrl = `${server}/${own}${parameters}`
  const streamPrefix = `${own}-`
  const separator = eventStoreUrl.includes('?') ? '&' : '?'
  return {
    streamPrefix,
    eventStoreUrl,
    mongodbUrl,
    env: {
      CATALOG_EVENTSTORE_URL: `${eventStoreUrl}${separator}streamPrefix=${streamPrefix}`,
      CATALOG_MONGODB_URL: mongodbUrl,
    },
    dispose: async () => {
      const client = await MongoClient.connect(mongodbUrl)
      await client.db(databaseIn(mongodbUrl)).dropDatabase()
      await client.close()
    },
  }
}

/** Does the work over and over, so many at a time, for so many seconds. */
const repeat = async (atOnce: number, seconds: number, work: () => Promise<unknown>): Promise<Measured> => {
  const times: number[] = []
  const begun = performance.now()
  const end = begun + seconds * 1000
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) {
        const at = performance.now()
        await work()
        times.push(performance.now() - at)
      }
    }),
  )
  const sorted = times.toSorted((a, b) => a - b)
  const count = times.length
  return {
    count,
    perSecond: count / ((performance.now() - begun) / 1000),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
}

/** What was measured, and the processor time of one operation, in microseconds. */
interface Costed extends Measured {
  readonly cpu: number
}

/** The service's processor time for each request of the work, which is done once before: code is compiled by then. */
const costed = async (bench: Bench, work: () => Promise<Measured>): Promise<Costed> => {
  await work()
  const before = await cpuOf(bench.catalog)
  const measured = await work()
  return { ...measured, cpu: ((await cpuOf(bench.catalog)) - before) / measured.count }
}

/** This process's, where the drivers run alone. */
const costedHere = async (work: () => Promise<Measured>): Promise<Costed> => {
  await work()
  const before = process.cpuUsage()
  const measured = await work()
  const { user, system } = process.cpuUsage(before)
  return { ...measured, cpu: (user + system) / measured.count }
}

const compareWith = (bench: Bench, operation: string, ours: Costed, theirs: Costed, what: string): void => {
  const note = `${what}: ${whole(theirs.perSecond)}/s, p99 ${theirs.p99.toFixed(1)} ms`
  bench.add({
    operation,
    measured: ours,
    ratio: ours.perSecond / theirs.perSecond,
    cpu: { ours: ours.cpu, bare: theirs.cpu },
    note,
  })
}

const reads = async (bench: Bench, pair: Pair): Promise<void> => {
  const client = await MongoClient.connect(pair.mongodbUrl)
  const collection = client.db(databaseIn(pair.mongodbUrl)).collection<{ _id: string; text: string }>('bench_documents')
  const tables = someTables(bench.shape, 500)
  const { text } = await call(bench, 'GET', `/api/v1/tables/${tables[0]?.id}`)
  const ids = [...new Set(tables.map(({ id }) => id))]
  await collection.insertMany(ids.map((_id) => ({ _id, text })))
  let next = 0
  const find = () => collection.findOne({ _id: ids[next++ % ids.length] as string })
  const bare = await costedHere(() => repeat(bench.options.connections, bench.options.seconds * 2, find))
  const target = { url: bench.catalog.url, token: bench.token, connections: bench.options.connections }
  const gets = { method: 'GET', requests: tables.map(({ id }) => ({ path: `/api/v1/tables/${id}` })) } as const
  const ours = await costed(bench, () => run(target, gets, bench.options.seconds * 2))
  compareWith(bench, 'get by id', ours, bare, 'the driver’s findOne')
  await client.close()
}

/** A PUT of what is there already. */
const upserts = async (bench: Bench): Promise<void> => {
  const requests = someTables(bench.shape, 500).map(({ fullyQualifiedName }) => ({
    path: '/api/v1/tables',
    body: JSON.stringify(tableRequest(fullyQualifiedName)),
  }))
  const target = { url: bench.catalog.url, token: bench.token, connections: bench.options.connections }
  const ours = await costed(bench, () => run(target, { method: 'PUT', requests }, bench.options.seconds * 2))
  bench.add({ operation: 'upsert without change', measured: ours, cpu: { ours: ours.cpu, bare: Number.NaN } })
}

const writes = async (bench: Bench, pair: Pair): Promise<void> => {
  const client = EventStoreDBClient.connectionString(pair.eventStoreUrl)
  let count = 0
  const nextName = (): string => `${keptService}.main.part_000.written_${count++}`
  for (const atOnce of [1, 16, 64]) {
    const append = async (): Promise<void> => {
      const event = jsonEvent({ type: 'Bench', data: tableRequest(nextName()) })
      await client.appendToStream(`${pair.streamPrefix}bare-${randomUUID()}`, event, { expectedRevision: NO_STREAM })
    }
    const bare = await costedHere(() => repeat(atOnce, bench.options.seconds * 2, append))
    const target = { url: bench.catalog.url, token: bench.token, connections: atOnce }
    const requests = () => ({ path: '/api/v1/tables', body: JSON.stringify(tableRequest(nextName())) })
    // Answered when the projection has passed what was just appended beside it.
    await call(bench, 'POST', '/api/v1/tables', tableRequest(nextName()))
    const ours = await costed(bench, () => run(target, { method: 'POST', requests }, bench.options.seconds * 2))
    compareWith(bench, `create, ${atOnce} at once`, ours, bare, 'the client’s own append')
  }
  await lag(bench, pair, client, nextName)
  await client.dispose()
}

/** Time from the commit, by the store's clock, to the answer of the write, which comes when the read models show it. */
const lag = async (bench: Bench, pair: Pair, client: EventStoreDBClient, nextName: () => string): Promise<void> => {
  const answered: { stream: string; at: number }[] = []
  await repeat(64, bench.options.seconds * 2, async () => {
    const fqn = nextName()
    await call(bench, 'POST', '/api/v1/tables', tableRequest(fqn))
    answered.push({ stream: `${pair.streamPrefix}table-${entityId('table', fqn)}`, at: Date.now() })
  })
  const times: number[] = []
  for (const { stream, at } of answered.slice(-2000)) {
    for await (const { event } of client.readStream(stream, { maxCount: 1 }))
      if (event) times.push(at - event.created.getTime())
  }
  const sorted = times.toSorted((a, b) => a - b)
  bench.add({
    operation: 'projection lag under full write load',
    measured: { count: times.length, perSecond: Number.NaN, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) },
    note: 'commit in the store → answer that every read sees it',
  })
}

/** Our service on the pair against the drivers alone. */
export const measureExternal = async (bench: Bench, pair: Pair): Promise<void> => {
  await reads(bench, pair)
  await upserts(bench)
  await writes(bench, pair)
  await measureQueries(bench, pair)
  await measureProcesses(bench, pair)
  await bench.catalog.stop()
  const idle = await runMeasured(bench.dataDir, ['status'], pair.env)
  const { output, cpu = 0 } = await runMeasured(bench.dataDir, ['rebuild'], pair.env)
  const [, events = '', seconds = '', rate = ''] =
    /from (\d+) events in ([\d.]+) s \((\d+) events\/s\)/.exec(output) ?? []
  bench.add({
    operation: 'replay',
    value: `${whole(Number(rate))} events/s`,
    note: `${whole(Number(events))} events in ${seconds} s; CPU ${((cpu - (idle.cpu ?? 0)) / Number(events)).toFixed(0)} µs for each`,
  })
}
