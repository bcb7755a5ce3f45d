import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { maxClockSkew } from '../commands/recording.ts'
import type { Config } from '../composition/settings/config.ts'
import { auditKeyFileOf, existingAuditKeys } from '../composition/keys/auditKeys.ts'
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
import { readSettings } from './command/settings.ts'
import { mebibytes, sizeOnDisk } from './disk/fileSize.ts'

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
  /** What is wrong although it answers, for people. */
  readonly problems?: readonly string[]
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
}

const askLog = async (log: EventStore): Promise<LogEnd> => {
  await log.ping()
  const head = await log.head()
  if (head === undefined) return {}
  for await (const { metadata } of log.readAll({ after: head - 1n })) {
    const ahead = Date.parse(metadata.time) - Date.now()
    const far = ahead > maxClockSkew && { ahead: Math.round(ahead / 1000) }
    return { head: String(head), newest: metadata.time, ...far }
  }
  return { head: String(head) }
}

/** Why the service does not start with these stores, or begins with a rebuild. */
const belongingProblems = async (config: Config, readModels: ReadModels, log: EventStore): Promise<string[]> => {
  try {
    await assertOwnLog(config, { log, readModels })
  } catch (error) {
    if (error instanceof LogMismatch) return [error.message]
    throw error
  }
  if (await isSameLog(await readModels.checkpoints(), log)) return []
  return ['They belong to another log: the service rebuilds them when it starts.']
}

const askReadModels = async (
  config: Config,
  readModels: ReadModels,
  { log, isUp, head }: { log: EventStore; isUp: boolean; head: string | undefined },
) => {
  await readModels.ping()
  const checkpoints = await readModels.checkpoints()
  const strange = isUp ? await belongingProblems(config, readModels, log) : []
  const projections = readModels.projections.map(({ name, version: stored }) => ({
    name,
    version: stored,
    ...placeOf(isUp && strange.length === 0 ? head : undefined, checkpoints.get(name)?.position),
  }))
  const sharing = await readModels.lease?.processes()
  const processes = sharing?.map(({ position, ...each }) => ({ ...each, ...placeOf(head, position) }))
  return { projections, ...(processes && { processes }), strange }
}

const signingProblems = async (config: Config, readModels: ReadModels): Promise<string[]> => {
  if (!existsSync(auditKeyFileOf(config))) return []
  try {
    await verifiedHead(makeLogTree(readModels), existingAuditKeys(config))
    return []
  } catch (error) {
    if (error instanceof CheckpointError) return [error.message]
    throw error
  }
}

const aheadProblem =
  'The newest event is far ahead of the clock of this machine, and CATALOG_ACCEPT_LOG_AHEAD is not set.'

const statusOfLog = (config: Config, log: EventStore) => {
  const at = config.eventStoreUrl === undefined ? config.dataDir : publicPart(config.eventStoreUrl)
  return queryStore({ engine: engineNames(config).eventStore, at }, async () => {
    const end = await askLog(log)
    const problems = end.ahead === undefined || config.acceptLogAhead ? [] : [aheadProblem]
    const size = config.eventStoreUrl === undefined && sizeOf([join(config.dataDir, files.log)], end.head)
    return { ...end, problems, ...size }
  })
}

const statusOfReadModels = (config: Config, log: EventStore, { status: ofLog, head }: StoreStatus & LogEnd) => {
  const at = config.mongodbUrl === undefined ? config.dataDir : publicPart(config.mongodbUrl)
  return queryStore({ engine: engineNames(config).readModels, at }, () =>
    withResource(openReadModels(config, { readOnly: true }), async (opened) => {
      const isUp = ofLog === 'up'
      const { strange, ...found } = await askReadModels(config, opened, { log, isUp, head })
      const witnesses = await witnessStatus(config, opened, log.dense && head !== undefined ? Number(head) : undefined)
      const problems = [
        ...strange,
        ...(await signingProblems(config, opened)),
        ...(isUp ? await personalProblems(config, opened) : []).map((problem) => `personal values: ${problem}`),
      ]
      const embedded = config.mongodbUrl === undefined && config.eventStoreUrl === undefined
      const path = join(config.dataDir, files.readModels)
      return { ...found, witnesses, problems, ...(embedded && sizeOf(readModelFiles(path), head)) }
    }),
  )
}

/** Reads the status of both stores without changing anything. */
export const readStatus = (config: Config) =>
  withResource(openLog(config, { readOnly: true }), async (log) => {
    const eventStore = await statusOfLog(config, log)
    return { version, eventStore, readModels: await statusOfReadModels(config, log, eventStore) }
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

const newestLines = ({ head, newest, ahead }: LogEnd): string[] => {
  if (head === undefined) return []
  const skew = ahead === undefined ? '' : `, which is ${ahead} seconds ahead of the clock of this machine`
  return [`  newest event at position ${head}${newest === undefined ? '' : `, of ${newest}${skew}`}`]
}

const problemLines = ({ problems = [] }: StoreStatus): string[] => problems.map((problem) => `  PROBLEM: ${problem}`)

const linesOf = ({ version: own, eventStore, readModels }: ServiceStatus): string[] => [
  `catalog      ${own}`,
  storeLine('event store', eventStore),
  ...newestLines(eventStore),
  ...sizeLines(eventStore),
  ...problemLines(eventStore),
  storeLine('read models', readModels),
  ...sizeLines(readModels),
  ...(readModels.projections ?? []).map(projectionLine),
  ...problemLines(readModels),
  ...processLines(readModels.processes),
  ...witnessLines(readModels.witnesses),
]

const isUpAndWell = ({ status: answers, problems = [] }: StoreStatus): boolean =>
  answers === 'up' && problems.length === 0

export const status: CliCommand = {
  usage: '[--json]',
  flags: ['json'],
  run: async ({ flags: { json } }) => {
    const found = await readStatus(readSettings(process.env, 'stores'))
    const { eventStore, readModels } = found
    const isHealthy =
      [eventStore, readModels].every(isUpAndWell) &&
      (readModels.witnesses ?? []).every(({ problem }) => problem === undefined)
    return print(json ? JSON.stringify(found, null, 2).split('\n') : linesOf(found), isHealthy ? 0 : 1)
  },
}
