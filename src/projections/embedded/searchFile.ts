import { sleep } from '../../shared/backOff.ts'
import { isBehind } from '../../events/events.ts'
import { indexTables, openIndex, entitiesPosition, type IndexOptions } from '../search/sqlite/indexFile.ts'
import { dropWordCache, indexEntitiesOf } from '../search/sqlite/indexing.ts'
import { makeCleanup, schedulePurge } from '../search/sqlite/cleanup.ts'
import type { Search } from '../search/port.ts'
import type { FileDefinition } from '../sqlite/projectionFile.ts'
import type { SqliteProjection } from '../sqlite/sqliteProjection.ts'
import { searchReads, type ReadThreads } from './readThreads.ts'

interface SearchOptions extends Pick<IndexOptions, 'entities'> {
  /** Absent: searches run on this thread. */
  readonly threads?: ReadThreads | undefined
  /** Commits entities, so that other connections see them. */
  readonly flush: () => void
}

/** Interval in milliseconds of checking whether the entities have caught up. */
const lookEvery = 20

/** The file of the search index. */
export const searchFile = ({ entities, threads, flush }: SearchOptions): FileDefinition<Search> => {
  let cleanup: ReturnType<typeof makeCleanup> | undefined
  const words: SqliteProjection = {
    tables: indexTables,
    // Each batch is a segment of the index, and segments must be merged.
    batching: { time: 1000, size: 2000 },
    // The index is never ahead of the entities as this connection sees them.
    sees: async (file, position, stopping) => {
      while (isBehind(entitiesPosition(file), position)) {
        stopping.throwIfAborted()
        flush()
        if (isBehind(entitiesPosition(file), position)) await sleep(lookEvery, stopping)
      }
    },
    changes: async function* ({ events }, file) {
      const write = (): void => {
        indexEntitiesOf(file, events)
        if (events.every(({ type }) => type !== 'Forgotten')) return
        schedulePurge(file)
        cleanup?.wake()
      }
      yield { write, isLast: true }
    },
    dropCache: dropWordCache,
  }
  return {
    projections: [words],
    attached: entities,
    reads: (current) => searchReads({ current, flush, threads }),
    open: (as) => openIndex({ ...as, entities }),
    opened: (file, { readOnly, scratch }) => {
      threads?.open()
      cleanup = readOnly || scratch ? undefined : makeCleanup(file)
    },
    end: async () => {
      await threads?.end()
      cleanup?.stop()
    },
  }
}
