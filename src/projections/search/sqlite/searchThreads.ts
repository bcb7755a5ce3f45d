import { limits } from '../../../shared/limits.ts'
import { makeThreads, type Threads } from '../../../shared/threads/threads.ts'
import type { IndexOptions } from './indexFile.ts'
import type { Operations } from './worker.ts'

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
