import { workerData } from 'node:worker_threads'
import { serveThread } from '../../../shared/threads/serveOperations.ts'
import type { Search } from '../port.ts'
import { searchOf } from './search.ts'
import { readSnapshot } from '../../sqlite/readInThread.ts'
import { openIndex, type IndexOptions } from './indexFile.ts'

const file = openIndex({ ...(workerData as IndexOptions), readOnly: true })

/** The index is read first: it is never ahead of the entities. */
const reading = <T>(read: () => Promise<T>): Promise<T> => readSnapshot(file, 'search', read)

const { search, suggest } = searchOf(file)

const operations = {
  search: (...args: Parameters<Search['search']>) => reading(() => search(...args)),
  suggest: (...args: Parameters<Search['suggest']>) => reading(() => suggest(...args)),
}

export type SearchOperations = typeof operations

serveThread(operations)
