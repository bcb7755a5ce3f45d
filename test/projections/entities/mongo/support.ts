import { randomUUID } from 'node:crypto'
import { MongoClient, type Db } from 'mongodb'
import { describe, onTestFinished } from 'vitest'
import { openMongoReadModels, type MongoReadModelsOptions } from '../../../../src/projections/distributed/readModels.ts'
import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { startMongoProxy, type MongoAnswerer } from '../../../support/mongoProxy.ts'

/** The server that tests may use; each run makes databases of its own there and drops them. */
export const mongoUrl = process.env['CATALOG_TEST_MONGODB_URL'] || undefined

if (mongoUrl === undefined) {
  process.stderr.write('CATALOG_TEST_MONGODB_URL is not set: the read models on MongoDB are NOT tested.\n')
}

/** `describe` where there is a server, else skipped. */
export const describeMongo = describe.skipIf(mongoUrl === undefined)

/** One host that is not a name to be looked up: only such a server can be reached through a proxy. */
export const singleServer = mongoUrl !== undefined && /^mongodb:\/\/[^,?]*(\?(?!.*replicaSet).*)?$/.test(mongoUrl)

export const silent: MongoReadModelsOptions['logger'] = { info: () => {}, warn: () => {} }

/** Names of the collections with entities. */
export const entityCollections = async ({ db }: Pick<MongoDatabase, 'db'>): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('entities_'))

/** A row without words of its own: what it is called has none. */
export const wordless = { fullyQualifiedName: '~' }

export interface MongoDatabase {
  readonly name: string
  readonly db: Db
  open(options?: Partial<MongoReadModelsOptions>): Promise<ReadModels>
  dispose(): Promise<void>
}

/** Longer than a service waits: what is asked here is what is answered, however busy the machine is. */
const patience = { selection: 30_000, answer: 60_000 }

/** A database that nobody used before, beside a client of its own. */
export const freshDatabase = async (): Promise<MongoDatabase> => {
  const name = `catalog_test_${randomUUID().replaceAll('-', '')}`
  const client = await MongoClient.connect(mongoUrl as string, { ignoreUndefined: true })
  const opened: ReadModels[] = []
  return {
    name,
    db: client.db(name),
    open: async (options = {}) => {
      const defaults = { url: mongoUrl as string, database: name, logger: silent, timeouts: patience }
      const readModels = await openMongoReadModels({ ...defaults, ...options })
      opened.push(readModels)
      return readModels
    },
    dispose: async () => {
      await Promise.all(opened.map((readModels) => readModels.close()))
      await client.db(name).dropDatabase()
      await client.close()
    },
  }
}

/** A database that is dropped when the test has finished. */
export const databaseOfTest = async (): Promise<MongoDatabase> => {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.dispose())
  return fresh
}

/** A row with everything that has no say in the test filled in. */
export const rowOf = (some: Partial<EntityRow> = {}): EntityRow => {
  const id = some.id ?? randomUUID()
  const fullyQualifiedName = some.fullyQualifiedName ?? `thing-${id}`
  return {
    id,
    kind: 'thing',
    fullyQualifiedName,
    status: 'live',
    revision: 0n,
    position: 1n,
    updatedAt: 1_700_000_000_000,
    parent: undefined,
    parentBorn: 0n,
    born: 0n,
    since: 1n,
    entityStatus: 'Unprocessed',
    deletion: undefined,
    inherited: false,
    restored: undefined,
    edges: [],
    hash: 'h',
    reference: JSON.stringify({ id, type: 'thing' }),
    label: undefined,
    shownBelow: undefined,
    shownAlways: JSON.stringify({ id, name: fullyQualifiedName, fullyQualifiedName }),
    shownOnRequest: '{}',
    references: '{}',
    ...some,
  }
}

/** Read models behind a server that says what `says.now` has it say; both go when the test ends. */
export const behindServer = async (options: Partial<MongoReadModelsOptions> = {}) => {
  const fresh = await databaseOfTest()
  const says: { now: MongoAnswerer } = { now: () => undefined }
  const proxy = await startMongoProxy(mongoUrl as string, (command) => says.now(command))
  onTestFinished(() => proxy.close())
  return { says, readModels: await fresh.open({ ...options, url: proxy.url }) }
}
