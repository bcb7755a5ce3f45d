import { StoreUnavailable } from '../../../events/eventStore.ts'
import { ThreadLost, ThreadsClosed, makeThreads, type Threads } from '../../../shared/threads/threads.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { Search, SearchQuery } from '../port.ts'
import { readSearch, readSuggestions, type SuggestionsAsked } from './search.ts'
import { limits } from '../../../shared/limits.ts'
import type { IndexOptions } from './indexFile.ts'
import type { Operations } from './worker.ts'

/** A file with a search index, in which the entities can be read too, and threads that search beside this one. */
export interface IndexedFile {
  readonly file: SqliteFile
  /** Makes what the entities show here be seen by other connections. */
  readonly flush: () => void
  readonly threads?: SearchThreads | undefined
}

/** The current file when it sees all that was written. */
const flushed = (current: () => IndexedFile): IndexedFile => {
  current().flush()
  return current()
}

/** Does it in a thread; without threads, or when they are closed, here. */
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

/** The beginning of everything is read along indexes in less time than it takes to ask a thread for it. */
const isShort = ({ expression, facets = [], regions, from, size }: SearchQuery): boolean =>
  expression === undefined && facets.length === 0 && regions === undefined && from + size <= 100

/** So many suggestions are read along one index in less time, too. */
const fewSuggestions = 100

/** The index is looked at first: then the entities are as new, or newer. */
const suggestHere = (file: SqliteFile, ...asked: SuggestionsAsked) =>
  file.reading(() => {
    file.statement('SELECT 1 FROM search_docs LIMIT 1').get()
    return readSuggestions(file, ...asked)
  })

/** Starts a thread that searches, which takes it some tenths of a second, and has it look at the index. */
export const startSearching = async ({ threads }: Pick<IndexedFile, 'threads'>): Promise<void> =>
  void (await threads?.run('suggest', ['', [], 1]))

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

/** Threads that search one file, each with a read connection of its own. To be closed before the file is. */
export type SearchThreads = Threads<Operations>

/** What a thread opens. */
export type SearchedFile = Required<Pick<IndexOptions, 'path' | 'entities' | 'pageBytes'>>

/** Milliseconds: the next search starts a thread anew, which takes some tenths of a second. */
const rest = 10 * 60_000

/** Milliseconds that what has begun is given when the file is closed or replaced. */
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
