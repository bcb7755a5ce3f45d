import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { createDataFolder, holdDataFolder, readOrCreateSecret } from './events/dataFolder.ts'
import type { Codec } from './events/codec.ts'
import type { EventStore } from './events/eventStore.ts'
import { openSqliteEventStore, type SqliteEventStore } from './events/sqliteEventStore.ts'
import type { Tools } from './kinds/defineKind.ts'
import type { ReadModels } from './projections/readModels.ts'
import { openSqliteReadModels } from './projections/sqliteReadModels.ts'
import { makeTools } from './secrets.ts'

/** The two stores that a process works with, and how to let go of them. */
export interface Engines {
  readonly log: EventStore
  readonly readModels: ReadModels
  /** Names for people: `sqlite`, `eventstoredb`, `mongodb`. */
  readonly names: { readonly eventStore: string; readonly readModels: string }
  close(): Promise<void>
}

/** Files of the data folder. */
export const files = {
  log: 'log.db',
  readModels: 'readmodels.db',
  jwtSecret: 'jwt.secret',
  sealingKey: 'sealing.key',
} as const

/** Opens the log that the configuration names. */
export const openLog = (
  config: Config,
  { readOnly, codec }: { readOnly: boolean; codec?: Codec },
): EventStore & Partial<SqliteEventStore> =>
  openSqliteEventStore({ path: join(createDataFolder(config.dataDir), files.log), readOnly, ...(codec && { codec }) })

/** Opens the read models that the configuration names. */
export const openReadModels = (config: Config, options: { readOnly: boolean }): Promise<ReadModels> =>
  openSqliteReadModels({ path: join(createDataFolder(config.dataDir), files.readModels), readOnly: options.readOnly })

/**
 * Opens both stores for a process that writes. The data folder is held as long as one of them is embedded.
 * @throws DataFolderInUse when another process has it
 */
export const openEngines = async (config: Config, logger: Logger): Promise<Engines> => {
  const embedded = config.eventStoreUrl === undefined || config.mongodbUrl === undefined
  const folder = embedded ? holdDataFolder(config.dataDir) : undefined
  const opened: { close(): Promise<void> }[] = []
  try {
    const log = openLog(config, { readOnly: false })
    opened.push(log)
    const readModels = await openReadModels(config, { readOnly: false })
    opened.push(readModels)
    const names = {
      eventStore: config.eventStoreUrl === undefined ? 'sqlite' : 'eventstoredb',
      readModels: config.mongodbUrl === undefined ? 'sqlite' : 'mongodb',
    }
    logger.debug({ names }, 'stores opened')
    return { log, readModels, names, close: () => closeAll(opened, folder) }
  } catch (error) {
    await closeAll(opened, folder)
    throw error
  }
}

const closeAll = async (opened: readonly { close(): Promise<void> }[], folder: { release(): void } | undefined): Promise<void> => {
  for (const store of opened.toReversed()) await store.close()
  folder?.release()
}

/** What seals secrets: with the configured key, else with one that the data folder keeps. */
export const toolsFor = (config: Config): Tools =>
  makeTools(config.secretKey ?? readOrCreateSecret(createDataFolder(config.dataDir), files.sealingKey))
