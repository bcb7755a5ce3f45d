import { activityInSqlite } from '../activity/sqlite/activity.ts'
import { timelineReads } from '../timeline/sqlite/read.ts'
import { timelineTables } from '../timeline/sqlite/tables.ts'
import { forgetTimeline, newTimelineMemory, writeTimeline, type FileWithTimeline } from '../timeline/sqlite/write.ts'
import { makeTreeChanges, treeReads, treeTables, type FileWithTree } from '../tree/sqlite/tiles.ts'
import { openSqliteFile, type SqliteFileOptions } from './file.ts'
import { lineageInSqlite, newEnds, type FileWithLineage } from './lineage.ts'
import { readsOf, tablesOf, tidy, type FileSort } from './keptFile.ts'
import { keptInSqlite } from './sqliteProjection.ts'

/** Where what happened is kept, beside the file of what is there now. */
export const historyPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.history.db')

export type OpenedHistory = FileWithTree & FileWithTimeline & FileWithLineage

const tree = keptInSqlite({
  tables: treeTables,
  changes: (batch, current: () => FileWithTree) => makeTreeChanges(current)(batch),
  forget: (opened) => (opened.tree.end = undefined),
  reads: (current) => treeReads(() => current().file),
})

const timeline = keptInSqlite({
  tables: timelineTables,
  changes:
    async ({ events }, current: () => FileWithTimeline) =>
    () =>
      writeTimeline(current(), events),
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
  shut: async ({ file }) => {
    await file.quieten()
    file.close()
  },
}

/** Makes what is missing, then reads beside the one who writes. */
const openBeside = (options: SqliteFileOptions): OpenedHistory => {
  openSqliteFile({ ...options, pageSize }, tables).close()
  return openHistory({ ...options, readOnly: true })
}

/** The same where another thread writes it. */
export const historyBeside: typeof history = {
  ...history,
  open: openBeside,
  shut: async ({ file }) => {
    file.close()
    tidy(file.path)
  },
}
