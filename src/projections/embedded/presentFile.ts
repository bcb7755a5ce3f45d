import { applyRows } from '../entities/sqlite/apply.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import { entityReads, type CachedFile } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import { openSqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import type { FileSort } from '../sqlite/keptFile.ts'
import { keptInSqlite } from '../sqlite/sqliteProjection.ts'

export interface EntityFileOptions extends SqliteFileOptions {
  /** Bytes of the row cache (default 32 MiB). */
  readonly cacheBytes?: number
}

const entities = keptInSqlite({
  tables: entityTables,
  changes: async (batch, { file, cache }: CachedFile) => {
    const rows = await batch.rows()
    return () => {
      applyRows(file, rows)
      cache.applied(rows)
    }
  },
  forget: ({ cache }) => cache.clear(),
  reads: entityReads,
})

const open = (options: EntityFileOptions): CachedFile => {
  const file = openSqliteFile(options, [entityTables])
  const isUsed = options.readOnly !== true && options.bulk !== true
  return {
    file,
    cache: makeReadCache(isUsed ? (options.cacheBytes ?? 2 ** 25) : 0),
  }
}

/** The file of present entities. */
export const present: FileSort<EntityFileOptions, CachedFile, EntityReads & EntityLists> = {
  kept: [entities],
  reads: entities.reads,
  open,
}
