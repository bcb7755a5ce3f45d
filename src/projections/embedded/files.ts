import type { LogAddress } from './followedLog.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { Search } from '../search/port.ts'
import { indexTables, searchPathOf } from '../search/sqlite/indexFile.ts'
import { startSearching, type IndexedFile } from '../search/sqlite/searchReads.ts'
import { openSqliteFile, usualPages, type SqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import { entitiesInSqlite } from '../entities/sqlite/apply.ts'
import type { CachedFile } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import { history, historyPathOf, historyProjections, type HistoryReads } from './historyFile.ts'
import { openKeptFile, type FileSort, type KeptFile } from '../sqlite/keptFile.ts'
import { searchFile, type SearchOptions } from './searchFile.ts'
import { makeWorkerThread, type WorkerThread } from './workerThread.ts'

export interface EntityFileOptions extends SqliteFileOptions {
  /** Bytes of the row cache (default 32 MiB). */
  readonly cacheBytes?: number
}

const open = (options: EntityFileOptions): CachedFile => {
  const file = openSqliteFile(options, [entityTables])
  return { file, cache: makeReadCache(options.readOnly === true ? 0 : (options.cacheBytes ?? 2 ** 25)) }
}

/** The file of present entities. */
const present: FileSort<EntityFileOptions, CachedFile, EntityReads & EntityLists> = {
  kept: [entitiesInSqlite],
  reads: entitiesInSqlite.reads,
  open,
}

export interface FilesOptions extends EntityFileOptions, Pick<SearchOptions, 'scratch'> {
  /** The log that a worker follows for projections that no write waits for. Default: the runner, on this thread. */
  readonly followed?: LogAddress | undefined
  /** Search in separate threads. Default: in this one. */
  readonly searchThreads?: boolean
}

type Opened = { readonly file: SqliteFile }

export interface Files {
  readonly now: KeptFile<Opened, EntityReads & EntityLists>
  readonly past: KeptFile<Opened, HistoryReads>
  readonly index: KeptFile<Opened, Search>
  /** The files written by this thread. */
  readonly written: readonly KeptFile<Opened, unknown>[]
  /** See `prepareSearch` of the read models. */
  readonly prepareSearch?: () => Promise<void>
  readonly worker?: WorkerThread
}

/**
 * Opens the three files: for writing or reading, on this thread or with a worker. The answering connection gets half of
 * the page cache, each other one an eighth. Files that are only read are not searched.
 */
export const openFiles = (options: FilesOptions): Files => {
  const { path, readOnly = false, onReplaced, pageBytes = usualPages } = options
  const [answering, other] = [Math.floor(pageBytes / 2), Math.floor(pageBytes / 8)]
  const log = readOnly ? undefined : options.followed
  const common = { readOnly, onReplaced, pageBytes: other, elsewhere: log !== undefined }
  const now = openKeptFile(present, { ...options, pageBytes: answering })
  const flush = (): void => now.current().file.flush()
  const isSearched = !readOnly && path !== ':memory:'
  const searched = isSearched && { entities: path, threadBytes: options.searchThreads ? other : undefined }
  const index = openKeptFile(searchFile, {
    ...common,
    path: searchPathOf(path),
    scratch: options.scratch,
    flush,
    ...searched,
  })
  const past = openKeptFile(history, { ...common, path: historyPathOf(path) })
  if (log === undefined) return { now, past, index, written: isSearched || readOnly ? [now, index, past] : [now, past] }
  const prepareSearch = index.guard(() => startSearching(index.current() as IndexedFile))
  const worker = makeWorkerThread({ log, path, pageBytes: other }, [indexTables.name, ...historyProjections], flush)
  return { now, past, index, written: [now], prepareSearch, worker }
}
