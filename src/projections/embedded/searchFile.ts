import { sleep } from '../../shared/backOff.ts'
import { isBehind } from '../../events/events.ts'
import { indexTables, openIndex, entitiesPosition, type IndexOptions } from '../search/sqlite/indexFile.ts'
import { searchReads, type IndexedFile, makeSearchThreads } from '../search/sqlite/searchReads.ts'
import { forgetWords, indexEntitiesOf } from '../search/sqlite/indexing.ts'
import { makeCleanup, schedulePurge } from '../search/sqlite/cleanup.ts'
import type { Search } from '../search/port.ts'
import type { FileDefinition } from '../sqlite/projectionFile.ts'
import type { SqliteProjection } from '../sqlite/sqliteProjection.ts'

interface OpenedIndex extends IndexedFile {
  /** Absent if the file is only read or temporary. */
  readonly cleanup?: ReturnType<typeof makeCleanup>
}

export interface SearchOptions extends IndexOptions {
  /** Page cache of each search thread in bytes. Absent: searches run on this thread. */
  readonly threadBytes?: number | undefined
  /** A temporary file for a comparison: no background work. */
  readonly scratch?: boolean | undefined
  /** Commits entities, so that other connections see them. */
  readonly flush: () => void
}

/** Interval in milliseconds of checking whether the entities have caught up. */
const lookEvery = 20

/** The index is never ahead of the entities as this connection sees them. */
const seesEntities = async ({ file, flush }: OpenedIndex, position: bigint, stopping: AbortSignal): Promise<void> => {
  while (isBehind(entitiesPosition(file), position)) {
    stopping.throwIfAborted()
    flush()
    if (isBehind(entitiesPosition(file), position)) await sleep(lookEvery, stopping)
  }
}

const words: SqliteProjection<OpenedIndex> = {
  tables: indexTables,
  // Each batch is a segment of the index, and segments must be merged.
  batching: { time: 1000, size: 2000 },
  sees: seesEntities,
  changes:
    async ({ events }, { file, cleanup }) =>
    () => {
      indexEntitiesOf(file, events)
      if (events.some(({ type }) => type === 'Forgotten')) {
        schedulePurge(file)
        cleanup?.wake()
      }
      return undefined
    },
  forget: ({ file }) => forgetWords(file),
}

/** The file of the search index. */
export const searchFile: FileDefinition<SearchOptions, OpenedIndex, Search> = {
  projections: [words],
  reads: searchReads,
  open: ({ threadBytes: pageBytes, flush, scratch = false, ...options }) => {
    const { path, entities, readOnly = false } = options
    const file = openIndex(options)
    return {
      file,
      flush,
      ...(entities && pageBytes && { threads: makeSearchThreads({ path, entities, pageBytes }) }),
      ...(!readOnly && !scratch && { cleanup: makeCleanup(file) }),
    }
  },
  end: async ({ cleanup, threads }) => {
    await threads?.close()
    cleanup?.stop()
  },
}
