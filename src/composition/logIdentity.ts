import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventStore } from '../events/eventStore.ts'
import type { Config } from './config.ts'
import { files, placeOfLog, publicPart } from './engines.ts'

/** What is kept beside a log belongs to another one. */
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

/** Remembers the first event of the log that it belongs to. */
interface Place {
  readonly name: string
  read(): Promise<string | undefined>
  /** @returns what it remembers from then on: who came first is not replaced, unless by a take-over */
  claim(first: string, takeOver: boolean): Promise<string>
}

const folderOf = ({ dataDir }: Config): Place => {
  const path = join(dataDir, files.logIdentity)
  return {
    name: `The data folder ${dataDir}`,
    read: async () => {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        return ''
      })
      return text.trim() || undefined
    },
    // Whoever writes holds the folder.
    claim: async (first) => {
      await writeFile(path, `${first}\n`)
      return first
    },
  }
}

const databaseOf = (url: string): Place => ({
  name: `The database ${publicPart(url)}`,
  read: async () => (await import('../stores/mongo/identity.ts')).readMongoIdentity(url),
  claim: async (first, takeOver) =>
    (await import('../stores/mongo/identity.ts')).claimMongoIdentity(url, first, takeOver),
})

const placesOf = (config: Config): Place[] => {
  const { eventStoreUrl, mongodbUrl } = config
  return [
    ...(eventStoreUrl === undefined || mongodbUrl === undefined ? [folderOf(config)] : []),
    ...(mongodbUrl === undefined ? [] : [databaseOf(mongodbUrl)]),
  ]
}

const firstOf = async (log: EventStore): Promise<string | undefined> => {
  for await (const { id } of log.readAll({ limit: 1 })) return id
  return undefined
}

/**
 * Makes sure that what is kept beside the log is of this log, and claims what is nobody's.
 * @param takeOver claims what is another log's, too
 * @throws LogMismatch
 */
export const claimForLog = async (config: Config, log: EventStore, takeOver = false): Promise<void> => {
  const first = await firstOf(log)
  for (const place of placesOf(config)) {
    const known = await place.read()
    if (known === first) continue
    if (known !== undefined && !takeOver) throw new LogMismatch(place.name, known, placeOfLog(config), first)
    if (first === undefined) continue
    const owner = await place.claim(first, takeOver)
    if (owner !== first) throw new LogMismatch(place.name, owner, placeOfLog(config), first)
  }
}

/** Milliseconds after which a running service looks whether its database is still its own. */
const interval = 10_000

/** Looks now and then, and tells when what is kept beside the log has become another's. @returns ends it */
export const watchIdentity = (
  config: Config,
  log: EventStore,
  onMismatch: (error: LogMismatch) => void,
): (() => void) => {
  if (config.mongodbUrl === undefined) return () => undefined
  const timer = setInterval(() => {
    claimForLog(config, log).catch((error: unknown) => {
      // A store that does not answer is looked at again.
      if (error instanceof LogMismatch) onMismatch(error)
    })
  }, interval).unref()
  return () => clearInterval(timer)
}
