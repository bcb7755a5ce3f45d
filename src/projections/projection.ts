import {
  hasFingerprint,
  isBehind,
  fingerprintOf,
  fingerprintText,
  OtherLog,
  type LogFingerprint,
  type RecordedEvent,
} from '../events/events.ts'
import type { EventBatch, EventStore } from '../events/eventStore.ts'
import type { EntityRow } from './entities/row.ts'
import type { LabelsOf } from './labels.ts'
import type { Lease } from './lease.ts'

export interface Checkpoint {
  /** Position up to which the log was applied; `0n` is a valid position. */
  readonly position: bigint
  /** The newest event up to there; `undefined` if it is the one saved before. */
  readonly newest?: LogFingerprint | undefined
  /** The time of that event, stored if several processes share the projections. */
  readonly time?: string | undefined
}

/** The checkpoint after these events. */
export const checkpointAfter = ({ events, position }: EventBatch): Checkpoint => {
  const last = events.at(-1)
  return { position, newest: last && fingerprintOf(last), time: last?.metadata.time }
}

export interface Batch extends EventBatch {
  /** Exclusive start: the batch has all events from here to its position. Absent if unknown. */
  readonly after?: bigint | undefined
  readonly checkpoint: Checkpoint
  /** The rows of the batch's entities after the batch, or newer, one per id. */
  rows(): Promise<readonly EntityRow[]>
  readonly labelsOf: LabelsOf
  /** Whether an event is void: see `events/verdicts.ts`. Absent where the log has checked conditions. */
  readonly isVoid?: ((event: RecordedEvent) => Promise<boolean>) | undefined
  /** Awaited before a write that occupies the thread, so that what others wait for is written first. */
  readonly giveWay?: (() => Promise<void>) | undefined
  /** Called when the batch is rolled back after it was applied and shown, before anything else is read. */
  readonly undone?: ((reason: unknown) => void) | undefined
}

/** A projection of the log to a read model. Idempotent: repeated events change nothing. */
export interface Projection {
  readonly name: string
  /** Raise it when the same events are stored differently: then this projection alone is rebuilt. */
  readonly version: number
  /** Another projection of the same store whose rows it reads, which is always ahead of it. */
  readonly uses?: string
  /** Resolves when its other sources show a position. Called before a batch is applied. */
  sees?(position: bigint, stopping: AbortSignal): Promise<void>
  /** How long and how many events are collected while nobody waits. */
  readonly batching?: { readonly time: number; readonly size: number }
  /** How long and how many events are collected while so many writes wait, where a batch costs more than an event. */
  readonly crowd?: { readonly waiting: number; readonly time: number; readonly size: number }
  /** Writes the changes of a batch and its checkpoint atomically. `events` may be empty. */
  apply(batch: Batch): Promise<void>
}

export interface ProjectionLogger {
  warn(fields: object, line: string): void
  info(fields: object, line: string): void
}

/** Reports of a projection worker. */
export interface WorkerReports {
  /** A projection reached a position, visible to every read; `undefined` for the beginning. */
  readonly onMoved: (projection: string, position: bigint | undefined) => void
  /** An error after which projecting cannot go on, see `endsProjecting`. */
  readonly onLost: (reason: Error) => void
  readonly logger: ProjectionLogger
}

interface RunningWorker {
  prioritise(projection: string, position: bigint): void
  /** Resolves when everything started is written. */
  stop(): Promise<void>
}

/** Projections that another thread writes and this one reads. */
export interface ProjectionWorker {
  readonly projections: readonly string[]
  start(reports: WorkerReports): RunningWorker
}

export interface ProjectionStore {
  /** Writes wait for the first one. */
  readonly projections: readonly Projection[]
  /** Checkpoints by name, including those of another thread; absent if nothing was applied by this version. */
  checkpoints(): Promise<ReadonlyMap<string, Checkpoint>>
  /** Largest number of events per batch (default 1,000), to bound the time on a shared thread. */
  readonly batchSize?: number | undefined
  /** Set if several processes share the projections: then each partition is projected by one at a time. */
  readonly lease?: Lease | undefined
  /** The checkpoint of a projection, with one small read. Set if there is a lease. */
  readCheckpoint?(projection: string): Promise<Checkpoint | undefined>
  readonly worker?: ProjectionWorker | undefined
}

/** Positions of all projections of a store, including those of another thread, in order. */
export const positionsOf = async ({
  projections,
  worker,
  checkpoints,
}: Pick<ProjectionStore, 'projections' | 'worker' | 'checkpoints'>): Promise<Map<string, bigint | undefined>> => {
  const names = [...projections.map(({ name }) => name), ...(worker?.projections ?? [])]
  const saved = await checkpoints()
  return new Map(names.map((name) => [name, saved.get(name)?.position]))
}

/** Whether the log contains these checkpoints, see {@link assertSameLog}. */
export const isSameLog = async (...args: Parameters<typeof assertSameLog>): Promise<boolean> => {
  try {
    await assertSameLog(...args)
    return true
  } catch (error) {
    if (error instanceof OtherLog) return false
    throw error
  }
}

/** @throws OtherLog unless the log contains these checkpoints: it may have been restored, or have lost its end */
export const assertSameLog = async (
  checkpoints: ReadonlyMap<string, Checkpoint>,
  log: Pick<EventStore, 'eventAt' | 'head' | 'dense'>,
): Promise<void> => {
  const head = log.dense ? ((await log.head()) ?? 0n) : undefined
  for (const [name, { position }] of checkpoints)
    if (head !== undefined && position > head)
      throw new OtherLog(`The read model ${name} shows position ${position}, and the log ends at ${head}.`)
  const marks = [...checkpoints.values()].flatMap(({ newest }) => newest ?? [])
  const check = async ([text, mark]: readonly [string, LogFingerprint]): Promise<void> => {
    if (!(await hasFingerprint(log, mark)))
      throw new OtherLog(`The read models show the event ${text}, which the log does not have.`)
  }
  await Promise.all([...new Map(marks.map((each) => [fingerprintText(each), each]))].map(check))
}

/** The lag of a projection. */
export interface Lag {
  /** Number of events; at most 1,000 if positions are not dense. */
  readonly events: number
  /** Age of the first of them. */
  readonly seconds: number
}

const counted = 1000

/** The lag behind the log at a position. @param now epoch milliseconds by the clock of the log */
export const lagBehind = async (
  log: Pick<EventStore, 'dense' | 'head' | 'readAll'>,
  position: bigint | undefined,
  now: () => number,
): Promise<Lag> => {
  const head = await log.head()
  if (!isBehind(position, head)) return { events: 0, seconds: 0 }
  const distance = log.dense ? Number((head as bigint) - (position ?? 0n)) : undefined
  let events = 0
  let since: number | undefined
  for await (const { metadata } of log.readAll({ after: position, limit: distance === undefined ? counted : 1 })) {
    events++
    since ??= Date.parse(metadata.time)
  }
  return { events: distance ?? events, seconds: since === undefined ? 0 : Math.max(0, now() - since) / 1000 }
}
