import { StaleReadModels } from '../errors.ts'
import { isBehind, fingerprintText, parseFingerprint } from '../../events/events.ts'
import type { Batch, Projection, Checkpoint, Prefetch } from '../projection.ts'
import type { SqliteFile, SqliteTables } from './file.ts'

/** A read model in SQLite. */
export interface SqliteProjection extends Pick<Projection, 'batching'> {
  readonly tables: SqliteTables
  /** Computes the changes of a batch. @returns function that writes them in a transaction, or a part in each */
  readonly changes: (batch: Batch, file: SqliteFile) => Promise<() => Prefetch | undefined>
  /** See {@link Projection.sees}. */
  readonly sees?: (file: SqliteFile, position: bigint, stopping: AbortSignal) => Promise<void>
  /** Drops caches of a file after a rollback. */
  readonly forget?: (file: SqliteFile) => void
}

/** Batching of history projections, which are rarely waited for. */
export const historyBatching = { time: 500, size: 2000 }

/** Throws if the file was replaced or emptied, so that the batch would leave a gap. */
const mustBeContiguous = (file: SqliteFile, name: string, { after }: Pick<Batch, 'after'>): void => {
  if (after !== undefined && isBehind(readCheckpoints(file).get(name)?.position, after))
    throw new StaleReadModels(`The projection ${name} began anew: its checkpoint must be read again.`)
}

export const makeSqliteProjection = (
  { tables, changes, sees, forget, batching }: SqliteProjection,
  current: () => SqliteFile,
): Projection => ({
  name: tables.name,
  version: tables.version,
  handles: tables.handles,
  ...(batching && { batching }),
  ...(sees && { sees: (position, stopping) => sees(current(), position, stopping) }),
  apply: async (batch) => {
    const file = current()
    const write = await changes(batch, file)
    let prefetch: Prefetch | undefined
    do {
      await batch.giveWay?.()
      await file.whenWritable()
      if (current() !== file) throw new StaleReadModels('Another file took the place of the read models.')
      try {
        prefetch = file.inSharedTransaction(() => {
          mustBeContiguous(file, tables.name, batch)
          const next = write()
          if (next === undefined) saveCheckpoint(file, tables.name, batch.checkpoint)
          return next
        })
        if (prefetch !== undefined) file.flush()
        await prefetch?.()
      } catch (error) {
        forget?.(file)
        throw error
      }
    } while (prefetch !== undefined)
  },
})

const saveCheckpoint = (file: SqliteFile, projection: string, { position, newest }: Checkpoint): void => {
  file
    .statement(
      `UPDATE projections SET checkpoint = ?1, newest = coalesce(?3, newest)
      WHERE name = ?2 AND (checkpoint IS NULL OR checkpoint < ?1)`,
    )
    .run(position, projection, newest === undefined ? null : fingerprintText(newest))
}

export const readCheckpoints = (file: SqliteFile): Map<string, Checkpoint> => {
  const rows = file.wide('SELECT name, checkpoint, newest FROM projections WHERE checkpoint IS NOT NULL').all()
  return new Map(
    (rows as [string, bigint, string | null][]).map(([name, position, newest]) => [
      name,
      { position, newest: newest === null ? undefined : parseFingerprint(newest) },
    ]),
  )
}
