import type { EventType } from '../events/events.ts'
import type { EventBatch, EventStore } from '../events/eventStore.ts'
import { holds, markOf, markText, OtherLog, type Mark } from '../events/mark.ts'
import type { EntityRow } from './entities/row.ts'
import type { LabelsOf } from './labels.ts'
import type { Lost } from './lanes.ts'
import type { Sharing } from './processes/sharing.ts'
import { NamedError } from '../shared/errors/namedError.ts'

export interface Checkpoint {
  /** The log has been applied up to here; `0n` is a position like any other. */
  readonly position: bigint
  /** The newest event up to there; `undefined`: it is the one that was saved before. */
  readonly newest?: Mark | undefined
  /** The time of that event, as it has it; kept where several processes share the projections. */
  readonly time?: string | undefined
}

/** The checkpoint behind these events of the log, which are in its order. */
export const checkpointAfter = ({ events, position }: EventBatch): Checkpoint => {
  const last = events.at(-1)
  return { position, newest: last && markOf(last), time: last?.metadata.time }
}

/** The read models that were written to are read no longer: whoever projects must read the checkpoint again. */
export class ReadModelsReplaced extends NamedError {
  override readonly name = 'ReadModelsReplaced'
}

export interface Batch extends EventBatch {
  /** Exclusive: the events are all of the log from here to the position. Left out: that is not known. */
  readonly after?: bigint | undefined
  /**
   * The entities of these events as the batch leaves them, or newer, one row per id, folded when first asked for. In a
   * replay of the whole log: none, or those that are folded to its end.
   */
  rows(): Promise<readonly EntityRow[]>
  /** Were none of these entities stored before? Left out: that is not known. */
  readonly isNew?: boolean
  /** The domains and owners that the entity of one of these events had just before it or just after it. */
  readonly labelsOf: LabelsOf
}

/**
 * Writes what a batch has changed and, after that, how far the projection has come. In a transaction it must be
 * synchronous.
 */
export type Write = (checkpoint: Checkpoint) => void | Promise<void>

/**
 * A read model that the runner keeps in step. Events that come again, after a crash or by another process, change
 * nothing.
 */
export interface Projection {
  readonly name: string
  /** Grows when it stores something else for the same events: then it begins anew, alone. */
  readonly version: number
  readonly handles: ReadonlySet<EventType>
  /** What it makes of events depends on their order in the log: a replay does not give it stream after stream. */
  readonly inOrder?: boolean
  /** Another projection, whose rows it reads: it is given nothing that is not there yet, and begins anew with it. */
  readonly uses?: string
  /** Works out what the batch changes, and only reads; what it gives does the writing. `events` may be empty. */
  apply(batch: Batch): Promise<Write>
  /** Throws away what is stored, with the checkpoint: the runner applies the log again. */
  rebuild(): Promise<void>
}

export interface ProjectionLogger {
  warn(fields: object, line: string): void
  info(fields: object, line: string): void
}

/** What is told by projections that something else keeps in step. */
export interface BesideReports {
  /** A projection has come so far; `undefined`: it is at the beginning. Every read sees it. */
  readonly moved: (projection: string, position: bigint | undefined) => void
  /** Only read models that are built again can mend it. */
  readonly lost: (reason: Lost) => void
  readonly logger: ProjectionLogger
}

export interface RunningBeside {
  /** Somebody waits for a projection to come so far. */
  hurry(projection: string, position: bigint): void
  /** Resolves when everything that was begun is written. */
  stop(): Promise<void>
}

/** Projections that another thread keeps in step with the log: what it writes, readers see here. */
export interface ProjectedBeside {
  readonly projections: readonly string[]
  start(reports: BesideReports): RunningBeside
}

export interface ProjectionStore {
  /** The first is the one that a write waits for; later ones are written after it. */
  readonly projections: readonly Projection[]
  /** By name, those of another thread too; absent: nothing has been applied, by this version. */
  checkpoints(): Promise<ReadonlyMap<string, Checkpoint>>
  /** Does all the writes of a batch, in one transaction where there are any. After it every read sees the batch. */
  commit(writes: readonly Write[], checkpoint: Checkpoint): Promise<void>
  /** No write waits for the first one, so that all are written together, in one commit. */
  readonly together?: boolean
  /** Events that it is given at once at most (default 1,000), where writing holds up others on the thread. */
  readonly batchSize?: number | undefined
  /** There where several processes keep them together: then one projects at a time. */
  readonly sharing?: Sharing | undefined
  /** Further projections, that another thread keeps in step while a runner runs. */
  readonly beside?: ProjectedBeside | undefined
}

/** Position up to which the first projection has come, the one that writes wait for. */
export const checkpointOf = async ({ projections, checkpoints }: ProjectionStore): Promise<bigint | undefined> =>
  (await checkpoints()).get((projections[0] as Projection).name)?.position

/** How far each projection of a store has come, those of another thread too; the first comes first. */
export const positionsOf = async ({
  projections,
  beside,
  checkpoints,
}: Pick<ProjectionStore, 'projections' | 'beside' | 'checkpoints'>): Promise<Map<string, bigint | undefined>> => {
  const names = [...projections.map(({ name }) => name), ...(beside?.projections ?? [])]
  const saved = await checkpoints()
  return new Map(names.map((name) => [name, saved.get(name)?.position]))
}

/** Applies a batch to projections of a store, all of them unless some are named, and writes it. */
export const applyBatch = async (
  store: ProjectionStore,
  batch: Batch,
  checkpoint: Checkpoint = checkpointAfter(batch),
  projections: readonly Projection[] = store.projections,
): Promise<void> => {
  const writes = await Promise.all(projections.map((projection) => projection.apply(batch)))
  await store.commit(writes, checkpoint)
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
  for (const [text, mark] of new Map(marks.map((each) => [markText(each), each])))
    if (!(await holds(log, mark)))
      throw new OtherLog(`The read models show the event ${text}, which the log does not have.`)
}
