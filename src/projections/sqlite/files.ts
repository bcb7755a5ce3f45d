import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { Search } from '../search/port.ts'
import { searchPathOf } from '../search/sqlite/apart.ts'
import { startSearching } from '../search/sqlite/search.ts'
import { fillHistory, type Filling } from './beside/filling.ts'
import type { SearchedWork } from './beside/searchedWorker.ts'
import { makeProjectingThread, together, type ProjectedLog, type ProjectingThread } from './beside/thread.ts'
import { usualPages, type SqliteFile, type SqliteFileOptions } from './file.ts'
import {
  history,
  historyBeside,
  historyPathOf,
  historyProjections,
  type HistoryReads,
  type OpenedHistory,
} from './historyFile.ts'
import { openKeptFile, type KeptFile } from './keptFile.ts'
import { present, presentWithSearch, type OpenedPresent, type PresentOptions } from './presentFile.ts'
import { searchedBeside, searchedLater } from './searched.ts'

export interface FilesOptions extends PresentOptions {
  /**
   * The log from which threads write what no write waits for, with the search index in a file of its own. Default: the
   * runner writes everything, with the index in the file of the entities.
   */
  readonly projectedFrom?: ProjectedLog | undefined
}

export interface Files {
  readonly now: KeptFile<OpenedPresent, EntityReads & EntityLists>
  readonly past?: KeptFile<OpenedHistory, HistoryReads>
  readonly pastReads: HistoryReads
  /** The search index, where that has a file of its own. */
  readonly index?: KeptFile<{ readonly file: SqliteFile }, unknown>
  readonly search: Search
  /** See `prepareSearch` of the read models. */
  readonly prepareSearch?: () => Promise<void>
  /** What keeps other files than the first in step, where the runner does not. */
  readonly thread?: ProjectingThread
  /** What fills the file of what happened, where another thread does. */
  readonly filling?: Filling
}

const notSearched = (): Promise<never> => Promise.reject(new Error('Nothing is searched in these read models.'))

const openTogether = (options: FilesOptions): Files => {
  const { pageBytes = usualPages } = options
  const now = openKeptFile(presentWithSearch, { ...options, pageBytes: Math.floor((7 * pageBytes) / 8) })
  const past = openKeptFile(history, pastOptions(options))
  return { now, search: now.reads, past, pastReads: past.reads }
}

const pastOptions = ({ path, pageBytes = usualPages, ...options }: FilesOptions): SqliteFileOptions => ({
  ...options,
  path: historyPathOf(path),
  pageBytes: Math.floor(pageBytes / 8),
})

/** What only looks at the files, or fills them, searches nothing. */
const openApart = (options: FilesOptions) => ({
  now: openKeptFile(present, options),
  index: openKeptFile(searchedLater, { ...options, path: searchPathOf(options.path) }),
  search: { search: notSearched, suggest: notSearched },
})

const openToLook = (options: FilesOptions): Files => {
  const past = openKeptFile(history, pastOptions(options))
  return { ...openApart(options), past, pastReads: past.reads }
}

const elsewhere = (): never => {
  throw new Error('Another thread fills the file of what happened.')
}

const openToFill = (options: FilesOptions, log: ProjectedLog): Files => {
  const { path, pageBytes = usualPages } = options
  const filling = fillHistory({ ...log, path: historyPathOf(path), pageBytes })
  return { ...openApart(options), pastReads: history.reads(elsewhere), filling }
}

const openWithThreads = (options: FilesOptions, log: ProjectedLog): Files => {
  const { path, pageBytes = usualPages, searchBeside } = options
  const share = Math.floor(pageBytes / 8)
  const now = openKeptFile(present, { ...options, pageBytes: 4 * share })
  const flush = (): void => now.current().file.flush()
  const index = openKeptFile(searchedBeside, {
    ...options,
    path: searchPathOf(path),
    entities: path,
    pageBytes: Math.floor(share / 4),
    threadBytes: searchBeside ? 3 * share : undefined,
    flush: now.guard(async () => flush()),
  })
  const indexing: SearchedWork = { ...log, path: searchPathOf(path), entities: path, pageBytes: 2 * share }
  const thread = together([
    makeProjectingThread({
      module: new URL('./beside/historyWorker', import.meta.url),
      projections: historyProjections,
      work: { ...log, path: historyPathOf(path), pageBytes: share },
    }),
    makeProjectingThread({
      module: new URL('./beside/searchedWorker', import.meta.url),
      projections: index.projections.map(({ name }) => name),
      work: indexing,
      flush,
    }),
  ])
  const past = openKeptFile(historyBeside, pastOptions(options))
  const prepareSearch = index.guard(() => startSearching(index.current()))
  return { now, past, pastReads: past.reads, index, search: index.reads, prepareSearch, thread }
}

/** Opens the files as they are used: with threads, all in one, only to look, or to be filled. */
export const openFiles = (options: FilesOptions): Files => {
  const { projectedFrom, readOnly, bulk } = options
  if (projectedFrom === undefined) return openTogether(options)
  if (readOnly) return openToLook(options)
  return bulk ? openToFill(options, projectedFrom) : openWithThreads(options, projectedFrom)
}
