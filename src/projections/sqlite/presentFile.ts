import { ancestorFqns } from '../../kinds/names.ts'
import { applyRows } from '../entities/sqlite/apply.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import { entityReads, type CachedFile } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { Search } from '../search/port.ts'
import { searchReads } from '../search/sqlite/search.ts'
import { makeBulkIndexer, makeSearchIndexer, noIndexer, type SearchIndexer } from '../search/sqlite/indexer.ts'
import { purgeLater } from '../search/sqlite/purging.ts'
import { forgetWords } from '../search/sqlite/indexing.ts'
import { searchTables, searchViews } from '../search/sqlite/tables.ts'
import { makeSearchThreads, type SearchThreads } from '../search/sqlite/searchThreads.ts'
import { openSqliteFile, usualPages, type SqliteFile, type SqliteFileOptions, type SqliteTables } from './file.ts'
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
      if (batch.events.some(({ type }) => type === 'Forgotten')) purgeLater(current().file)
      current().indexer.schedule()
    }
  },
  forget: ({ file }) => forgetWords(file),
  reads: searchReads,
})

/** In the order of writing: writes wait for the first, and what is searched are the entities that are there. */
const whole = [entities, search] as const

type Opening = Pick<OpenedPresent, 'indexer' | 'threads'>

const indexing = (file: SqliteFile, options: PresentOptions): Opening => {
  file.database.exec(searchViews)
  if (options.readOnly) return { indexer: noIndexer }
  if (options.bulk) return { indexer: makeBulkIndexer(file) }
  const { path, pageBytes = usualPages, searchBeside = false } = options
  return {
    indexer: makeSearchIndexer(file),
    ...(searchBeside && { threads: makeSearchThreads({ path, pageBytes: Math.floor(pageBytes / 2) }) }),
  }
}

const shut: FileSort<PresentOptions, OpenedPresent, unknown>['shut'] = async (opened) => {
  const { file, indexer, threads, stopDropping } = opened
  indexer.stop()
  stopDropping?.()
  await threads?.close()
  await file.quieten()
  file.close()
}

/** @param more is what comes with the tables beside those of the entities */
const openPresent =
  (tables: readonly SqliteTables[], more: (file: SqliteFile, options: PresentOptions) => Opening) =>
  (options: PresentOptions): OpenedPresent => {
    const file = openSqliteFile(options, tables)
    try {
      const isUsed = options.readOnly !== true && options.bulk !== true
      const own = tables.map(({ name }) => name)
      return {
        ...more(file, options),
        file,
        cache: makeReadCache(isUsed ? (options.cacheBytes ?? 2 ** 25) : 0),
        ...(isUsed && { stopDropping: dropFormer(file, own) }),
      }
    } catch (error) {
      file.close()
      throw error
    }
  }

/** What is there now: the entities, whose search index has a file of its own. */
export const present: FileSort<PresentOptions, OpenedPresent, EntityReads & EntityLists> = {
  kept: [entities],
  reads: entities.reads,
  open: openPresent(tablesOf([entities]), () => ({ indexer: noIndexer })),
  shut,
}

/** The same with the search index in it. */
export const presentWithSearch: FileSort<PresentOptions, OpenedPresent, EntityReads & EntityLists & Search> = {
  kept: whole,
  reads: (current) => readsOf(whole, current),
  open: openPresent(tablesOf(whole), indexing),
  shut,
}
