import {
  type EventType,
  holds,
  fingerprintOf,
  fingerprintText,
  OtherLog,
  type LogFingerprint,
} from '../events/events.ts'
import type { EventBatch, EventStore } from '../events/eventStore.ts'
import type { EntityRow } from './entities/row.ts'
import type { Lost } from './errors.ts'
import type { LabelsOf } from './labels.ts'
import type { Lease } from './lease.ts'

export interface Checkpoint {
  /** The log has been applied up to here; `0n` is a position like any other. */
  readonly position: bigint
  /** The newest event up to there; `undefined`: it is the one that was saved before. */
  readonly newest?: LogFingerprint | undefined
  /** The time of that event, as it has it; kept where several processes share the projections. */
  readonly time?: string | undefined
}

/** The checkpoint behind these events of the log, which are in its order. */
export const checkpointAfter = ({ events, position }: EventBatch): Checkpoint => {
  const last = events.at(-1)
  return { position, newest: last && fingerprintOf(last), time: last?.metadata.time }
}

export interface Batch extends EventBatch {
  /** Exclusive: the events are all of the log from here to the position. Left out: that is not known. */
  readonly after?: bigint | undefined
  /** Behind the batch. */
  readonly checkpoint: Checkpoint
  /** The entities of these events as the batch leaves them, or newer, one row per id. */
  rows(): Promise<readonly EntityRow[]>
  /** The domains and owners that the entity of one of these events had just before it or just after it. */
  readonly labelsOf: LabelsOf
}

/** A read model that is kept in step with the log. Events that come again, after a crash, change nothing. */
export interface Projection {
  readonly name: string
  /** Grows when it stores something else for the same events: then it begins anew, alone. */
  readonly version: number
  readonly handles: ReadonlySet<EventType>
  /** Another projection of the same store, whose rows it reads: it is given nothing that is not there yet. */
  readonly uses?: string
  /** Resolves when what it reads elsewhere shows a position. Called before a batch is applied. */
  sees?(position: bigint, stopping: AbortSignal): Promise<void>
  /** Milliseconds for which events come together while nobody waits for them, and events that are enough. */
  readonly batching?: { readonly time: number; readonly size: number }
  /** Fills it from elsewhere where nothing has been applied, as far as the signal lets it. Called before it follows. */
  prepare?(stopping: AbortSignal): Promise<void>
  /** Writes what a batch changes and its checkpoint, both or neither. `events` may be empty. */
  apply(batch: Batch): Promise<void>
}

export interface ProjectionLogger {
  warn(fields: object, line: string): void
  info(fields: object, line: string): void
}

/** What is told by the worker that keeps some projections in step. */
export interface WorkerReports {
  /** A projection has come so far; `undefined`: it is at the beginning. Every read sees it. */
  readonly moved: (projection: string, position: bigint | undefined) => void
  /** Only read models that are built again can mend it. */
  readonly lost: (reason: Lost) => void
  readonly logger: ProjectionLogger
}

export interface RunningWorker {
  /** Somebody waits for a projection to come so far. */
  awaited(projection: string, position: bigint): void
  /** Resolves when everything that was begun is written. */
  stop(): Promise<void>
}

/** Projections that another thread keeps in step with the log: what it writes, readers see here. */
export interface ProjectionWorker {
  readonly projections: readonly string[]
  start(reports: WorkerReports): RunningWorker
}

export interface ProjectionStore {
  /** The first is the one that a write waits for. */
  readonly projections: readonly Projection[]
  /** By name, those of another thread too; absent: nothing has been applied, by this version. */
  checkpoints(): Promise<ReadonlyMap<string, Checkpoint>>
  /** Events that it is given at once at most (default 1,000), where writing holds up others on the thread. */
  readonly batchSize?: number | undefined
  /** There where several processes keep them together: then one projects at a time. */
  readonly lease?: Lease | undefined
  /** How far a projection has come in what is read at present: one small read. There where a lease is. */
  shown?(projection: string): Promise<Checkpoint | undefined>
  /** Keeps further projections in step while a runner runs. */
  readonly worker?: ProjectionWorker | undefined
}

/** Position up to which the first projection has come, the one that writes wait for. */
export const checkpointOf = async ({ projections, checkpoints }: ProjectionStore): Promise<bigint | undefined> =>
  (await checkpoints()).get((projections[0] as Projection).name)?.position

/** How far each projection of a store has come, those of another thread too; the first comes first. */
export const positionsOf = async ({
  projections,
  worker,
  checkpoints,
}: Pick<ProjectionStore, 'projections' | 'worker' | 'checkpoints'>): Promise<Map<string, bigint | undefined>> => {
  const names = [...projections.map(({ name }) => name), ...(worker?.projections ?? [])]
  const saved = await checkpoints()
  return new Map(names.map((name) => [name, saved.get(name)?.position]))
}

/** @throws OtherLog unless the log has what these checkpoints show: it may have been restored, or have lost its end */
export const mustShow = async (
  checkpoints: ReadonlyMap<string, Checkpoint>,
  log: Pick<EventStore, 'eventAt' | 'head' | 'dense'>,
): Promise<void> => {
  const head = log.dense ? ((await log.head()) ?? 0n) : undefined
  for (const [name, { position }] of checkpoints)
    if (head !== undefined && position > head)
      throw new OtherLog(`The read model ${name} shows position ${position}, and the log ends at ${head}.`)
  const marks = [...checkpoints.values()].flatMap(({ newest }) => newest ?? [])
  for (const [text, mark] of new Map(marks.map((each) => [fingerprintText(each), each])))
    if (!(await holds(log, mark)))
      throw new OtherLog(`The read models show the event ${text}, which the log does not have.`)
}
