import type { EntityRow } from '../../src/projections/entities/row.ts'
import { applyBatch, checkpointOf, type ProjectionStore } from '../../src/projections/projection.ts'

/** Stores rows as if events up to the position had led to them. */
export const applyRows = (store: ProjectionStore, rows: readonly EntityRow[], position: bigint): Promise<void> =>
  applyBatch(store, { events: [], position, rows: async () => rows })

export { checkpointOf }
