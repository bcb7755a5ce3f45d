import { StoreUnavailable } from '../../../events/eventStore.ts'
import { ThreadLost, ThreadsClosed, makeThreads, type Threads } from '../../../shared/threads/threads.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { Search, SearchQuery } from '../port.ts'
import { readSearch, readSuggestions, type SuggestionsAsked } from './search.ts'
import { limits } from '../../../shared/limits.ts'
import type { IndexOptions } from './indexFile.ts'
import type { Operations } from './worker.ts'

/** A search index with its entities, and search threads. */
export interface IndexedFile {
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

/** Runs in a thread, or here if there are none. */
const beside = async <T>(
  current: () => IndexedFile,
  there: (threads: SearchThreads) => Promise<T>,
  here: (file: SqliteFile) => T | Promise<T>,
): Promise<T> => {
  const { file, threads } = flushed(current)
  if (threads === undefined) return here(file)
  try {
    return await there(threads)
  } catch (error) {
    if (error instanceof ThreadLost) throw new StoreUnavailable('A search took too long.', { cause: error })
    if (error instanceof ThreadsClosed) return here(flushed(current).file)
    throw error
  }
}

/** Whether the query is faster here than in a thread: the first page of everything. */
const isShort = ({ expression, facets = [], regions, from, size }: SearchQuery): boolean =>
  expression === undefined && facets.length === 0 && regions === undefined && from + size <= 100

/** Number of suggestions that are faster read here. */
const fewSuggestions = 100

/** Reads the index first, so that the entities are at least as new. */
const suggestHere = (file: SqliteFile, ...asked: SuggestionsAsked) =>
  file.reading(() => {
    file.statement('SELECT 1 FROM search_docs LIMIT 1').get()
    return readSuggestions(file, ...asked)
  })

export const searchReads = (current: () => IndexedFile): Search => ({
  search: async (query) =>
    isShort(query)
      ? readSearch(flushed(current).file, query)
      : beside(
          current,
          ({ run }) => run('search', [query]),
          (file) => readSearch(file, query),
        ),
  suggest: async (...asked) =>
    asked[2] <= fewSuggestions
      ? suggestHere(flushed(current).file, ...asked)
      : beside(
          current,
          ({ run }) => run('suggest', asked),
          (file) => readSuggestions(file, ...asked),
        ),
})

/** Search threads of one file, each with a read connection. Close them before the file. */
type SearchThreads = Threads<Operations>

/** The files that a thread opens. */
type SearchedFile = Required<Pick<IndexOptions, 'path' | 'entities' | 'pageBytes'>>

/** Idle milliseconds before a thread ends; starting one takes some tenths of a second. */
const rest = 10 * 60_000

/** Milliseconds for running searches when the file is closed or replaced. */
const grace = 2000

export const makeSearchThreads = (file: SearchedFile): SearchThreads =>
  makeThreads<Operations>({
    module: new URL('./worker', import.meta.url),
    count: limits.searchesAtOnce.value,
    timeout: limits.requestTime.value,
    rest,
    grace,
    data: file,
  })
