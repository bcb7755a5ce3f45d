import { parseStreamName } from '../../events/streamName.ts'
import { isBehind } from '../progress.ts'
import type { Batch } from '../projection.ts'
import { apartTables, openApart, shownIn, type ApartOptions } from '../search/sqlite/apart.ts'
import { searchReads, type IndexedFile } from '../search/sqlite/search.ts'
import { forgetWords, indexByIds } from '../search/sqlite/indexing.ts'
import { purgeLater } from '../search/sqlite/purging.ts'
import { makeMerging, type Merging } from '../search/sqlite/merging.ts'
import { makeSearchThreads } from '../search/sqlite/searchThreads.ts'
import type { Search } from '../search/port.ts'
import { openSqliteFile, type SqliteFile, type SqliteFileOptions } from './file.ts'
import { tidy, type FileSort } from './keptFile.ts'
import { keptInSqlite } from './sqliteProjection.ts'

interface WrittenIndex {
  readonly file: SqliteFile
  readonly merging: Merging
  /** Resolves when something is there that another thread writes. */
  readonly until: (isThere: () => boolean) => Promise<void>
}

export interface WrittenOptions extends ApartOptions {
  readonly until: WrittenIndex['until']
}

/** Indexes the entities of a batch as they are stored when they show it, or later. */
const changes = async ({ events, position }: Batch, current: () => WrittenIndex) => {
  const ids = [...new Set(events.map(({ stream }) => parseStreamName(stream).id))]
  await current().until(() => !isBehind(shownIn(current().file), position))
  return () => {
    const { file, merging } = current()
    indexByIds(file, ids)
    if (events.some(({ type }) => type === 'Forgotten')) purgeLater(file)
    merging.wake()
  }
}

const written = keptInSqlite({
  tables: apartTables,
  changes,
  forget: ({ file }: WrittenIndex) => forgetWords(file),
  reads: () => ({}),
})

/** What entities are found by, in a file of its own, as the thread has it that writes it. */
export const searchedHere: FileSort<WrittenOptions, WrittenIndex, Record<never, never>> = {
  kept: [written],
  reads: () => ({}),
  open: ({ until, ...options }) => {
    const file = openApart(options)
    return { file, until, merging: makeMerging(file) }
  },
  shut: async ({ file, merging }) => {
    merging.stop()
    await file.quieten()
    file.close()
  },
}

export interface SearchedOptions extends ApartOptions {
  /** Bytes of memory for pages of each thread that searches. Left out, searches happen in this one. */
  readonly threadBytes?: number | undefined
  /** Makes what the entities show here be seen by other connections. */
  readonly flush: () => Promise<void>
}

const openBeside = ({ threadBytes, flush, ...options }: SearchedOptions): IndexedFile => {
  openSqliteFile(options, [apartTables]).close()
  const { path, entities } = options
  return {
    file: openApart({ ...options, readOnly: true }),
    indexer: { settle: flush },
    ...(threadBytes && { threads: makeSearchThreads({ path, entities, pageBytes: threadBytes }) }),
  }
}

/** Another thread writes it. */
const elsewhere = keptInSqlite({
  tables: apartTables,
  changes: () => Promise.reject(new Error('Another thread writes the search index.')),
  reads: () => ({}),
})

/** The same where another thread writes it. */
export const searchedBeside: FileSort<SearchedOptions, IndexedFile, Search> = {
  kept: [elsewhere],
  reads: searchReads,
  open: openBeside,
  shut: async ({ file, threads }) => {
    await threads?.close()
    file.close()
    tidy(file.path)
  },
}

/** The same where nothing is searched: it is to be filled by another process later, or is only looked at. */
export const searchedLater: FileSort<SqliteFileOptions, { readonly file: SqliteFile }, Record<never, never>> = {
  kept: [elsewhere],
  reads: () => ({}),
  open: (options) => ({ file: openSqliteFile(options, [apartTables]) }),
  shut: async ({ file }) => {
    await file.quieten()
    file.close()
  },
}
