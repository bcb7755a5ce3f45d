import { ReadModelsReplaced, type Batch, type Projection } from '../projection.ts'
import { saveCheckpoint } from './checkpoints.ts'
import type { SqliteFile, SqliteTables } from './file.ts'

/** What began anew: a batch that follows what was there before must not be written there. */
export interface Renewals {
  renewed(projection: string): void
  /** Throws {@link ReadModelsReplaced} until the checkpoints have been read after that. */
  mustBeKnown(projection: string): void
  checkpointsRead(): void
}

export const makeRenewals = (): Renewals => {
  const renewed = new Set<string>()
  const refused = new Set<string>()
  return {
    renewed: (projection) => void renewed.add(projection),
    mustBeKnown: (projection) => {
      if (!renewed.has(projection)) return
      refused.add(projection)
      throw new ReadModelsReplaced(`The projection ${projection} began anew: its checkpoint must be read again.`)
    },
    checkpointsRead: () => {
      for (const projection of refused) renewed.delete(projection)
      refused.clear()
    },
  }
}

export interface SqliteProjectionOptions {
  readonly tables: SqliteTables
  /** The file that is current. */
  readonly file: () => SqliteFile
  readonly renewals: Renewals
  /** Works out what a batch changes; what it gives writes that, within a transaction. */
  readonly changes: (batch: Batch) => Promise<() => void>
  /** Is told when the tables were thrown away. */
  readonly emptied?: () => void
}

/** A projection in whatever file is current. */
export const sqliteProjection = ({
  tables,
  file,
  renewals,
  changes,
  emptied,
}: SqliteProjectionOptions): Projection => ({
  name: tables.name,
  version: tables.version,
  handles: tables.handles,
  ...(tables.inOrder && { inOrder: true }),
  apply: async (batch) => {
    const write = await changes(batch)
    return (checkpoint) => {
      renewals.mustBeKnown(tables.name)
      write()
      saveCheckpoint(file(), tables.name, checkpoint)
    }
  },
  rebuild: async () => {
    for (const renewed of file().renew(tables.name)) renewals.renewed(renewed)
    emptied?.()
  },
})
