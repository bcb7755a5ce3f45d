import { ancestorFqns } from '../../kinds/names.ts'
import { activityInSqlite } from '../activity/sqlite/activity.ts'
import { applyRows } from '../entities/sqlite/apply.ts'
import { entityReads, type CachedFile } from '../entities/sqlite/reads.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import { searchReads } from '../search/sqlite/search.ts'
import { searchTables, type SearchIndexer } from '../search/sqlite/searchIndex.ts'
import type { SearchThreads } from '../search/sqlite/searchThreads.ts'
import { timelineReads } from '../timeline/sqlite/read.ts'
import { timelineTables } from '../timeline/sqlite/tables.ts'
import { forgetTimeline, writeTimeline, type FileWithTimeline } from '../timeline/sqlite/write.ts'
import { makeTreeChanges, treeReads, treeTables, type FileWithTree } from '../tree/sqlite/tiles.ts'
import { keptInSqlite } from './sqliteProjection.ts'

/** The file of what is there now, with what keeps its search index in step, and with what is remembered of it. */
export interface OpenedPresent extends CachedFile {
  readonly indexer: SearchIndexer
  readonly threads?: SearchThreads
  /** Ends what goes on behind. */
  readonly stopDropping?: () => void
}

/** The file of what happened, with what is remembered of it. */
export type OpenedHistory = FileWithTree & FileWithTimeline

const entities = keptInSqlite({
  tables: entityTables,
  changes: async (batch, current: () => OpenedPresent) => {
    const rows = await batch.rows()
    return () => {
      const { file, cache } = current()
      applyRows(file, rows, ancestorFqns)
      cache.applied(rows)
    }
  },
  forget: ({ cache }) => cache.clear(),
  reads: entityReads,
})

const search = keptInSqlite({
  tables: searchTables,
  changes: async (batch, current: () => OpenedPresent) => {
    const ids = (await batch.rows()).map(({ id }) => id)
    return () => {
      current().indexer.queue(ids)
      current().indexer.schedule()
    }
  },
  reads: searchReads,
})

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

/**
 * What the file of what is there now keeps, in the order in which it is written: writes wait for the first, and what is
 * searched are the entities that are there.
 */
export const keptOfPresent = [entities, search] as const

/** What the file of what happened keeps: it is made of the events alone. */
export const keptOfHistory = [activityInSqlite, tree, timeline] as const
