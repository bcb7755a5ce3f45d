import type { Threads } from '../../shared/threads/threads.ts'
import { documentsIn } from '../documents/sqlite.ts'
import { entities } from '../entities/entityDocuments.ts'
import { countSettled } from '../entities/countSettled.ts'
import { longListSize, isLongList, readList, planQuery } from '../entities/lists.ts'
import type { EntityLists } from '../entities/port.ts'
import type { SqliteFile } from '../sqlite/file.ts'
import { makeReadThreads, readInThread } from '../sqlite/readInThread.ts'
import type { Timeline } from '../timeline/port.ts'
import { isLongListAsOf } from '../timeline/read.ts'
import { spans } from '../timeline/tables.ts'
import type { ListFiles, ListOperations } from './listWorker.ts'

type CurrentFile = () => SqliteFile

/** A thread that reads long lists, and their totals, one after the other. */
export const makeListThread = (data: ListFiles) => {
  let threads: Threads<ListOperations> | undefined
  return {
    /** Call it when the file of entities is opened or replaced. */
    open: (): void => {
      threads = makeReadThreads<ListOperations>(new URL('./listWorker', import.meta.url), 1, data)
    },
    end: async (): Promise<void> => threads?.close(),
    /** Flushes the file, and reads it in the thread, or in this one if there is none. */
    read: <O extends keyof ListOperations>(
      current: CurrentFile,
      operation: O,
      args: Parameters<ListOperations[O]>,
      here: () => Promise<Awaited<ReturnType<ListOperations[O]>>>,
    ): Promise<Awaited<ReturnType<ListOperations[O]>>> => {
      current().flush()
      return readInThread(threads, ({ run }, signal) => run(operation, args, signal), here)
    },
  }
}

export type ListThread = ReturnType<typeof makeListThread>

/** Lists of which long ones are read in the thread. */
export const presentLists = (
  { read }: ListThread,
  current: CurrentFile,
): Pick<EntityLists, 'list' | 'countSettled'> => {
  const documents = documentsIn(entities, current)
  return {
    list: async (query) => {
      const plan = await planQuery(documents, query, longListSize)
      const here = () => readList(documents, plan)
      return (await isLongList(documents, plan)) ? read(current, 'list', [plan], here) : here()
    },
    countSettled: async (query, names) => {
      const plan = await planQuery(documents, query, longListSize)
      const here = () => countSettled(documents, plan, names)
      return (await isLongList(documents, plan)) ? read(current, 'countSettled', [plan, names], here) : here()
    },
  }
}

/** The same lists of the past, of which long ones are read in the thread. */
export const pastLists = (
  { read }: ListThread,
  current: CurrentFile,
  { listAsOf }: Pick<Timeline, 'listAsOf'>,
): Pick<Timeline, 'listAsOf'> => {
  const documents = documentsIn(spans, current)
  return {
    listAsOf: async (query) => {
      const here = () => listAsOf(query)
      return (await isLongListAsOf(documents, query)) ? read(current, 'listAsOf', [query], here) : here()
    },
  }
}
