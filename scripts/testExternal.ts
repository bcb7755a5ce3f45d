import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { parse } from 'yaml'

/**
 * Runs the suites of both ports, the HTTP suite and the bad days against the distributed pair: on the servers that
 * CATALOG_TEST_EVENTSTORE_URL and CATALOG_TEST_MONGODB_URL name (one alone is enough, the other half is then embedded),
 * else in containers with the images of docker-compose.pair.yml. Arguments name the test files to run instead.
 */

const root = join(import.meta.dirname, '..')

/** Exit code that says: nothing failed, nothing was tested either. */
const didNotRun = 77

interface Servers {
  readonly eventStoreUrl: string | undefined
  readonly mongodbUrl: string | undefined
  stop(): Promise<void>
}

const named = (): Servers | undefined => {
  const eventStoreUrl = process.env['CATALOG_TEST_EVENTSTORE_URL'] || undefined
  const mongodbUrl = process.env['CATALOG_TEST_MONGODB_URL'] || undefined
  return (eventStoreUrl ?? mongodbUrl) ? { eventStoreUrl, mongodbUrl, stop: async () => {} } : undefined
}

interface Compose {
  readonly services: Readonly<
    Record<'eventstore' | 'mongodb', { image: string; command?: string[]; environment?: Record<string, string> }>
  >
}

const initiate = `rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'localhost:27017' }] }); while (!db.hello().isWritablePrimary) sleep(100)`

/** The stores of docker-compose.pair.yml in containers of their own; `undefined` where no Docker answers. */
const contained = async (): Promise<Servers | undefined> => {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers')
  try {
    await getContainerRuntimeClient()
  } catch (error) {
    process.stderr.write(`Docker does not answer: ${(error as Error).message}\n`)
    return undefined
  }
  const { services } = parse(await readFile(join(root, 'docker-compose.pair.yml'), 'utf8')) as Compose
  const eventStore = await new GenericContainer(services.eventstore.image)
    .withEnvironment(services.eventstore.environment ?? {})
    .withExposedPorts(2113)
    .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCode(204))
    .start()
  const mongodb = await new GenericContainer(services.mongodb.image)
    .withCommand(services.mongodb.command ?? [])
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
    .start()
  const { exitCode, output } = await mongodb.exec(['mongosh', '--quiet', '--eval', initiate])
  if (exitCode !== 0) throw new Error(`MongoDB did not become a replica set: ${output}`)
  return {
    eventStoreUrl: `esdb://${eventStore.getHost()}:${eventStore.getMappedPort(2113)}?tls=false`,
    mongodbUrl: `mongodb://${mongodb.getHost()}:${mongodb.getMappedPort(27017)}/?directConnection=true`,
    stop: async () => void (await Promise.all([eventStore.stop(), mongodb.stop()])),
  }
}

/** What the servers say they are. */
const describe = async ({ eventStoreUrl, mongodbUrl }: Servers): Promise<string> => {
  const [, host] = /^[^:]+:\/\/(?:[^@]*@)?([^/?,]+)/.exec(eventStoreUrl ?? '') ?? []
  const info =
    host === undefined
      ? undefined
      : await fetch(`http://${host}/info`).then(
          (answer) => answer.json(),
          () => ({}),
        )
  const { esVersion = 'of unknown version' } = (info ?? {}) as { esVersion?: string }
  const log = eventStoreUrl === undefined ? 'log embedded' : `log in EventStoreDB ${esVersion}`
  if (mongodbUrl === undefined) return `${log}, read models embedded`
  const client = await MongoClient.connect(mongodbUrl)
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 })
    const { setName } = await client.db('admin').command({ hello: 1 })
    return `${log}, read models in MongoDB ${String(version)} (${setName === undefined ? 'standalone' : `replica set ${String(setName)}`})`
  } finally {
    await client.close()
  }
}

/** Databases of this run that a test left behind when it was interrupted. */
const dropDatabases = async (mongodbUrl: string, run: string): Promise<void> => {
  const client = await MongoClient.connect(mongodbUrl)
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
    for (const { name } of databases) if (name.startsWith(`catalog_test_${run}_`)) await client.db(name).dropDatabase()
  } finally {
    await client.close()
  }
}

/** Folders and beginnings of names of the test files to run. */
const filesFor = ({ eventStoreUrl, mongodbUrl }: Servers): string[] => [
  ...(eventStoreUrl === undefined ? [] : ['test/events/eventstoredb']),
  ...(mongodbUrl === undefined ? [] : ['test/projections', 'test/stores/mongo', 'test/subscriptions']),
  'test/api',
  'test/http',
  'test/seed',
  'test/e2e',
  'test/external',
]

const vitest = (files: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    const args = [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'test/external/vitest.config.ts',
      ...files,
    ]
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })

const main = async (): Promise<number> => {
  const servers = named() ?? (await contained())
  if (servers === undefined) {
    process.stderr.write(`
THE EXTERNAL TESTS DID NOT RUN. There is no Docker here, and neither CATALOG_TEST_EVENTSTORE_URL nor
CATALOG_TEST_MONGODB_URL names a server. Example:

  CATALOG_TEST_EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' CATALOG_TEST_MONGODB_URL=mongodb://127.0.0.1:27017 npm run test:external

`)
    return didNotRun
  }
  const run = randomBytes(4).toString('hex')
  const { eventStoreUrl, mongodbUrl } = servers
  const env = {
    ...process.env,
    CATALOG_TEST_RUN: run,
    CATALOG_TEST_EVENTSTORE_URL: eventStoreUrl,
    CATALOG_TEST_MONGODB_URL: mongodbUrl,
  }
  try {
    const what = await describe(servers)
    process.stderr.write(`External tests: ${what}.\n`)
    const given = process.argv.slice(2)
    const code = await vitest(given.length > 0 ? given : filesFor(servers), env)
    process.stderr.write(`External tests ${code === 0 ? 'passed' : 'FAILED'}: ${what}.\n`)
    return code
  } finally {
    if (mongodbUrl !== undefined)
      await dropDatabases(mongodbUrl, run).catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
    await servers.stop()
  }
}

process.exitCode = await main()
