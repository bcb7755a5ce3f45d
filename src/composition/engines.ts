import { readdirSync } from 'node:fs'
import { files } from './settings/fixedNames.ts'
import { join, resolve } from 'node:path'
import { pino, type Logger } from 'pino'
import type { Config } from './settings/config.ts'
import { cachesOf } from '../stores/sqlite/caches.ts'
import { createDataFolder, lockDataFolder, readOrCreateSecret, type DataFolder } from '../stores/sqlite/dataFolder.ts'
import { commitInterval } from '../stores/sqlite/transactions.ts'
import type { Codec } from '../events/codec.ts'
import type { EventStore } from '../events/eventStore.ts'
import type { LogAddress } from '../projections/embedded/workerThread.ts'
import { withIncarnations } from '../events/legacyReferences.ts'
import { openSqliteVault } from '../events/personal/sqliteVault.ts'
import { decryptingLog, type VaultObserver } from '../events/personal/sealing.ts'
import { lazyVault, type Vault } from '../events/personal/vault.ts'
import { newDurablePosition, type DurablePosition } from '../events/sqlite/reads.ts'
import { openSqliteEventStore } from '../events/sqlite/store.ts'
import { personalByKind, storedKinds } from '../kinds/registry/kinds.ts'
import type { SecretCodec } from '../kinds/defineKind.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { openScratchReadModels, openSqliteReadModels } from '../projections/embedded/readModels.ts'
import { closeAll } from '../stores/closing.ts'
import { openSqliteWebhookStore } from '../subscriptions/webhooks/sqlite/webhookStore.ts'
import type { WebhookStore } from '../subscriptions/webhooks/webhookStore.ts'

/** The two stores of a process, and how to close them. */
export interface Engines {
  readonly log: EventStore
  readonly readModels: ReadModels
  readonly vault: Vault
  close(): Promise<void>
}

interface OpenOptions {
  readonly readOnly: boolean
  /** Codec for reading events, with personal values encrypted. */
  readonly codec?: Codec
  /** Default: opened when an event needs it. */
  readonly vault?: Vault
  /** Observer of personal values. */
  readonly observer?: VaultObserver
  readonly logger?: Logger
  /** Shared between the log's writer and the threads that follow it. */
  readonly durable?: DurablePosition
}

/** Reads `streamPrefix` from the connection string: the prefix of this catalog's streams in a shared EventStoreDB. */
const splitPrefix = (connection: string): { url: string; prefix: string } => {
  const [, prefix = ''] = /[?&]streamPrefix=([^&]*)/.exec(connection) ?? []
  const url = connection.replace(/([?&])streamPrefix=[^&]*(&|$)/, (_, before: string, after: string) =>
    after === '&' ? before : '',
  )
  return { url, prefix: decodeURIComponent(prefix) }
}

/** A reader does not create the data folder. */
const folderOf = ({ dataDir }: Config, readOnly: boolean): string =>
  readOnly ? resolve(dataDir) : createDataFolder(dataDir)

const silent = pino({ level: 'silent' })

/** The keys of personal values, in the data folder or in MongoDB. Opened on first use. */
export const openVault = (config: Config, { readOnly }: Pick<OpenOptions, 'readOnly'>): Vault =>
  lazyVault(async () => {
    if (config.mongodbUrl === undefined)
      return openSqliteVault({ path: join(folderOf(config, readOnly), files.personalKeys), readOnly })
    const { openMongoVault } = await import('../events/personal/mongoVault.ts')
    return openMongoVault({ url: config.mongodbUrl })
  })

/** Opens the configured log. Drivers are loaded only when needed. */
export const openLog = async (config: Config, options: OpenOptions): Promise<EventStore> => {
  const stored = await openSealedLog(config, options)
  if (options.codec !== undefined) return stored
  const log = withIncarnations(stored)
  const vault = options.vault ?? openVault(config, options)
  const close = (): Promise<void> => closeAll([log.close, ...(options.vault === undefined ? [vault.close] : [])])
  return { ...decryptingLog(log, { vault, personal: personalByKind, observer: options.observer }), close }
}

const openSealedLog = async (
  config: Config,
  { readOnly, codec, logger = silent, durable }: OpenOptions,
): Promise<EventStore> => {
  if (config.eventStoreUrl === undefined) {
    const path = join(folderOf(config, readOnly), files.log)
    const cacheBytes = cachesOf(config.memory).log
    return openSqliteEventStore({ path, readOnly, cacheBytes, ...(codec && { codec }), ...(durable && { durable }) })
  }
  const { openEventStoreDb } = await import('../events/eventstoredb/store.ts')
  return openEventStoreDb({
    ...splitPrefix(config.eventStoreUrl),
    kinds: storedKinds.map((kind) => kind.name),
    maxAppendBytes: config.eventStoreMaxAppendBytes,
    logger,
    ...(codec && { codec }),
  })
}

/** Address of the log for the worker of embedded read models. */
const logAddress = ({ eventStoreUrl }: Config, file: Extract<LogAddress, { path: string }>): LogAddress =>
  eventStoreUrl === undefined ? file : { ...splitPrefix(eventStoreUrl), kinds: storedKinds.map((kind) => kind.name) }

export const openReadModels = async (
  config: Config,
  { readOnly, logger = silent, durable }: OpenOptions,
): Promise<ReadModels> => {
  if (config.mongodbUrl === undefined) {
    const { pages, rows, log } = cachesOf(config.memory)
    const folder = folderOf(config, readOnly)
    return openSqliteReadModels({
      path: join(folder, files.readModels),
      followed: logAddress(config, {
        path: join(folder, files.log),
        cacheBytes: Math.floor(log / 8),
        ...(durable && { durable }),
      }),
      readOnly,
      pageBytes: Math.floor(pages / 2),
      cacheBytes: rows,
      commitEvery: commitInterval,
      readThreads: true,
      onReplaced: (reason) => logger.warn(`${reason}. The read models are built again from the log.`),
    })
  }
  const { openMongoReadModels } = await import('../projections/distributed/readModels.ts')
  return openMongoReadModels({ url: config.mongodbUrl, readOnly, logger })
}

/** Webhooks are stored next to the read models, or in the same database. */
export const openWebhookStore = async (
  config: Config,
  secretCodec: Pick<SecretCodec, 'seal'>,
  { readOnly }: Pick<OpenOptions, 'readOnly'>,
): Promise<WebhookStore> => {
  if (config.mongodbUrl === undefined)
    return openSqliteWebhookStore(join(folderOf(config, readOnly), files.webhooks), secretCodec, { readOnly })
  const { openMongoWebhookStore } = await import('../subscriptions/webhooks/mongo/webhookStore.ts')
  return openMongoWebhookStore({ url: config.mongodbUrl, secretCodec })
}

/** Empty read models of the same engine for a comparison, which are removed when they are closed. */
export const openScratch = async ({ mongodbUrl }: Config, live: ReadModels): Promise<ReadModels> => {
  if (mongodbUrl === undefined) return openScratchReadModels()
  const { fresh, discard } = await live.startRebuild()
  return { ...fresh, close: discard }
}

/** An address without credentials and parameters, of which nothing is shown where it is unclear where they end. */
export const publicPart = (url: string): string => {
  const [address = '', ...parameters] = url.split('?')
  return parameters.some((text) => text.includes('@'))
    ? url.replace(/\/\/.*/s, '//…')
    : address.replace(/(?<!\/)\/\/.*@/s, '//')
}

/** Location of the log, for people. */
export const logLocation = ({ eventStoreUrl, dataDir }: Config): string =>
  eventStoreUrl === undefined ? resolve(dataDir, files.log) : publicPart(eventStoreUrl)

/** Location of the keys of personal values, for people. */
export const vaultLocation = ({ mongodbUrl, dataDir }: Config): string =>
  mongodbUrl === undefined ? resolve(dataDir, files.personalKeys) : `personal_keys in ${publicPart(mongodbUrl)}`

/** Names of the engines, for people. */
export const engineNames = (config: Config): { readonly eventStore: string; readonly readModels: string } => ({
  eventStore: config.eventStoreUrl === undefined ? 'sqlite' : 'eventstoredb',
  readModels: config.mongodbUrl === undefined ? 'sqlite' : 'mongodb',
})

/** Locks the data folder if a store is embedded. @throws DataFolderInUse */
export const holdFolder = (config: Config, logger = silent): Pick<DataFolder, 'close'> => {
  if (config.eventStoreUrl !== undefined && config.mongodbUrl !== undefined) return { close: () => undefined }
  const held = lockDataFolder(config.dataDir)
  if (held.crashedPid !== undefined) tellOfCrash(held.path, held.crashedPid, logger)
  return held
}

/** Logs that the last process was killed or crashed, with the reports that Node wrote of it. */
const tellOfCrash = (folder: string, pid: string, logger: Logger): void => {
  const reports = readdirSync(folder).filter((name) => name.startsWith('report.') && name.split('.')[3] === pid)
  const what = 'the process that used the data folder before ended without closing it: it was killed or it crashed'
  logger.warn({ pid, reports }, what)
}

interface Opening {
  /** Called with each store as soon as it is created; it may not answer yet. */
  readonly opened?: (store: Partial<Pick<Engines, 'log' | 'readModels'>>) => void
  /** Runs a step, with retries (default: once). */
  readonly trying?: <T>(work: () => Promise<T>, what: string) => Promise<T>
}

/** Opens both stores for a writing process. @throws DataFolderInUse, StoreUnavailable */
export const openEngines = async (
  config: Config,
  logger: Logger,
  { opened = () => undefined, trying = (work) => work() }: Opening = {},
): Promise<Engines> => {
  const folder = holdFolder(config, logger)
  const vault = openVault(config, { readOnly: false })
  const durable = newDurablePosition()
  const names = engineNames(config)
  const stores: { close(): unknown }[] = [folder, vault]
  const close = (): Promise<void> => closeAll(stores.toReversed().map((store) => () => store.close()))
  try {
    // Without its file neither read models can be built nor persons be written: a damaged one ends the start.
    if (config.mongodbUrl === undefined) await vault.keys([])
    const log = await openLog(config, { readOnly: false, logger, vault, durable })
    stores.push(log)
    opened({ log })
    const readModels = await trying(
      () => openReadModels(config, { readOnly: false, logger, durable }),
      names.readModels,
    )
    stores.push(readModels)
    opened({ readModels })
    // Last, so that each store says for itself whether it answers.
    await trying(() => log.ping(), names.eventStore)
    return { log, readModels, vault, close }
  } catch (error) {
    await close().catch((err: unknown) => logger.error({ err }, 'the stores could not be closed'))
    throw error
  }
}

/** The configured key, or one in the data folder. */
export const secretFor = (config: Config): string =>
  config.secretKey ?? readOrCreateSecret(createDataFolder(config.dataDir), files.sealingKey)
