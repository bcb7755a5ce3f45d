import { workerData } from 'node:worker_threads'
import { serveThread } from '../../shared/threads/serveOperations.ts'
import { documentsIn } from '../documents/sqlite.ts'
import { tablesFor } from '../documents/sqliteTables.ts'
import { countSettled } from '../entities/countSettled.ts'
import { entities } from '../entities/entityDocuments.ts'
import { planQuery, readList, type QueryPlan } from '../entities/lists.ts'
import type { ListPage, PendingNames } from '../entities/port.ts'
import { openSqliteFile, type SqliteTables } from '../sqlite/file.ts'
import { readSnapshot } from '../sqlite/readInThread.ts'
import type { TimelineQuery } from '../timeline/port.ts'
import { timelineDocuments } from '../timeline/read.ts'
import { spans } from '../timeline/tables.ts'
import { historyPathOf } from './historyFile.ts'

/** The files that the thread reads. */
export interface ListFiles {
  /** The file of entities; that of the history is next to it. */
  readonly path: string
  /** Page cache of each in bytes. */
  readonly pageBytes: number
}

const { path, pageBytes } = workerData as ListFiles

const open = (at: string, projection: SqliteTables) => {
  const file = openSqliteFile({ path: at, readOnly: true, pageBytes }, [projection])
  return { file, reading: <T>(read: () => Promise<T>) => readSnapshot(file, 'projections', read) }
}

const now = open(path, tablesFor(entities))
const past = open(historyPathOf(path), tablesFor(spans))
const documents = documentsIn(entities, () => now.file)
const { listAsOf } = timelineDocuments.reads(
  documentsIn(spans, () => past.file),
  () => undefined,
)

/** A page with its total, in one snapshot. The total is counted first, so that no more entities are read. */
const readCounted = async (query: QueryPlan): Promise<ListPage> => {
  const plan = await planQuery(documents, query)
  const { total } = await readList(documents, { ...plan, limit: 0 })
  return readList(documents, { ...plan, total, size: total })
}

/** Without a page, or with a known total, comparing the edges completely would cost more than it saves. */
const read = (plan: QueryPlan): Promise<ListPage> =>
  plan.limit === 0 || plan.total !== undefined ? readList(documents, plan) : readCounted(plan)

const operations = {
  list: (plan: QueryPlan) => now.reading(() => read(plan)),
  countSettled: (plan: QueryPlan, names: PendingNames) => now.reading(() => countSettled(documents, plan, names)),
  listAsOf: (query: TimelineQuery) => past.reading(() => listAsOf(query)),
}

export type ListOperations = typeof operations

serveThread(operations)
