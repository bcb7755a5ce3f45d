import { activityInSqlite } from '../activity/sqlite/activity.ts'
import { timelineReads } from '../timeline/sqlite/read.ts'
import { timelineTables } from '../timeline/sqlite/tables.ts'
import { forgetTimeline, newTimelineMemory, writeTimeline, type FileWithTimeline } from '../timeline/sqlite/write.ts'
import { treeChanges, treeReads, treeTables, type FileWithTree } from '../tree/sqlite/tiles.ts'
import { openSqliteFile, type SqliteFileOptions } from './file.ts'
import { lineageInSqlite, newEnds, type FileWithLineage } from './lineage.ts'
import { readsOf, shutFile, tablesOf, tidy, type FileSort } from './keptFile.ts'
import { historyBatching, keptInSqlite } from './sqliteProjection.ts'

/** Where what happened is kept, beside the file of what is there now. */
export const historyPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.history.db')

type OpenedHistory = FileWithTree & FileWithTimeline & FileWithLineage

const tree = keptInSqlite({
  tables: treeTables,
  batching: historyBatching,
  changes: treeChanges,
  forget: (opened: FileWithTree) => (opened.tree.end = undefined),
  reads: (current) => treeReads(() => current().file),
})

const timeline = keptInSqlite({
  tables: timelineTables,
  batching: historyBatching,
  changes:
    async ({ events }, opened: FileWithTimeline) =>
    () =>
      writeTimeline(opened, events),
  forget: (opened) => forgetTimeline(opened.timeline),
  reads: (current) => timelineReads(() => current().file),
})

const kept = [activityInSqlite, tree, timeline, lineageInSqlite] as const

const tables = tablesOf(kept)

export const historyProjections: readonly string[] = tables.map(({ name }) => name)

/** Bytes of a page: rows are small, and most indexes are added to anywhere, where each row is a page to write. */
const pageSize = 4096

const openHistory = (options: SqliteFileOptions): OpenedHistory => ({
  file: openSqliteFile({ ...options, pageSize }, tables),
  tree: { end: undefined },
  timeline: newTimelineMemory(),
  ends: newEnds(),
})

const reads = (current: () => OpenedHistory) => readsOf(kept, current)

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
