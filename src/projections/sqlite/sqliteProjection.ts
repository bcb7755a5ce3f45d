import { StaleReadModels } from '../errors.ts'
import { isBehind, fingerprintText, parseFingerprint } from '../../events/events.ts'
import type { Batch, Projection, Checkpoint } from '../projection.ts'
import type { SqliteFile, SqliteTables } from './file.ts'

/** Changes that are stored in one transaction, the last of a batch with the checkpoint. */
interface ChangesPart {
  readonly write: () => void
  readonly isLast: boolean
}

/** A read model in SQLite. */
export interface SqliteProjection extends Pick<Projection, 'batching'> {
  readonly tables: SqliteTables
  /** Computes the changes of a batch: parts, each of which is stored before the next is computed. */
  readonly changes: (batch: Batch, file: SqliteFile) => AsyncIterable<ChangesPart>
  /** See {@link Projection.sees}. */
  readonly sees?: (file: SqliteFile, position: bigint, stopping: AbortSignal) => Promise<void>
  /** Drops caches of a file after a rollback. */
  readonly dropCache?: (file: SqliteFile) => void
}

/** Batching of history projections, which are rarely waited for. */
export const historyBatching = { time: 500, size: 2000 }

/** Throws if the file was replaced or emptied, so that the batch would leave a gap. */
const mustBeContiguous = (file: SqliteFile, name: string, { after }: Pick<Batch, 'after'>): void => {
  if (after !== undefined && isBehind(readCheckpoints(file).get(name)?.position, after))
    throw new StaleReadModels(`The projection ${name} began anew: its checkpoint must be read again.`)
}

export const makeSqliteProjection = (
  { tables, changes, sees, dropCache, batching }: SqliteProjection,
  current: () => SqliteFile,
): Projection => ({
  name: tables.name,
  version: tables.version,
  ...(batching && { batching }),
  ...(sees && { sees: (position, stopping) => sees(current(), position, stopping) }),
  apply: async (batch) => {
    const file = current()
    try {
      for await (const { write, isLast } of changes(batch, file)) {
        await batch.giveWay?.()
        await file.whenWritable()
        if (current() !== file) throw new StaleReadModels('Another file took the place of the read models.')
        const apply = (): void => {
          mustBeContiguous(file, tables.name, batch)
          write()
          if (isLast) saveCheckpoint(file, tables.name, batch.checkpoint)
        }
        file.inSharedTransaction(apply, (reason) => {
          dropCache?.(file)
          batch.undone?.(reason)
        })
        if (!isLast) file.flush()
      }
    } catch (error) {
      dropCache?.(file)
      throw error
    }
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
