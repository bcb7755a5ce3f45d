import { Readable } from 'node:stream'
import type { Mark } from '../../src/events/mark.ts'
import type { EntityRow } from '../../src/projections/entities/row.ts'
import { makeLabels } from '../../src/projections/labels.ts'
import { applyBatch, checkpointOf, type Projection, type ProjectionStore } from '../../src/projections/projection.ts'

const noLog = { readStream: () => Readable.from([]) }

/** Stores rows as if events up to the position had led to them. */
export const applyRows = (
  store: ProjectionStore,
  rows: readonly EntityRow[],
  position: bigint,
  newest?: Mark,
): Promise<void> =>
  applyBatch(store, { events: [], position, rows: async () => rows, labelsOf: makeLabels(noLog) }, { position, newest })

/** The newest event that the first projection shows. */
export const newestOf = async ({ projections, checkpoints }: ProjectionStore): Promise<Mark | undefined> =>
  (await checkpoints()).get((projections[0] as Projection).name)?.newest

export { checkpointOf }
