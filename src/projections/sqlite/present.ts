import { ancestorFqns } from '../../kinds/names.ts'
import { applyRows } from '../entities/sqlite/apply.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import { entityReads, type CachedFile } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { Search } from '../search/port.ts'
import { searchReads } from '../search/sqlite/search.ts'
import {
  makeBulkIndexer,
  makeSearchIndexer,
  noIndexer,
  searchTables,
  searchViews,
  type SearchIndexer,
} from '../search/sqlite/searchIndex.ts'
import { makeSearchThreads, type SearchThreads } from '../search/sqlite/searchThreads.ts'
import { openSqliteFile, usualPages, type SqliteFile, type SqliteFileOptions } from './file.ts'
import { dropFormer } from './former.ts'
import { readsOf, tablesOf, type FileSort } from './keptFile.ts'
import { keptInSqlite } from './sqliteProjection.ts'

export interface PresentOptions extends SqliteFileOptions {
  /** Bytes of memory for what was read lately. Default 32 MiB. */
  readonly cacheBytes?: number
  /** Searches happen in threads of their own. Default: in this one. */
  readonly searchBeside?: boolean
}

/** The file of what is there now, with what keeps its search index in step, and with what is remembered of it. */
export interface OpenedPresent extends CachedFile {
  readonly indexer: SearchIndexer
  readonly threads?: SearchThreads
  /** Ends what goes on behind. */
  readonly stopDropping?: () => void
}

const entities = keptInSqlite({
  tables: entityTables,
  changes: async (batch, current: () => OpenedPresent) => {
    const rows = await batch.rows()
    return () => {
      const { file, cache } = current()
      applyRows(file, rows, ancestorFqns)
      cache.applied(rows)
    }
  },
  forget: ({ cache }) => cache.clear(),
  reads: entityReads,
})

const search = keptInSqlite({
  tables: searchTables,
  changes: async (batch, current: () => OpenedPresent) => {
    const ids = (await batch.rows()).map(({ id }) => id)
    return () => {
      current().indexer.queue(ids)
      current().indexer.schedule()
    }
  },
  reads: searchReads,
})

/** In the order in which it is written: writes wait for the first, and what is searched are the entities that are there. */
const kept = [entities, search] as const

const tables = tablesOf(kept)

const withIndexer = (file: SqliteFile, options: PresentOptions): OpenedPresent => {
  file.database.exec(searchViews)
  if (options.readOnly) return { file, indexer: noIndexer, cache: makeReadCache(0) }
  if (options.bulk) return { file, indexer: makeBulkIndexer(file), cache: makeReadCache(0) }
  const { path, pageBytes = usualPages, cacheBytes = 2 ** 25, searchBeside = false } = options
  return {
    file,
    indexer: makeSearchIndexer(file),
    cache: makeReadCache(cacheBytes),
    stopDropping: dropFormer(
      file,
      tables.map(({ name }) => name),
    ),
    ...(searchBeside && { threads: makeSearchThreads({ path, pageBytes: Math.floor(pageBytes / 2) }) }),
  }
}

const openPresent = (options: PresentOptions): OpenedPresent => {
  const file = openSqliteFile(options, tables)
  try {
    return withIndexer(file, options)
  } catch (error) {
    file.close()
    throw error
  }
}

/** What is there now: the entities, and what they are found by. */
export const present: FileSort<PresentOptions, OpenedPresent, EntityReads & EntityLists & Search> = {
  kept,
  reads: (current) => readsOf(kept, current),
  open: openPresent,
  shut: async ({ file, indexer, threads, stopDropping }) => {
    indexer.stop()
    stopDropping?.()
    await threads?.close()
    await file.quieten()
    file.close()
  },
}
