import { Readable } from 'node:stream'
import type { EventStore } from '../../src/events/eventStore.ts'
import { type RecordedEvent, streamName, type LogFingerprint } from '../../src/events/events.ts'
import type { EntityRow } from '../../src/projections/entities/row.ts'
import { makeLabels } from '../../src/projections/labels.ts'
import {
  checkpointAfter,
  type Batch,
  type Checkpoint,
  type Projection,
  type ProjectionStore,
} from '../../src/projections/projection.ts'

/** Labels where nothing was ever renamed. */
export const labelsOf = makeLabels({ readStream: () => Readable.from([]) })

const never = new AbortController().signal

/** An index that is made of stored rows is told by events alone which ones. */
const eventsOf = async ({ sees }: Projection, batch: Omit<Batch, 'checkpoint'>): Promise<readonly RecordedEvent[]> =>
  sees === undefined || batch.events.length > 0
    ? batch.events
    : (await batch.rows()).map(({ kind, id }) => ({ stream: streamName(kind, id) }) as RecordedEvent)

/**
 * Applies a batch to projections of a store, one after the other; all of them unless some are named. Each has its try.
 * @throws what the first one that failed failed with
 */
export const applyBatch = async (
  store: ProjectionStore,
  batch: Omit<Batch, 'checkpoint'>,
  checkpoint: Checkpoint = checkpointAfter(batch),
  projections: readonly Projection[] = store.projections,
): Promise<void> => {
  const failures: unknown[] = []
  for (const projection of projections) {
    try {
      // An index is not given what the entities could not store.
      if (failures.length === 0) await projection.sees?.(checkpoint.position, never)
      else if (projection.sees !== undefined) continue
      await projection.apply({ ...batch, events: await eventsOf(projection, batch), checkpoint })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Stores rows as if events up to the position had led to them. */
export const applyRows = (
  store: ProjectionStore,
  rows: readonly EntityRow[],
  position: bigint,
  newest?: LogFingerprint,
): Promise<void> => applyBatch(store, { events: [], position, rows: async () => rows, labelsOf }, { position, newest })

/** The same for the entities alone. */
export const applyEntities: typeof applyRows = (store, ...given) =>
  applyRows({ ...store, projections: store.projections.slice(0, 1) }, ...given)

/** The store with something else in the place of what its projections do with a batch. */
export const applyingBy = <Store extends ProjectionStore>(
  store: Store,
  apply: (projection: Projection, batch: Batch) => Promise<void>,
): Store => ({
  ...store,
  projections: store.projections.map((projection) => ({ ...projection, apply: (batch) => apply(projection, batch) })),
})

/** The newest event that the first projection shows. */
export const newestOf = async ({ projections, checkpoints }: ProjectionStore): Promise<LogFingerprint | undefined> =>
  (await checkpoints()).get((projections[0] as Projection).name)?.newest

/** Position of the first projection, which writes wait for. */
export const checkpointOf = async ({ projections, checkpoints }: ProjectionStore): Promise<bigint | undefined> =>
  (await checkpoints()).get((projections[0] as Projection).name)?.position

/** A log whose store goes on with events of others. */
export const amongOthers = (log: EventStore): EventStore => ({
  ...log,
  dense: false,
  subscribe: async function* (options) {
    for await (const page of log.subscribe(options)) yield { ...page, position: page.position + 1000n }
  },
})
