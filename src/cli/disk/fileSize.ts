import { statSync } from 'node:fs'

/** Bytes of SQLite files with their write-ahead logs; what is not there has none. */
export const sizeOnDisk = (paths: readonly string[]): number =>
  paths
    .flatMap((path) => [path, `${path}-wal`])
    .reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
