import { keptActivity } from '../activity/activityProjection.ts'
import { documentsInSqlite } from '../documents/sqlite.ts'
import { keptInbox } from '../inbox/inbox.ts'
import { keptTimeline } from '../timeline/read.ts'
import { openSqliteFile, type SqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import { keptLineage } from '../lineage/lineageProjection.ts'
import { tablesOf, type FileSort } from '../sqlite/keptFile.ts'
import { keptTree } from '../tree/treeProjection.ts'
import { joined } from '../errors.ts'

/** Path of the history file, next to the file of entities. */
export const historyPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.history.db')

const kept = [
  documentsInSqlite(keptActivity),
  documentsInSqlite(keptTree),
  documentsInSqlite(keptInbox),
  documentsInSqlite(keptTimeline),
  documentsInSqlite(keptLineage),
] as const

const tables = tablesOf(kept)

export const historyProjections: readonly string[] = tables.map(({ name }) => name)

interface OpenedHistory {
  readonly file: SqliteFile
}

const reads = (current: () => OpenedHistory) =>
  joined(kept.map((each) => each.reads(current)) as readonly ReturnType<(typeof kept)[number]['reads']>[])

export type HistoryReads = ReturnType<typeof reads>

/** The history file: activity, Merkle tree, timeline and lineage. */
export const history: FileSort<SqliteFileOptions, OpenedHistory, HistoryReads> = {
  kept,
  reads,
  // Small pages: rows are small, and most index insertions touch a page each.
  pageSize: 4096,
  open: (options) => ({ file: openSqliteFile(options, tables) }),
}
