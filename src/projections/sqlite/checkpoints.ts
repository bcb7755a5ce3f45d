import type { SqliteFile } from './file.ts'

/** Saves how far a projection has come, unless it is further already. */
export const saveCheckpoint = (file: SqliteFile, projection: string, checkpoint: bigint): void => {
  file
    .statement('UPDATE projections SET checkpoint = ?1 WHERE name = ?2 AND (checkpoint IS NULL OR checkpoint < ?1)')
    .run(checkpoint, projection)
}

/** The saved positions by projection. */
export const readCheckpoints = (file: SqliteFile): Map<string, bigint> =>
  new Map(
    file.wide('SELECT name, checkpoint FROM projections WHERE checkpoint IS NOT NULL').all() as unknown as [
      string,
      bigint,
    ][],
  )
