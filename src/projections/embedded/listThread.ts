import { limits } from '../../shared/limits.ts'
import { makeThreads, type Threads } from '../../shared/threads/threads.ts'
import { documentsIn } from '../documents/sqlite.ts'
import { entities } from '../entities/entityDocuments.ts'
import { isLongList } from '../entities/lists.ts'
import type { EntityLists } from '../entities/port.ts'
import type { SqliteFile } from '../sqlite/file.ts'
import { readInThread } from '../sqlite/readInThread.ts'
import type { Timeline } from '../timeline/port.ts'
import { isLongListAsOf } from '../timeline/read.ts'
import { spans } from '../timeline/tables.ts'
import type { ListFiles, ListOperations } from './listWorker.ts'

/** Idle milliseconds before the thread ends. */
const idleTimeout = 10 * 60_000

/** Milliseconds for a running read when the files are closed or replaced. */
const grace = 2000

type CurrentFile = () => SqliteFile

/** A thread that reads long lists, and their totals, one after the other. */
export const makeListThread = (data: ListFiles) => {
  let threads: Threads<ListOperations> | undefined
  return {
    /** Call it when the file of entities is opened or replaced. */
    open: (): void => {
      threads = makeThreads<ListOperations>({
        module: new URL('./listWorker', import.meta.url),
        count: 1,
        timeout: limits.requestTime.value,
        idleTimeout,
        grace,
        data,
      })
    },
    end: async (): Promise<void> => threads?.close(),
    /** Reads what the file shows by now there, or here while there is no thread. */
    read: <T>(
      current: CurrentFile,
      there: (threads: Threads<ListOperations>) => Promise<T>,
      here: () => Promise<T>,
    ): Promise<T> => {
      current().flush()
      return readInThread(threads, there, here)
    },
  }
}

export type ListThread = ReturnType<typeof makeListThread>

/** The same lists, of which long ones are read in the thread. */
export const presentLists = (
  { read }: ListThread,
  current: CurrentFile,
  here: Pick<EntityLists, 'list' | 'countSettled'>,
): typeof here => {
  const documents = documentsIn(entities, current)
  return {
    list: async (query) => {
      if (!(await isLongList(documents, query))) return here.list(query)
      return read(
        current,
        ({ run }) => run('list', [query]),
        () => here.list(query),
      )
    },
    countSettled: async (query, names) => {
      if (!(await isLongList(documents, query))) return here.countSettled(query, names)
      return read(
        current,
        ({ run }) => run('countSettled', [query, names]),
        () => here.countSettled(query, names),
      )
    },
  }
}

/** The same of lists of the past. */
export const pastLists = (
  { read }: ListThread,
  current: CurrentFile,
  here: Pick<Timeline, 'listAsOf'>,
): typeof here => {
  const documents = documentsIn(spans, current)
  return {
    listAsOf: async (query) => {
      if (!(await isLongListAsOf(documents, query))) return here.listAsOf(query)
      return read(
        current,
        ({ run }) => run('listAsOf', [query]),
        () => here.listAsOf(query),
      )
    },
  }
}
