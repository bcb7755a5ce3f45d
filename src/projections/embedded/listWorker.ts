import { workerData } from 'node:worker_threads'
import { serveThread } from '../../shared/threads/serveOperations.ts'
import { documentsIn } from '../documents/sqlite.ts'
import { tablesFor } from '../documents/sqliteTables.ts'
import { countSettled } from '../entities/countSettled.ts'
import { entities } from '../entities/entityDocuments.ts'
import { readList, type QueryPlan } from '../entities/lists.ts'
import type { PendingNames } from '../entities/port.ts'
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

const operations = {
  list: (plan: QueryPlan) => now.reading(() => readList(documents, plan)),
  countSettled: (plan: QueryPlan, names: PendingNames) => now.reading(() => countSettled(documents, plan, names)),
  listAsOf: (query: TimelineQuery) => past.reading(() => listAsOf(query)),
}

export type ListOperations = typeof operations

serveThread(operations)
