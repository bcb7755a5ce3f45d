import { workerData } from 'node:worker_threads'
import { serve } from '../../../shared/threads/serve.ts'
import type { ReferenceRow } from '../../entities/row.ts'
import { entityTables } from '../../entities/sqlite/tables.ts'
import { openSqliteFile } from '../../sqlite/file.ts'
import type { SearchHits, SearchQuery } from '../port.ts'
import { readSearch, readSuggestions } from './search.ts'
import { searchTables, searchViews } from './searchIndex.ts'
import type { SearchedFile } from './searchThreads.ts'

const file = openSqliteFile({ ...(workerData as SearchedFile), readOnly: true }, [entityTables, searchTables])
file.database.exec(searchViews)

/** Reads all of it as of one moment. */
const reading = async <T>(read: () => T | Promise<T>): Promise<T> => {
  file.database.exec('BEGIN')
  try {
    return await read()
  } finally {
    file.database.exec('ROLLBACK')
  }
}

const operations = {
  search: (query: SearchQuery): Promise<SearchHits> => reading(() => readSearch(file, query)),
  suggest: (prefix: string, kinds: readonly string[], limit: number): Promise<ReferenceRow[]> =>
    reading(() => readSuggestions(file, prefix, kinds, limit)),
}

export type Operations = typeof operations

serve(operations)
