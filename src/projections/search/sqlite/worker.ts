import { workerData } from 'node:worker_threads'
import { serveThread } from '../../../shared/threads/serveOperations.ts'
import type { Search } from '../port.ts'
import { searchOf } from './search.ts'
import { openIndex, type IndexOptions } from './indexFile.ts'

const file = openIndex({ ...(workerData as IndexOptions), readOnly: true })

/** Reads one snapshot; the index is never ahead of the entities. */
const reading = async <T>(read: () => Promise<T>): Promise<T> => {
  file.database.exec('BEGIN')
  try {
    file.statement('SELECT 1 FROM search LIMIT 1').get()
    return await read()
  } finally {
    file.database.exec('ROLLBACK')
  }
}

const { search, suggest } = searchOf(file)

const operations = {
  search: (...args: Parameters<Search['search']>) => reading(() => search(...args)),
  suggest: (...args: Parameters<Search['suggest']>) => reading(() => suggest(...args)),
}

export type SearchOperations = typeof operations

serveThread(operations)
