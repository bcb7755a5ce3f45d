import { activityDocuments } from '../activity/activityProjection.ts'
import { documentsInSqlite } from '../documents/sqlite.ts'
import { inboxDocuments } from '../inbox/inbox.ts'
import { timelineDocuments } from '../timeline/read.ts'
import type { SqliteFile } from '../sqlite/file.ts'
import { lineageDocuments } from '../lineage/lineageProjection.ts'
import type { FileDefinition } from '../sqlite/projectionFile.ts'
import { treeDocuments } from '../tree/treeProjection.ts'
import { mergePorts } from '../errors.ts'

/** Path of the history file, next to the file of entities. */
export const historyPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.history.db')

const projections = [
  documentsInSqlite(activityDocuments),
  documentsInSqlite(treeDocuments),
  documentsInSqlite(inboxDocuments),
  documentsInSqlite(timelineDocuments),
  documentsInSqlite(lineageDocuments),
] as const

export const historyProjections: readonly string[] = projections.map(({ tables }) => tables.name)

const reads = (current: () => SqliteFile) =>
  mergePorts(
    projections.map((each) => each.reads(current)) as readonly ReturnType<(typeof projections)[number]['reads']>[],
  )

type HistoryReads = ReturnType<typeof reads>

/** The history file: activity, Merkle tree, inboxes, timeline and lineage. */
export const history: FileDefinition<HistoryReads> = {
  projections,
  reads,
  // Small pages: rows are small, and most index insertions touch a page each.
  pageSize: 4096,
}
