import { StoreUnavailable } from '../../events/eventStore.ts'
import { limits } from '../../shared/limits.ts'
import { ThreadFailure, ThreadsClosed } from '../../shared/threads/threads.ts'
import type { SqliteFile } from './file.ts'

/**
 * Reads in a thread, or here if there is none.
 * @param there is to end when the signal aborts: no request waits for longer
 * @throws StoreUnavailable when the thread took too much
 */
export const readInThread = async <Pool, T>(
  threads: Pool | undefined,
  there: (threads: Pool, signal: AbortSignal) => Promise<T>,
  here: () => Promise<T>,
): Promise<T> => {
  if (threads === undefined) return here()
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(new ThreadFailure('time')), limits.requestTime.value)
  try {
    return await there(threads, leaving.signal)
  } catch (error) {
    if (error instanceof ThreadFailure) throw new StoreUnavailable('A read took too long.', { cause: error })
    if (error instanceof ThreadsClosed) return here()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Reads one snapshot of a file that others write. @param first the table whose read starts the snapshot */
export const readSnapshot = async <T>(file: SqliteFile, first: string, read: () => Promise<T>): Promise<T> => {
  file.database.exec('BEGIN')
  try {
    file.statement(`SELECT 1 FROM ${first} LIMIT 1`).get()
    return await read()
  } finally {
    file.database.exec('ROLLBACK')
  }
}
