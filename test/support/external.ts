import { createHash, randomBytes } from 'node:crypto'
import { MongoClient } from 'mongodb'

/** Servers that the tests may use; whichever is not named is embedded. */
export const external = {
  eventStoreUrl: process.env['CATALOG_TEST_EVENTSTORE_URL'] || undefined,
  mongodbUrl: process.env['CATALOG_TEST_MONGODB_URL'] || undefined,
} as const

/** Part of the names of everything that one run of the tests makes on shared servers. */
const run = process.env['CATALOG_TEST_RUN'] || randomBytes(4).toString('hex')

/** The same words for the same folder, so that a service that is started again finds what it had. */
const wordsOf = (dataDir: string): string => `${run}_${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`

export const streamPrefixOf = (dataDir: string): string => `test_${wordsOf(dataDir)}_`

export const databaseOf = (dataDir: string): string => `catalog_test_${wordsOf(dataDir)}`

export const withStreamPrefix = (url: string, prefix: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}streamPrefix=${prefix}`

/** The connection string with another database; who logs in there logs in where the string says. */
export const withDatabase = (url: string, database: string): string => {
  const [, server = '', given, query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(url) ?? []
  const authSource = server.includes('@') && !/(^|&)authSource=/.test(query) ? `authSource=${given || 'admin'}` : ''
  const parameters = [query, authSource].filter((part) => part !== '').join('&')
  return `${server}/${database}${parameters === '' ? '' : `?${parameters}`}`
}

export interface Urls {
  readonly eventStoreUrl?: string | undefined
  readonly mongodbUrl?: string | undefined
}

/** Environment of a service that keeps its halves on these servers, in a log and a database of its own for each folder. */
export const storesFor = (dataDir: string, { eventStoreUrl, mongodbUrl }: Urls = external): Record<string, string> => ({
  ...(eventStoreUrl !== undefined && {
    CATALOG_EVENTSTORE_URL: withStreamPrefix(eventStoreUrl, streamPrefixOf(dataDir)),
  }),
  ...(mongodbUrl !== undefined && { CATALOG_MONGODB_URL: withDatabase(mongodbUrl, databaseOf(dataDir)) }),
})

/** Does something with the server of the read models. */
export const withMongo = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = await MongoClient.connect(external.mongodbUrl as string)
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

/** Drops the database that a service on this folder had. Its streams stay: logs do not forget. */
export const dropDatabaseOf = async (dataDir: string): Promise<void> => {
  if (external.mongodbUrl === undefined) return
  await withMongo((client) => client.db(databaseOf(dataDir)).dropDatabase())
}

/** Says what is not tested, once in each file. @returns whether to skip */
export const skippedUnless = (condition: boolean, what: string, why: string): boolean => {
  if (!condition) process.stderr.write(`SKIPPED: ${what}: ${why}\n`)
  return !condition
}

/** Whether to skip what appends more than EventStoreDB takes at once; said like everything that is skipped. */
export const skippedAsTooLarge = (what: string): boolean =>
  skippedUnless(external.eventStoreUrl === undefined, what, 'EventStoreDB takes at most 1 MiB at once')
