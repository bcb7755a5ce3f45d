import { workerData } from 'node:worker_threads'
import { serveThread } from '../../shared/threads/serveOperations.ts'
import { documentsIn } from '../documents/sqlite.ts'
import { tablesFor } from '../documents/sqliteTables.ts'
import { countSettled } from '../entities/countSettled.ts'
import { entities } from '../entities/entityDocuments.ts'
import { planQuery, readList, type QueryPlan } from '../entities/lists.ts'
import type { ListPage, PendingNames } from '../entities/port.ts'
import type { Search } from '../search/port.ts'
import { openIndex, searchPathOf } from '../search/sqlite/indexFile.ts'
import { searchOf } from '../search/sqlite/search.ts'
import { openSqliteFile, type SqliteFile } from '../sqlite/file.ts'
import type { TimelineQuery } from '../timeline/port.ts'
import { timelineDocuments } from '../timeline/read.ts'
import { spans } from '../timeline/tables.ts'
import { historyPathOf } from './historyFile.ts'

/** The files that a thread reads. */
export interface ReadFiles {
  /** The file of entities; those of the history and of the search index are next to it. */
  readonly path: string
  /** Page cache of each in bytes. */
  readonly pageBytes: number
}

const { path, pageBytes } = workerData as ReadFiles
const own = { readOnly: true, pageBytes }

/**
 * Opens a file when it is first read.
 * @param first the table whose read begins a snapshot
 * @returns reads of one snapshot of the file, which others write
 */
const snapshotsOf = (first: string, open: () => SqliteFile) => {
  let opened: SqliteFile | undefined
  return async <T>(read: (file: SqliteFile) => Promise<T>): Promise<T> => {
    const file = (opened ??= open())
    file.database.exec('BEGIN')
    try {
      file.statement(`SELECT 1 FROM ${first} LIMIT 1`).get()
      return await read(file)
    } finally {
      file.database.exec('ROLLBACK')
    }
  }
}

const now = snapshotsOf('projections', () => openSqliteFile({ path, ...own }, [tablesFor(entities)]))
const past = snapshotsOf('projections', () => openSqliteFile({ path: historyPathOf(path), ...own }, [tablesFor(spans)]))
/** The index is read first: it is never ahead of the entities. */
const index = snapshotsOf('search', () => openIndex({ path: searchPathOf(path), entities: path, ...own }))

const documents = (file: SqliteFile) => documentsIn(entities, () => file)
const timeline = (file: SqliteFile) =>
  timelineDocuments.reads(
    documentsIn(spans, () => file),
    () => undefined,
  )

/** A page with its total, in one snapshot. The total is counted first, so that no more entities are read. */
const readCounted = async (file: SqliteFile, query: QueryPlan): Promise<ListPage> => {
  const plan = await planQuery(documents(file), query)
  const { total } = await readList(documents(file), { ...plan, limit: 0 })
  return readList(documents(file), { ...plan, total, size: total })
}

/** Without a page, or with a known total, comparing the edges completely would cost more than it saves. */
const readPage = (file: SqliteFile, plan: QueryPlan): Promise<ListPage> =>
  plan.limit === 0 || plan.total !== undefined ? readList(documents(file), plan) : readCounted(file, plan)

const operations = {
  list: (plan: QueryPlan) => now((file) => readPage(file, plan)),
  countSettled: (plan: QueryPlan, names: PendingNames) => now((file) => countSettled(documents(file), plan, names)),
  listAsOf: (query: TimelineQuery) => past((file) => timeline(file).listAsOf(query)),
  search: (...args: Parameters<Search['search']>) => index((file) => searchOf(file).search(...args)),
  suggest: (...args: Parameters<Search['suggest']>) => index((file) => searchOf(file).suggest(...args)),
}

export type ReadOperations = typeof operations

serveThread(operations)
