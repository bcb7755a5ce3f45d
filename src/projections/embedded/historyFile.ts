import { activityInSqlite } from '../activity/sqlite/activity.ts'
import { timelineInSqlite } from '../timeline/sqlite/write.ts'
import { treeInSqlite } from '../tree/sqlite/tiles.ts'
import { joined } from '../guard.ts'
import { openSqliteFile, type SqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import { lineageInSqlite } from '../sqlite/lineage.ts'
import { shutFile, tablesOf, tidy, type FileSort } from '../sqlite/keptFile.ts'

/** Where what happened is kept, beside the file of what is there now. */
export const historyPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.history.db')

const kept = [activityInSqlite, treeInSqlite, timelineInSqlite, lineageInSqlite] as const

const tables = tablesOf(kept)

export const historyProjections: readonly string[] = tables.map(({ name }) => name)

/** Bytes of a page: rows are small, and most indexes are added to anywhere, where each row is a page to write. */
const pageSize = 4096

interface OpenedHistory {
  readonly file: SqliteFile
}

const openHistory = (options: SqliteFileOptions): OpenedHistory => ({
  file: openSqliteFile({ ...options, pageSize }, tables),
})

const reads = (current: () => OpenedHistory) =>
  joined(kept.map((each) => each.reads(current)) as readonly ReturnType<(typeof kept)[number]['reads']>[])

export type HistoryReads = ReturnType<typeof reads>

/** What happened, made of the events alone: who did what, the tree over the log, lists of the past. */
export const history: FileSort<SqliteFileOptions, OpenedHistory, HistoryReads> = {
  kept,
  reads,
  open: openHistory,
  shut: shutFile,
}

/** The same to be read while a worker writes it, which may have to make it first. */
export const historyToRead: typeof history = {
  ...history,
  open: (options) => {
    openSqliteFile({ ...options, pageSize }, tables).close()
    return openHistory({ ...options, readOnly: true })
  },
  shut: async ({ file }) => {
    file.close()
    tidy(file.path)
  },
}
