import { rest } from '../../shared/backOff.ts'
import { isBehind } from '../progress.ts'
import { parseStreamName } from '../../events/streamName.ts'
import { indexTables, fillIndex, openIndex, shownIn, type IndexOptions } from '../search/sqlite/indexFile.ts'
import { searchReads, type IndexedFile } from '../search/sqlite/searchReads.ts'
import { forgetWords, indexByIds } from '../search/sqlite/indexing.ts'
import { makeMerging, type Merging } from '../search/sqlite/merging.ts'
import { purgeLater } from '../search/sqlite/purging.ts'
import { makeSearchThreads } from '../search/sqlite/searchThreads.ts'
import type { Search } from '../search/port.ts'
import { openSqliteFile, type SqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import { shutFile, tidy, type FileSort } from '../sqlite/keptFile.ts'
import { keptInSqlite } from '../sqlite/sqliteProjection.ts'

interface WrittenIndex extends IndexedFile {
  readonly merging: Merging
}

export interface SearchOptions extends IndexOptions {
  /** Bytes of memory for pages of each thread that searches. Left out, searches happen in this one. */
  readonly threadBytes?: number | undefined
  /** Makes what the entities show be seen by other connections. */
  readonly flush: () => void
}

/** @param file as it is read here */
const searchedIn = (file: SqliteFile, { path, entities, threadBytes, flush }: SearchOptions): IndexedFile => ({
  file,
  flush,
  ...(threadBytes && { threads: makeSearchThreads({ path, entities, pageBytes: threadBytes }) }),
})

/** Milliseconds after which it is looked again whether the entities show what the log has. */
const lookEvery = 20

/** The index never comes further than the entities, as this connection sees them. */
const seesEntities = async ({ file, flush }: WrittenIndex, position: bigint, stopping: AbortSignal): Promise<void> => {
  while (isBehind(shownIn(file), position)) {
    stopping.throwIfAborted()
    flush()
    if (isBehind(shownIn(file), position)) await rest(lookEvery, stopping)
  }
}

const written = keptInSqlite({
  tables: indexTables,
  // Each batch is a piece of the index, and pieces are merged again and again.
  batching: { time: 1000, size: 2000 },
  prepare: ({ file }: WrittenIndex, stopping) => fillIndex(file, stopping),
  sees: seesEntities,
  changes: async ({ events }, { file, merging }) => {
    const ids = [...new Set(events.map(({ stream }) => parseStreamName(stream).id))]
    return () => {
      indexByIds(file, ids)
      if (events.some(({ type }) => type === 'Forgotten')) purgeLater(file)
      merging.wake()
    }
  },
  forget: ({ file }) => forgetWords(file),
  reads: searchReads,
})

/** What entities are found by, in a file of its own beside that of the entities. */
export const searchFile: FileSort<SearchOptions, WrittenIndex, Search> = {
  kept: [written],
  reads: searchReads,
  open: (options) => {
    const file = openIndex(options)
    return { ...searchedIn(file, options), merging: makeMerging(file) }
  },
  shut: async ({ file, merging, threads }) => {
    await threads?.close()
    merging.stop()
    await shutFile({ file })
  },
}

/** Another thread writes it, or nobody. */
const writtenElsewhere = keptInSqlite({
  tables: indexTables,
  changes: () => Promise.reject(new Error('Another thread writes the search index.')),
  reads: () => ({}),
})

/** The same to be read while a worker writes it, which may have to make it first. */
export const searchFileToRead: FileSort<SearchOptions, IndexedFile, Search> = {
  kept: [writtenElsewhere],
  reads: searchReads,
  open: (options) => {
    openSqliteFile(options, [indexTables]).close()
    return searchedIn(openIndex({ ...options, readOnly: true }), options)
  },
  shut: async ({ file, threads }) => {
    await threads?.close()
    file.close()
    tidy(file.path)
  },
}

const notSearched = (): Promise<never> => Promise.reject(new Error('Nothing is searched in these read models.'))

/** The same where nothing is searched: it is filled later, or only looked at. */
export const searchFileUnread: FileSort<SqliteFileOptions, { readonly file: SqliteFile }, Search> = {
  kept: [writtenElsewhere],
  reads: () => ({ search: notSearched, suggest: notSearched }),
  open: (options) => ({ file: openSqliteFile(options, [indexTables]) }),
  shut: shutFile,
}
