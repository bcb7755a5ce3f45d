import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { maxClockSkew } from '../commands/recording.ts'
import type { Config } from '../composition/settings/config.ts'
import { auditKeyFileOf, existingAuditKeys } from '../composition/keys/auditKeys.ts'
import { sealingWarning } from '../composition/keys/sealingKeyRecord.ts'
import { readSignerWarnings } from '../composition/keys/signerRecord.ts'
import { engineNames, openLog, openReadModels, publicPart } from '../composition/engines.ts'
import { files } from '../composition/settings/fixedNames.ts'
import { assertOwnLog, LogMismatch } from '../composition/logIdentity.ts'
import type { EventStore } from '../events/eventStore.ts'
import { isSameLog } from '../projections/projection.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { verifiedHead, CheckpointError } from '../projections/tree/signHead.ts'
import { makeLogTree } from '../projections/tree/tree.ts'
import { readModelFiles } from '../projections/embedded/readModels.ts'
import { version } from '../shared/version.ts'
import { withResource, print, type CliCommand } from './command/command.ts'
import { personalProblems, witnessLines, witnessStatus } from './witnessStatus.ts'
import { hasOtherSealingKey, readSettings } from './command/settings.ts'
import { mebibytes, sizeOnDisk } from './disk/fileSize.ts'
import { serviceLine, serviceStatus } from './serviceStatus.ts'

interface StoreStatus {
  readonly engine: string
  /** Without user and password. */
  readonly at: string
  readonly status: 'up' | 'down'
  /** Bytes of an embedded store's files; absent for a server. */
  readonly bytes?: number
  /** Average bytes per event. */
  readonly bytesOfEvent?: number
  readonly error?: string
}

/** A position, and the number of positions between it and the newest event, if it is one of this log. */
interface Place {
  readonly position?: string
  readonly behind?: string
}

const placeOf = (head: string | undefined, position: bigint | undefined): Place => {
  const behind = head === undefined ? undefined : BigInt(head) - (position ?? 0n)
  return {
    ...(position !== undefined && { position: String(position) }),
    ...(behind !== undefined && { behind: String(behind > 0n ? behind : 0n) }),
  }
}

/** The answer of a store, or why there is none. */
const queryStore = async <T extends object>(
  store: Pick<StoreStatus, 'engine' | 'at'>,
  ask: () => Promise<T>,
): Promise<StoreStatus & Partial<T>> => {
  try {
    return { ...store, status: 'up', ...(await ask()) }
  } catch (error) {
    return { ...store, status: 'down', error: (error as Error).message } as StoreStatus & Partial<T>
  }
}

/** Size of an embedded store. @param head position of the newest event; those of an embedded log count its events */
const sizeOf = (paths: readonly string[], head: string | undefined): Pick<StoreStatus, 'bytes' | 'bytesOfEvent'> => {
  const bytes = sizeOnDisk(paths)
  return { bytes, ...(head !== undefined && { bytesOfEvent: Math.round(bytes / Number(head)) }) }
}

interface LogEnd {
  readonly head?: string
  readonly newest?: string
  /** Seconds by which the newest event is far ahead of the machine's clock. */
  readonly ahead?: number
  /** Whether the settings accept that. */
  readonly aheadAccepted?: boolean
}

const askLog = async ({ acceptLogAhead }: Config, log: EventStore): Promise<LogEnd> => {
  await log.ping()
  const head = await log.head()
  if (head === undefined) return {}
  for await (const { metadata } of log.readAll({ after: head - 1n })) {
    const ahead = Date.parse(metadata.time) - Date.now()
    const far = ahead > maxClockSkew && { ahead: Math.round(ahead / 1000), aheadAccepted: acceptLogAhead }
    return { head: String(head), newest: metadata.time, ...far }
  }
  return { head: String(head) }
}

interface Belonging {
  readonly ofThisLog?: boolean
  /** Why the service does not start with these stores. */
  readonly refused?: string
}

const belonging = async (config: Config, readModels: ReadModels, log: EventStore): Promise<Belonging> => {
  try {
    await assertOwnLog(config, { log, readModels })
    return { ofThisLog: await isSameLog(await readModels.checkpoints(), log) }
  } catch (error) {
    if (error instanceof LogMismatch) return { ofThisLog: false, refused: error.message }
    throw error
  }
}

const askReadModels = async (
  config: Config,
  readModels: ReadModels,
  { log, isUp, head }: { log: EventStore; isUp: boolean; head: string | undefined },
) => {
  await readModels.ping()
  const checkpoints = await readModels.checkpoints()
  const found = isUp ? await belonging(config, readModels, log) : {}
  const projections = readModels.projections.map(({ name, version: stored }) => ({
    name,
    version: stored,
    ...placeOf(found.ofThisLog ? head : undefined, checkpoints.get(name)?.position),
  }))
  const sharing = await readModels.lease?.processes()
  const processes = sharing?.map(({ id, host, pid, version: running, projects, position }) => ({
    id,
    host,
    pid,
    version: running,
    projects,
    ...placeOf(head, position),
  }))
  return { projections, ...(processes && { processes }), ...found }
}

const signing = async (config: Config, readModels: ReadModels): Promise<{ readonly notSigned?: string }> => {
  if (!existsSync(auditKeyFileOf(config))) return {}
  try {
    await verifiedHead(makeLogTree(readModels), existingAuditKeys(config))
    return {}
  } catch (error) {
    if (error instanceof CheckpointError) return { notSigned: error.message }
    throw error
  }
}

/** What is known of the key, except by a command that lacks the one of the running service. */
const sealing = async (config: Config, shared: Pick<ReadModels, 'sealingKey'>) => {
  const sealed = hasOtherSealingKey(config) ? undefined : await sealingWarning(config, shared)
  return { ...(sealed !== undefined && { sealedByAnother: sealed }) }
}

const statusOfLog = (config: Config, log: EventStore) => {
  const at = config.eventStoreUrl === undefined ? config.dataDir : publicPart(config.eventStoreUrl)
  return queryStore({ engine: engineNames(config).eventStore, at }, async () => {
    const signed = await readSignerWarnings(config, log)
    const found = {
      ...(await askLog(config, log)),
      ...(signed.length > 0 && { signedByOthers: signed }),
      ...(await sealing(config, {})),
    }
    return config.eventStoreUrl === undefined
      ? { ...found, ...sizeOf([join(config.dataDir, files.log)], found.head) }
      : found
  })
}

const statusOfReadModels = (config: Config, log: EventStore, { status: ofLog, head }: StoreStatus & LogEnd) => {
  const at = config.mongodbUrl === undefined ? config.dataDir : publicPart(config.mongodbUrl)
  return queryStore({ engine: engineNames(config).readModels, at }, () =>
    withResource(openReadModels(config, { readOnly: true }), async (opened) => {
      const found = {
        ...(await askReadModels(config, opened, { log, isUp: ofLog === 'up', head })),
        witnesses: await witnessStatus(config, opened, log.dense && head !== undefined ? Number(head) : undefined),
        ...(await signing(config, opened)),
        ...(await sealing(config, opened)),
        ...(ofLog === 'up' && { personal: await personalProblems(config, opened) }),
      }
      const embedded = config.mongodbUrl === undefined && config.eventStoreUrl === undefined
      const path = join(config.dataDir, files.readModels)
      return { ...found, ...(embedded && sizeOf(readModelFiles(path), head)) }
    }),
  )
}

/** Reads the status of the running service and of both stores without changing anything. */
export const readStatus = (config: Config) =>
  withResource(openLog(config, { readOnly: true }), async (log) => {
    const eventStore = await statusOfLog(config, log)
    const [service, readModels] = await Promise.all([
      serviceStatus(config),
      statusOfReadModels(config, log, eventStore),
    ])
    return { version, ...(service && { service }), eventStore, readModels }
  })

/** The status for an operator. Positions are decimal texts; absent if there is nothing yet. */
export type ServiceStatus = Awaited<ReturnType<typeof readStatus>>

const storeLine = (name: string, { engine, at, status, error }: StoreStatus): string =>
  `${name.padEnd(12)} ${engine} at ${at}: ${status}${error === undefined ? '' : ` (${error})`}`

const sizeLines = ({ bytes, bytesOfEvent }: StoreStatus): string[] => {
  if (bytes === undefined) return []
  const growth = bytesOfEvent === undefined ? '' : `, about ${bytesOfEvent} bytes per event`
  return [`  ${mebibytes(bytes)} on disk${growth}`]
}

type Models = ServiceStatus['readModels']

const placeText = ({ position, behind }: Place): string => {
  const lag = behind === '0' ? ', up to date' : behind && `, ${behind} positions behind the log`
  return `${position === undefined ? 'nothing applied yet' : `position ${position}`}${lag ?? ''}`
}

const projectionLine = ({ name, version: stored, ...place }: NonNullable<Models['projections']>[number]): string =>
  `  ${name.padEnd(12)} version ${stored}, ${placeText(place)}`

const processLines = (processes: Models['processes']): string[] => {
  if (processes === undefined) return []
  if (processes.length === 0) return ['processes    none is running']
  return [
    'processes',
    ...processes.map(
      ({ host, pid, version: running, projects, ...place }) =>
        `  ${pid} on ${host}, ${running}: ${projects.length > 0 ? `projects ${projects.join(' ')}` : 'follows'}, ${placeText(place)}`,
    ),
    ...(processes.some(({ projects }) => projects.length > 0)
      ? []
      : ['  None of them projects: the read models are not updated.']),
  ]
}

const aheadLines = ({ ahead, aheadAccepted }: LogEnd): string[] => {
  if (ahead === undefined) return []
  const that = `that is ${ahead} seconds ahead of the clock of this machine`
  return [aheadAccepted ? `  ${that}, as CATALOG_ACCEPT_LOG_AHEAD accepts` : `  PROBLEM: ${that}`]
}

const linesOf = ({ version: own, service, eventStore, readModels }: ServiceStatus): string[] => [
  `catalog      ${own}`,
  ...(service === undefined ? [] : [serviceLine(service)]),
  storeLine('event store', eventStore),
  ...(eventStore.head === undefined
    ? []
    : [`  newest event at position ${eventStore.head}${eventStore.newest ? `, of ${eventStore.newest}` : ''}`]),
  ...aheadLines(eventStore),
  ...sizeLines(eventStore),
  ...[eventStore.signedByOthers ?? [], readModels.sealedByAnother ?? eventStore.sealedByAnother ?? []]
    .flat()
    .map((warning) => `  WARNING: ${warning}`),
  storeLine('read models', readModels),
  ...sizeLines(readModels),
  ...(readModels.projections ?? []).map(projectionLine),
  ...(readModels.refused === undefined ? [] : [`  PROBLEM: ${readModels.refused}`]),
  ...(readModels.ofThisLog === false && readModels.refused === undefined
    ? ['  They belong to another log: the service rebuilds them when it starts.']
    : []),
  ...(readModels.notSigned === undefined ? [] : [`  PROBLEM: ${readModels.notSigned}`]),
  ...(readModels.personal ?? []).map((problem) => `  PROBLEM: personal values: ${problem}`),
  ...processLines(readModels.processes),
  ...witnessLines(readModels.witnesses),
]

export const status: CliCommand = {
  usage: '[--json]',
  flags: ['json'],
  run: async ({ flags: { json } }) => {
    const found = await readStatus(readSettings(process.env, 'stores'))
    const { service, eventStore, readModels } = found
    const isHealthy =
      (service === undefined || service.status === 'ready') &&
      eventStore.status === 'up' &&
      readModels.status === 'up' &&
      eventStore.signedByOthers === undefined &&
      eventStore.sealedByAnother === undefined &&
      readModels.sealedByAnother === undefined &&
      (eventStore.ahead === undefined || eventStore.aheadAccepted === true) &&
      readModels.notSigned === undefined &&
      (readModels.personal ?? []).length === 0 &&
      readModels.ofThisLog !== false &&
      (readModels.witnesses ?? []).every(({ problem }) => problem === undefined)
    return print(json ? JSON.stringify(found, null, 2).split('\n') : linesOf(found), isHealthy ? 0 : 1)
  },
}
