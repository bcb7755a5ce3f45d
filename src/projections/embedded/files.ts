import type { LogAddress } from './followedLog.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { Search } from '../search/port.ts'
import { indexTables, searchPathOf } from '../search/sqlite/indexFile.ts'
import { startSearching, type IndexedFile } from '../search/sqlite/searchReads.ts'
import { usualPages, type SqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import { history, historyPathOf, historyProjections, historyToRead, type HistoryReads } from './historyFile.ts'
import { openKeptFile, type KeptFile } from '../sqlite/keptFile.ts'
import { present, type PresentOptions } from './presentFile.ts'
import { searchFile, searchFileToRead, searchFileUnread } from './searchFile.ts'
import { makeWorkerThread, type WorkerThread } from './workerThread.ts'

export interface FilesOptions extends PresentOptions {
  /** The log from which a worker writes what no write waits for. Default: the runner does, on this thread. */
  readonly followed?: LogAddress | undefined
  /** Searches happen in threads of their own. Default: in this one. */
  readonly searchThreads?: boolean
}

type Opened = { readonly file: SqliteFile }

export interface Files {
  readonly now: KeptFile<Opened, EntityReads & EntityLists>
  /** Left out where only the worker can look at it. */
  readonly past?: KeptFile<Opened, HistoryReads>
  readonly index: KeptFile<Opened, Search>
  /** Which of them are written here. */
  readonly written: readonly KeptFile<Opened, unknown>[]
  /** See `prepareSearch` of the read models. */
  readonly prepareSearch?: () => Promise<void>
  readonly worker?: WorkerThread
}

/** Half of the memory for pages is for the file that answers; each other connection has an eighth. */
const sharesOf = ({ pageBytes = usualPages }: FilesOptions) => ({
  answering: Math.floor(pageBytes / 2),
  other: Math.floor(pageBytes / 8),
})

/** The options of the files beside that of the entities. */
const besides = (options: FilesOptions) => {
  const { readOnly = false, bulk = false, onReplaced, path } = options
  const common: Omit<SqliteFileOptions, 'path'> = {
    readOnly,
    bulk,
    onReplaced,
    pageBytes: sharesOf(options).other,
  }
  return { past: { ...common, path: historyPathOf(path) }, index: { ...common, path: searchPathOf(path) } }
}

const openNow = (options: FilesOptions) => openKeptFile(present, { ...options, pageBytes: sharesOf(options).answering })

/** How an index finds the entities, and who searches it. */
const searching = (options: FilesOptions, now: KeptFile<Opened, unknown>) => ({
  entities: options.path,
  threadBytes: options.searchThreads === true ? sharesOf(options).other : undefined,
  flush: (): void => now.current().file.flush(),
})

/** Written here, looked at while another process writes, or to be filled. */
const openHere = (options: FilesOptions): Files => {
  const { path, readOnly = false, bulk = false } = options
  const now = openNow(options)
  const own = besides(options)
  const past = openKeptFile(history, own.past)
  if (readOnly || bulk || path === ':memory:') {
    const index = openKeptFile(searchFileUnread, own.index)
    return { now, past, index, written: readOnly ? [now, index, past] : [now, past] }
  }
  const index = openKeptFile(searchFile, { ...own.index, ...searching(options, now) })
  return { now, past, index, written: [now, index, past] }
}

/** To be filled, the greater part by the worker. */
const openToFill = (options: FilesOptions, log: LogAddress): Files => {
  const now = openNow(options)
  const index = openKeptFile(searchFileUnread, besides(options).index)
  const { path, pageBytes = usualPages } = options
  const worker = makeWorkerThread({ log, path, pageBytes, bulk: true }, historyProjections, () => undefined)
  return { now, index, written: [now], worker }
}

const openWithWorker = (options: FilesOptions, log: LogAddress): Files => {
  const { path } = options
  const { other } = sharesOf(options)
  const now = openNow(options)
  const own = besides(options)
  const index = openKeptFile(searchFileToRead, { ...own.index, ...searching(options, now) })
  const past = openKeptFile(historyToRead, own.past)
  const prepareSearch = index.guard(() => startSearching(index.current() as IndexedFile))
  const projections = [indexTables.name, ...historyProjections]
  const flush = (): void => now.current().file.flush()
  const worker = makeWorkerThread({ log, path, pageBytes: other }, projections, flush)
  return { now, past, index, written: [now], prepareSearch, worker }
}

export const openFiles = (options: FilesOptions): Files => {
  const { followed, readOnly, bulk } = options
  if (followed === undefined || readOnly) return openHere(options)
  return bulk ? openToFill(options, followed) : openWithWorker(options, followed)
}
