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

/** A read model as SQLite keeps it. `F` is what it needs of an open file, `R` what is read of it. */
export interface KeptInSqlite<F, R> {
  readonly tables: SqliteTables
  /** Works out what a batch changes; what it gives writes that into whatever file is current, within a transaction. */
  readonly changes: (batch: Batch, current: () => F) => Promise<() => void>
  /** Forgets what is remembered of a file: its tables were thrown away, or what was written was undone. */
  readonly forget?: (opened: F) => void
  readonly reads: (current: () => F) => R
}

/** Lets the types of a read model be inferred. */
export const keptInSqlite = <F, R>(kept: KeptInSqlite<F, R>): KeptInSqlite<F, R> => kept

export const sqliteProjection = <F extends { readonly file: SqliteFile }>(
  { tables, changes, forget }: KeptInSqlite<F, unknown>,
  current: () => F,
  renewals: Renewals,
): Projection => ({
  name: tables.name,
  version: tables.version,
  handles: tables.handles,
  ...(tables.inOrder && { inOrder: true }),
  ...(tables.uses !== undefined && { uses: tables.uses }),
  apply: async (batch) => {
    const write = await changes(batch, current)
    return (checkpoint) => {
      renewals.mustBeKnown(tables.name)
      write()
      saveCheckpoint(current().file, tables.name, checkpoint)
    }
  },
  rebuild: async () => {
    for (const renewed of current().file.renew(tables.name)) renewals.renewed(renewed)
    forget?.(current())
  },
})
