import { limits } from '../../shared/limits.ts'
import { makeThreads, ThreadFailure, ThreadsClosed, type Threads } from '../../shared/threads/threads.ts'
import { StoreUnavailable } from '../../stores/errors.ts'
import { documentsIn } from '../documents/sqlite.ts'
import { countSettled } from '../entities/countSettled.ts'
import { entities } from '../entities/entityDocuments.ts'
import { longListSize, isLongList, readList, planQuery } from '../entities/lists.ts'
import type { EntityLists } from '../entities/port.ts'
import type { Search, SearchQuery } from '../search/port.ts'
import { searchOf } from '../search/sqlite/search.ts'
import type { SqliteFile } from '../sqlite/file.ts'
import type { Timeline } from '../timeline/port.ts'
import { isLongListAsOf } from '../timeline/read.ts'
import { spans } from '../timeline/tables.ts'
import type { ReadFiles, ReadOperations } from './readWorker.ts'

type CurrentFile = () => SqliteFile

/**
 * Reads in a thread, or here if threads are being closed.
 * @param there is to end when the signal aborts: no request waits for longer
 * @throws StoreUnavailable when the thread took too much
 */
export const readInThread = async <T>(
  there: (signal: AbortSignal) => Promise<T>,
  here: () => Promise<T>,
): Promise<T> => {
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(new ThreadFailure('time')), limits.requestTime.value)
  try {
    return await there(leaving.signal)
  } catch (error) {
    if (error instanceof ThreadFailure) throw new StoreUnavailable('A read took too long.', { cause: error })
    if (error instanceof ThreadsClosed) return here()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Threads that read files of SQLite, each with its own connections. */
export const makeReadThreads = (count: number, data: ReadFiles) => {
  let threads: Threads<ReadOperations>
  return {
    /** Call it when the files are opened or replaced. */
    open: (): void => {
      threads = makeThreads<ReadOperations>({
        module: new URL('./readWorker', import.meta.url),
        count,
        timeout: limits.requestTime.value,
        // Starting one takes some tenths of a second.
        idleTimeout: 10 * 60_000,
        grace: 2000,
        data,
      })
    },
    /** Call it before the files are closed. */
    end: (): Promise<void> => threads.close(),
    /** See {@link readInThread}. */
    read: <O extends keyof ReadOperations>(
      operation: O,
      args: Parameters<ReadOperations[O]>,
      here: () => Promise<Awaited<ReturnType<ReadOperations[O]>>>,
    ): Promise<Awaited<ReturnType<ReadOperations[O]>>> =>
      readInThread((signal) => threads.run(operation, args, signal), here),
  }
}

export type ReadThreads = ReturnType<typeof makeReadThreads>

/** Lists of which long ones are read in a thread. */
export const presentLists = (
  { read }: ReadThreads,
  current: CurrentFile,
): Pick<EntityLists, 'list' | 'countSettled'> => {
  const documents = documentsIn(entities, current)
  return {
    list: async (query) => {
      const plan = await planQuery(documents, query, longListSize)
      const here = () => readList(documents, plan)
      if (!(await isLongList(documents, plan))) return here()
      current().flush()
      return read('list', [plan], here)
    },
    countSettled: async (query, names) => {
      const plan = await planQuery(documents, query, longListSize)
      const here = () => countSettled(documents, plan, names)
      if (!(await isLongList(documents, plan))) return here()
      current().flush()
      return read('countSettled', [plan, names], here)
    },
  }
}

/** The same lists of the past, of which long ones are read in a thread. */
export const pastLists = (
  { read }: ReadThreads,
  current: CurrentFile,
  { listAsOf }: Pick<Timeline, 'listAsOf'>,
): Pick<Timeline, 'listAsOf'> => {
  const documents = documentsIn(spans, current)
  return {
    listAsOf: async (query) => {
      const here = () => listAsOf(query)
      if (!(await isLongListAsOf(documents, query))) return here()
      current().flush()
      return read('listAsOf', [query], here)
    },
  }
}

/** Whether the query is faster here than in a thread: the first page of everything. */
const isShort = ({ expression, facets = [], ids, within, regions, from, size }: SearchQuery): boolean =>
  (expression ?? ids ?? within ?? regions) === undefined && facets.length === 0 && from + size <= 100

/** Number of suggestions that are faster read here. */
const fewSuggestions = 100

interface SearchedFile {
  readonly current: CurrentFile
  /** Commits entities, so that other connections see them. */
  readonly flush: () => void
  /** Absent: searches run on this thread. */
  readonly threads?: ReadThreads | undefined
}

/** Searches in the index, in a thread unless that is faster here. */
export const searchReads = ({ current, flush, threads }: SearchedFile): Search => {
  const here = <T>(work: (search: Search) => Promise<T>): Promise<T> => {
    flush()
    return work(searchOf(current()))
  }
  return {
    search: async (query) => {
      const searched = () => here(({ search }) => search(query))
      if (threads === undefined || isShort(query)) return searched()
      flush()
      return threads.read('search', [query], searched)
    },
    suggest: async (...args) => {
      const suggested = () => here(({ suggest }) => suggest(...args))
      if (threads === undefined || args[2] <= fewSuggestions) return suggested()
      flush()
      return threads.read('suggest', args, suggested)
    },
  }
}
