import { workerData } from 'node:worker_threads'
import { serve } from '../../../shared/threads/serveOperations.ts'
import type { ReferenceRow } from '../../entities/row.ts'
import type { SearchHits, SearchQuery } from '../port.ts'
import { readSearch, readSuggestions, type SuggestionsAsked } from './search.ts'
import { openIndex, type IndexOptions } from './indexFile.ts'

const file = openIndex({ ...(workerData as IndexOptions), readOnly: true })

/** Reads one snapshot; the index is never ahead of the entities. */
const reading = async <T>(read: () => T | Promise<T>): Promise<T> => {
  file.database.exec('BEGIN')
  try {
    file.statement('SELECT 1 FROM search_docs LIMIT 1').get()
    return await read()
  } finally {
    file.database.exec('ROLLBACK')
  }
}

const operations = {
  search: (query: SearchQuery): Promise<SearchHits> => reading(() => readSearch(file, query)),
  suggest: (...asked: SuggestionsAsked): Promise<ReferenceRow[]> => reading(() => readSuggestions(file, ...asked)),
}

export type Operations = typeof operations

serve(operations)
