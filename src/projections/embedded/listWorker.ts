import { workerData } from 'node:worker_threads'
import { serveThread } from '../../shared/threads/serveOperations.ts'
import { documentsInSqlite } from '../documents/sqlite.ts'
import { entityDocuments } from '../entities/entityProjection.ts'
import type { EntityLists } from '../entities/port.ts'
import { openSqliteFile } from '../sqlite/file.ts'
import { readSnapshot } from '../sqlite/readInThread.ts'
import type { SqliteProjection } from '../sqlite/sqliteProjection.ts'
import type { Timeline } from '../timeline/port.ts'
import { timelineDocuments } from '../timeline/read.ts'
import { historyPathOf } from './historyFile.ts'

/** The files that the thread reads. */
export interface ListFiles {
  /** The file of entities; that of the history is next to it. */
  readonly path: string
  /** Page cache of each in bytes. */
  readonly pageBytes: number
}

const { path, pageBytes } = workerData as ListFiles

const open = (at: string, { tables }: SqliteProjection) => {
  const file = openSqliteFile({ path: at, readOnly: true, pageBytes }, [tables])
  return { file, reading: <T>(read: () => Promise<T>) => readSnapshot(file, 'projections', read) }
}

const entities = documentsInSqlite(entityDocuments(0))
const timeline = documentsInSqlite(timelineDocuments)
const now = open(path, entities)
const past = open(historyPathOf(path), timeline)
const { list, countSettled } = entities.reads(() => now.file)
const { listAsOf } = timeline.reads(() => past.file)

const operations = {
  list: (...args: Parameters<EntityLists['list']>) => now.reading(() => list(...args)),
  countSettled: (...args: Parameters<EntityLists['countSettled']>) => now.reading(() => countSettled(...args)),
  listAsOf: (...args: Parameters<Timeline['listAsOf']>) => past.reading(() => listAsOf(...args)),
}

export type ListOperations = typeof operations

serveThread(operations)
