import {
  MongoBulkWriteError,
  MongoClient,
  MongoCompatibilityError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
  type MongoClientOptions,
  type Db,
} from 'mongodb'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { StoreUnavailable, UnsupportedServer, asStoreFailure, guardAll } from '../errors.ts'

interface Timeouts {
  /** Timeout for finding a server (default 4,000). */
  readonly selection?: number | undefined
  /** Timeout for one answer (default 10,000). */
  readonly answer?: number | undefined
}

const clientOptions = ({ selection = 4000, answer = 10_000 }: Timeouts): MongoClientOptions => ({
  appName: 'metadata-catalog',
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  ignoreUndefined: true,
  promoteBuffers: true,
  maxPoolSize: 50,
  serverSelectionTimeoutMS: selection,
  connectTimeoutMS: selection,
  waitQueueTimeoutMS: selection,
  socketTimeoutMS: answer,
  // The monitor notices a hanging server and ends calls that wait for it.
  heartbeatFrequencyMS: 5000,
})

/** Error codes of a server that is starting, stopping, stepping down, partitioned or too busy. */
const transientCodes = new Set([
  6, 7, 24, 46, 50, 64, 89, 91, 100, 112, 133, 134, 189, 202, 262, 9001, 10058, 10107, 11600, 11601, 11602, 13435,
  13436, 14031,
])

/** Error codes of collections, indexes and cursors that vanished during a read, e.g. with a dropped generation. */
const vanishedCodes = new Set([43, 175, 237])

/** Driver labels of errors that a retry may overcome. */
const retryLabels = ['RetryableWriteError', 'RetryableError', 'SystemOverloadedError', 'ResetPool']

/** Whether a socket broke during a write: the driver passes such an error on without a retry. */
const isSocketError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

const hasTransientPart = ({ errorResponse, writeErrors, result }: MongoBulkWriteError): boolean =>
  result.getWriteConcernError() !== undefined ||
  [writeErrors].flat().some(({ code }) => transientCodes.has(Number(code))) ||
  isSocketError(errorResponse) ||
  ((errorResponse as unknown) instanceof MongoError && isTransient(errorResponse as MongoError))

const isTransient = (error: MongoError): boolean =>
  (error instanceof MongoBulkWriteError && hasTransientPart(error)) ||
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  error instanceof MongoNotConnectedError ||
  error instanceof MongoTopologyClosedError ||
  error instanceof MongoWriteConcernError ||
  /Pool|WaitQueue|Timeout|Closed/.test(error.name) ||
  transientCodes.has(Number(error.code)) ||
  vanishedCodes.has(Number(error.code)) ||
  retryLabels.some((label) => error.hasErrorLabel(label))

const wireVersion = /wire version/i

/**
 * Maps an error from MongoDB to one that ports promise: {@link StoreUnavailable} if it is transient, {@link
 * UnsupportedServer}, or `StoreFailed`. The catalog's own errors stay.
 */
export const asMongoError = (error: unknown): CatalogError => {
  if (error instanceof CatalogError) return error
  if (isSocketError(error)) return new StoreUnavailable(`MongoDB does not answer: ${error.message}`, { cause: error })
  if (!(error instanceof MongoError)) return asStoreFailure(error, 'MongoDB')
  if (error instanceof MongoCompatibilityError || wireVersion.test(error.message)) {
    return new UnsupportedServer(`The MongoDB server is too old or too new: ${error.message}`, { cause: error })
  }
  if (isTransient(error)) return new StoreUnavailable(`MongoDB does not answer: ${error.message}`, { cause: error })
  return asStoreFailure(error, 'MongoDB')
}

/** Runs the work; its errors are mapped by {@link asMongoError}. */
export const withStoreErrors = async <T>(work: () => Promise<T> | T): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw asMongoError(error)
  }
}

/** The same for idempotent work: retried over a new connection if the old one broke. */
export const withRetry = <T>(work: () => Promise<T> | T): Promise<T> =>
  withStoreErrors(async () => {
    try {
      return await work()
    } catch (error) {
      if (!isSocketError(error)) throw error
      return work()
    }
  })

/** Whether an error says that the document of an insert or guarded upsert exists already. */
export const isDuplicate = (error: unknown): boolean => error instanceof MongoError && Number(error.code) === 11_000

/** The database that the connection string names, or `catalog`. */
export const databaseIn = (url: string): string => {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/.exec(url)?.[1]
  return path === undefined ? 'catalog' : decodeURIComponent(path)
}

export interface DatabaseOptions {
  /** `mongodb://` or `mongodb+srv://` connection string. */
  readonly url: string
  /** Name of the database; default: the one in the connection string, else `catalog`. */
  readonly database?: string | undefined
  readonly timeouts?: Timeouts | undefined
  /** Receives every command that is sent. For tests. */
  readonly onCommand?: ((command: Readonly<Record<string, unknown>>) => void) | undefined
}

/** The messages of the driver do not repeat the string, which may hold a password. */
const clientOf = (...[url, options]: ConstructorParameters<typeof MongoClient>): MongoClient => {
  try {
    return new MongoClient(url, options)
  } catch (error) {
    const { message } = error as Error
    throw new Error(
      `The address of MongoDB (CATALOG_MONGODB_URL) is not a connection string that its client can read: ${message}`,
      { cause: error },
    )
  }
}

/**
 * Connects to a database, waits for an answer, and prepares the database. A connection that fails in this is closed.
 * @throws StoreUnavailable, UnsupportedServer, StoreFailed
 */
export const connect = async (
  { url, database = databaseIn(url), timeouts = {}, onCommand }: DatabaseOptions,
  prepare: (db: Db) => Promise<unknown> = async () => undefined,
) => {
  const client = clientOf(url, { ...clientOptions(timeouts), monitorCommands: onCommand !== undefined })
  return withStoreErrors(async () => {
    if (onCommand) client.on('commandStarted', ({ command }) => onCommand(command))
    try {
      await client.connect()
      await client.db('admin').command({ ping: 1 })
      const db = client.db(database)
      await prepare(db)
      return { client, db }
    } catch (error) {
      await client.close().catch(() => undefined)
      throw error
    }
  })
}

interface IdentityDocument {
  readonly _id: string
  readonly first: string
}

/** Stores in a database what it belongs to. One of two concurrent claims wins. */
export const identityIn = (db: Db) => {
  const _id = 'log'
  const identity = db.collection<IdentityDocument>('identity')
  const read = async (): Promise<string | undefined> => (await identity.findOne({ _id }))?.first
  return {
    read,
    claim: async (first: string, takeOver: boolean): Promise<string> => {
      const change = takeOver ? { $set: { first } } : { $setOnInsert: { first } }
      await identity.updateOne({ _id }, change, { upsert: true })
      return (await read()) ?? first
    },
  }
}

interface CheckpointDocument {
  readonly _id: string
  readonly text: string
}

/** A named text in a database, shared by all processes. @throws StoreUnavailable */
export const openMongoCheckpoint = async (url: string, name: string) => {
  const { client, db } = await connect({ url })
  const checkpoints = db.collection<CheckpointDocument>('consumers')
  return guardAll(
    {
      read: async (): Promise<string | undefined> => (await checkpoints.findOne({ _id: name }))?.text,
      write: async (text: string): Promise<void> =>
        void (await checkpoints.updateOne({ _id: name }, { $set: { text } }, { upsert: true })),
      close: (): Promise<void> => client.close(),
    },
    withStoreErrors,
  )
}
