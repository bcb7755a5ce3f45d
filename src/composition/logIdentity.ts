import { writeFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventStore } from '../events/eventStore.ts'
import type { DatabaseIdentity, ReadModels } from '../projections/readModels/readModels.ts'
import type { Config } from './settings/config.ts'
import { logLocation, publicPart } from './engines.ts'
import { files } from './settings/fixedNames.ts'
import type { CheckpointStore } from '../processes/cascadeProgress.ts'
import { readSecret, replaceSecret } from '../stores/sqlite/dataFolder.ts'
import { giveToOwner } from '../stores/sqlite/ownership.ts'

/** A data folder or database belongs to another log. */
export class LogMismatch extends Error {
  override readonly name = 'LogMismatch'
  constructor(place: string, known: string, log: string, first: string | undefined) {
    const is = first === undefined ? 'is empty' : `begins with event ${first}`
    super(
      `${place} belongs to the log that begins with event ${known}, but the log at ${log} ${is}. Check the addresses. ` +
        'If what is there may be replaced by what this log says, start once with: catalog serve --take-over',
    )
  }
}

interface Place extends DatabaseIdentity {
  readonly name: string
}

const folderOf = ({ dataDir }: Config): Place => {
  const path = join(dataDir, files.logIdentity)
  return {
    name: `The data folder ${dataDir}`,
    read: async () => readSecret(path) || undefined,
    // The writing process holds the lock of the folder.
    claim: async (first) => {
      replaceSecret(path, first)
      return first
    },
  }
}

const placesOf = (config: Config, { identity }: Pick<ReadModels, 'identity'>): Place[] => {
  const { eventStoreUrl, mongodbUrl } = config
  return [
    ...(eventStoreUrl === undefined || mongodbUrl === undefined ? [folderOf(config)] : []),
    ...(identity === undefined ? [] : [{ ...identity, name: `The database ${publicPart(mongodbUrl ?? '')}` }]),
  ]
}

interface Stores {
  readonly log: Pick<EventStore, 'first'>
  readonly readModels: Pick<ReadModels, 'identity'>
}

/** What each place knows, and the first event. That is read last: whoever claimed a place had written it before. */
async function* knownPlaces(config: Config, { log, readModels }: Stores) {
  for (const place of placesOf(config, readModels))
    yield { place, known: await place.read(), first: (await log.first())?.id }
}

/**
 * Checks that data folder and database belong to this log or to none, and changes nothing.
 * @throws LogMismatch
 */
export const assertOwnLog = async (config: Config, stores: Stores): Promise<void> => {
  for await (const { place, known, first } of knownPlaces(config, stores))
    if (known !== undefined && known !== first) throw new LogMismatch(place.name, known, logLocation(config), first)
}

/**
 * Checks that data folder and database belong to this log, and claims unclaimed ones.
 * @param takeOver also claims those of another log
 * @throws LogMismatch
 */
export const claimForLog = async (config: Config, stores: Stores, takeOver = false): Promise<void> => {
  if (!takeOver) await assertOwnLog(config, stores)
  for await (const { place, known, first } of knownPlaces(config, stores)) {
    if (first === undefined || known === first) continue
    const owner = await place.claim(first, takeOver)
    if (owner !== first) throw new LogMismatch(place.name, owner, logLocation(config), first)
  }
}

/** Interval in milliseconds of checking that the database still belongs to this log. */
const interval = 10_000

/** Watches for another log taking over the database. @returns function to stop */
export const watchIdentity = (
  config: Config,
  engines: Stores,
  onMismatch: (error: LogMismatch) => void,
): (() => void) => {
  if (engines.readModels.identity === undefined) return () => undefined
  const timer = setInterval(() => {
    claimForLog(config, engines).catch((error: unknown) => {
      // An unavailable store is checked again later.
      if (error instanceof LogMismatch) onMismatch(error)
    })
  }, interval).unref()
  return () => clearInterval(timer)
}

type OpenedCheckpoint = CheckpointStore & { close(): Promise<void> }

/** A file that is replaced atomically. */
const fileOf = ({ dataDir }: Config): OpenedCheckpoint => {
  const path = join(dataDir, files.integrity)
  return {
    read: async () => readSecret(path),
    write: async (text) => {
      await writeFile(`${path}.part`, text, { mode: 0o600 })
      giveToOwner(`${path}.part`)
      await rename(`${path}.part`, path)
    },
    close: async () => undefined,
  }
}

/** The checkpoint store of the integrity process, next to the read models. */
export const openIntegrityCheckpoint = async (config: Config): Promise<OpenedCheckpoint> => {
  if (config.mongodbUrl === undefined) return fileOf(config)
  const { openMongoCheckpoint } = await import('../stores/mongo/connection.ts')
  return openMongoCheckpoint(config.mongodbUrl, 'integrity')
}
