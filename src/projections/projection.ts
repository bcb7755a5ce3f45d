import type { EventType } from '../events/events.ts'
import type { EventBatch } from '../events/eventStore.ts'
import type { EntityRow } from './entities/row.ts'

/** Events in log order, as projections are given them. */
export interface Batch extends EventBatch {
  /**
   * The entities of these events as the batch leaves them, or newer: folded once, when the first projection asks. One
   * row per id, in no particular order. In a replay stream by stream: those whose stream has ended.
   */
  rows(): Promise<readonly EntityRow[]>
}

/**
 * Writes what a batch has changed, and saves how far the projection has come. It never goes back, and saves nothing
 * before everything up to there is written. Where the store has transactions it runs in one and must be synchronous.
 */
export type Write = (checkpoint: bigint) => void | Promise<void>

/**
 * A read model that the runner keeps in step with the log. It may be given events that it has applied before, after a
 * crash or by another process: they change nothing.
 */
export interface Projection {
  /** What its checkpoint is called. */
  readonly name: string
  /** Grows when it stores something else for the same events: then it begins anew, alone. */
  readonly version: number
  /** Types of the events that it is given. */
  readonly handles: ReadonlySet<EventType>
  /** Works out what the batch changes, and only reads; what it gives does the writing. `events` may be empty. */
  apply(batch: Batch): Promise<Write>
  /** Throws away what is stored, with the checkpoint: the runner applies the log again. */
  rebuild(): Promise<void>
}

/** Where an engine keeps its projections. */
export interface ProjectionStore {
  /** The first is the one that a write waits for; later ones are written after it. */
  readonly projections: readonly Projection[]
  /**
   * By name, position up to which the log has been applied; absent: nothing has, by this version. `0n` is a position like
   * any other.
   */
  checkpoints(): Promise<ReadonlyMap<string, bigint>>
  /**
   * Does all the writes of a batch: in one transaction where the engine has those. After it has resolved every read sees
   * the batch.
   */
  commit(writes: readonly Write[], checkpoint: bigint): Promise<void>
}

/** Position up to which the first projection has come, the one that writes wait for. */
export const checkpointOf = async ({ projections, checkpoints }: ProjectionStore): Promise<bigint | undefined> =>
  (await checkpoints()).get((projections[0] as Projection).name)

/** Applies a batch to projections and writes it. */
export const applyBatch = async (
  store: ProjectionStore,
  batch: Batch,
  projections: readonly Projection[] = store.projections,
): Promise<void> => {
  const writes = await Promise.all(projections.map((projection) => projection.apply(batch)))
  await store.commit(writes, batch.position)
}
