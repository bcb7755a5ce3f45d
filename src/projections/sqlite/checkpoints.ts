import { fingerprintText, readFingerprint } from '../../events/events.ts'
import type { Checkpoint } from '../projection.ts'
import type { SqliteFile } from './file.ts'

/** Saves a checkpoint unless the stored one is further. */
export const saveCheckpoint = (file: SqliteFile, projection: string, { position, newest }: Checkpoint): void => {
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
      { position, newest: newest === null ? undefined : readFingerprint(newest) },
    ]),
  )
}
