import { setImmediate } from 'node:timers/promises'
import type { Threads } from '../../../shared/threads/threads.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { makeReadThreads, readInThread } from '../../sqlite/readInThread.ts'
import type { Search, SearchQuery } from '../port.ts'
import { searchOf } from './search.ts'
import { limits } from '../../../shared/limits.ts'
import type { IndexOptions } from './indexFile.ts'
import type { SearchOperations } from './worker.ts'

/** A search index with its entities, and search threads. */
interface IndexedFile {
  readonly file: SqliteFile
  /** Commits entities, so that other connections see them. */
  readonly flush: () => void
  readonly threads?: SearchThreads | undefined
}

/** The current file after a commit. */
const flushed = (current: () => IndexedFile): IndexedFile => {
  current().flush()
  return current()
}

/** Searches in this thread; again, if the file was replaced meanwhile. */
const onThisThread = async <T>(current: () => IndexedFile, work: (search: Search) => Promise<T>): Promise<T> => {
  const { file } = flushed(current)
  try {
    return await work(searchOf(file))
  } catch (error) {
    if (!file.database.isOpen) await setImmediate()
    if (current().file === file) throw error
    return onThisThread(current, work)
  }
}

/** Searches in a thread, or here if there are none. */
const onSearchThread = async <T>(
  current: () => IndexedFile,
  there: (threads: SearchThreads, signal: AbortSignal) => Promise<T>,
  work: (search: Search) => Promise<T>,
): Promise<T> => {
  const { threads } = flushed(current)
  return readInThread(threads, there, () => onThisThread(current, work))
}

/** Whether the query is faster here than in a thread: the first page of everything. */
const isShort = ({ expression, facets = [], ids, within, regions, from, size }: SearchQuery): boolean =>
  (expression ?? ids ?? within ?? regions) === undefined && facets.length === 0 && from + size <= 100

/** Number of suggestions that are faster read here. */
const fewSuggestions = 100

export const searchReads = (current: () => IndexedFile): Search => ({
  search: (query) => {
    const work = ({ search }: Search) => search(query)
    return isShort(query)
      ? onThisThread(current, work)
      : onSearchThread(current, ({ run }, signal) => run('search', [query], signal), work)
  },
  suggest: (...args) => {
    const work = ({ suggest }: Search) => suggest(...args)
    return args[2] <= fewSuggestions
      ? onThisThread(current, work)
      : onSearchThread(current, ({ run }, signal) => run('suggest', args, signal), work)
  },
})

/** Search threads of one file, each with a read connection. Close them before the file. */
export type SearchThreads = Threads<SearchOperations>

export const makeSearchThreads = (
  file: Required<Pick<IndexOptions, 'path' | 'entities' | 'pageBytes'>>,
): SearchThreads =>
  makeReadThreads<SearchOperations>(new URL('./worker', import.meta.url), limits.searchesAtOnce.value, file)
