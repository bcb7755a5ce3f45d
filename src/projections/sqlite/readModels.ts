import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ancestorFqns } from '../../kinds/names.ts'
import { activityIn } from '../activity/activityProjection.ts'
import { activityReads, activityTables, writeActivity } from '../activity/sqlite/activity.ts'
import { DamagedReadModels, type ReadModels } from '../readModels.ts'
import { applyRows } from '../entities/sqlite/apply.ts'
import { entityReads, scanEntities, type CachedFile } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { Projection } from '../projection.ts'
import { searchReads } from '../search/sqlite/search.ts'
import { makeSearchThreads, type SearchThreads } from '../search/sqlite/searchThreads.ts'
import { timelineReads } from '../timeline/sqlite/read.ts'
import { timelineTables } from '../timeline/sqlite/tables.ts'
import { forgetTimeline, newTimelineMemory, writeTimeline, type FileWithTimeline } from '../timeline/sqlite/write.ts'
import { makeTreeChanges, treeReads, treeTables, type FileWithTree } from '../tree/sqlite/tiles.ts'
import {
  makeBulkIndexer,
  makeSearchIndexer,
  noIndexer,
  searchTables,
  searchViews,
  type SearchIndexer,
} from '../search/sqlite/searchIndex.ts'
import { readCheckpoints } from './checkpoints.ts'
import { asPortError } from './errors.ts'
import { guardAll, type Guard } from '../guard.ts'
import { openSqliteFile, putAside, removeFile, usualPages, type SqliteFile, type SqliteFileOptions } from './file.ts'
import { makeRenewals, sqliteProjection, type Renewals } from './sqliteProjection.ts'

/** Read models in one SQLite file, which one process has to itself. */
export interface SqliteReadModels extends Omit<ReadModels, 'sharing'> {
  /** Limits the size of the file, in pages, as a full disk would. For tests. */
  limitPages(pages: number): void
}

/** Makes what was written to a file, or to the entries of a folder, durable. */
const sync = (path: string): void => {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** A file with what keeps its search index in step, and with what was read from it lately. */
interface Opened extends CachedFile, FileWithTree, FileWithTimeline {
  readonly indexer: SearchIndexer
  readonly threads?: SearchThreads
}

interface Options extends SqliteFileOptions {
  /** Bytes of memory for what was read lately. Default 32 MiB. */
  readonly cacheBytes?: number
  /** Searches happen in threads of their own. Default: in this one. */
  readonly searchBeside?: boolean
}

const allTables = [entityTables, searchTables, activityTables, treeTables, timelineTables]

const openAll = (options: Options): Opened => {
  const file = openSqliteFile(options, allTables)
  try {
    return withIndexer(file, options)
  } catch (error) {
    file.close()
    throw error
  }
}

const withIndexer = (file: SqliteFile, options: Options): Opened => {
  file.database.exec(searchViews)
  const opened = { file, tree: { end: undefined }, timeline: newTimelineMemory() }
  if (options.readOnly) return { ...opened, indexer: noIndexer, cache: makeReadCache(0) }
  if (options.bulk) return { ...opened, indexer: makeBulkIndexer(file), cache: makeReadCache(0) }
  const { path, pageBytes = usualPages, cacheBytes = 2 ** 25, searchBeside = false } = options
  return {
    ...opened,
    indexer: makeSearchIndexer(file),
    cache: makeReadCache(cacheBytes),
    ...(searchBeside && { threads: makeSearchThreads({ path, pageBytes: Math.floor(pageBytes / 2) }) }),
  }
}

const shut = async ({ file, indexer, threads }: Opened): Promise<void> => {
  indexer.stop()
  await threads?.close()
  file.close()
}

/** Moves a finished file over another one that is closed. Whatever stops it half-way, one of the two stands there whole. */
const replaceFile = (path: string, by: string): void => {
  sync(by)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(by, path)
  sync(dirname(path))
}

/** The projections in the order in which they are written: what is searched are the entities that are there. */
const projectionsIn = (current: () => Opened, renewals: Renewals): Projection[] => {
  const shared = { file: () => current().file, renewals }
  return [
    sqliteProjection({
      ...shared,
      tables: entityTables,
      changes: async (batch) => {
        const rows = await batch.rows()
        return () => {
          const { file, cache } = current()
          applyRows(file, rows, ancestorFqns)
          cache.applied(rows)
        }
      },
      emptied: () => current().cache.clear(),
    }),
    sqliteProjection({
      ...shared,
      tables: searchTables,
      changes: async (batch) => {
        const ids = (await batch.rows()).map(({ id }) => id)
        return () => {
          current().indexer.queue(ids)
          current().indexer.schedule()
        }
      },
    }),
    sqliteProjection({
      ...shared,
      tables: activityTables,
      changes: async (batch) => {
        const rows = await activityIn(batch)
        return () => writeActivity(current().file, rows)
      },
    }),
    sqliteProjection({
      ...shared,
      tables: treeTables,
      changes: makeTreeChanges(current),
      emptied: () => (current().tree.end = undefined),
    }),
    sqliteProjection({
      ...shared,
      tables: timelineTables,
      changes:
        async ({ events }) =>
        () =>
          writeTimeline(current(), events),
      emptied: () => forgetTimeline(current().timeline),
    }),
  ]
}

interface Made {
  readonly readModels: SqliteReadModels
  /** Makes everything that a file being filled lacks, letting others have their turn in between. */
  finish(): Promise<void>
}

/** The port over whatever file is current. */
const makeReadModels = (options: Options): Made => {
  let current = openAll(options)
  const renewals = makeRenewals()

  const startRebuild: ReadModels['startRebuild'] = async () => {
    const path = `${options.path}.rebuild`
    removeFile(path)
    const { readModels: fresh, finish } = makeReadModels({ path, bulk: true })
    current.indexer.pause(true)
    return {
      fresh,
      swap: async (catchUp) => {
        await catchUp?.(readCheckpoints(current.file).get(entityTables.name)?.position)
        await finish()
        await fresh.close()
        await shut(current)
        try {
          replaceFile(options.path, path)
        } finally {
          current = openAll(options)
        }
      },
      discard: async () => {
        await fresh.close()
        removeFile(path)
        current.indexer.pause(false)
      },
    }
  }

  const readModels: SqliteReadModels = {
    ...entityReads(() => current),
    ...searchReads(() => current),
    ...activityReads(() => current.file),
    ...treeReads(() => current.file),
    ...timelineReads(() => current.file),
    scan: () => scanEntities(() => current),
    projections: projectionsIn(() => current, renewals),
    checkpoints: async () => {
      renewals.checkpointsRead()
      return readCheckpoints(current.file)
    },
    ping: async () => void readCheckpoints(current.file),
    commit: async (writes, checkpoint) => {
      const { file, cache, tree, timeline } = current
      try {
        file.inSharedTransaction(() => writes.forEach((write) => void write(checkpoint)))
      } catch (error) {
        cache.clear()
        tree.end = undefined
        forgetTimeline(timeline)
        throw error
      }
    },
    startRebuild,
    limitPages: (pages) => current.file.database.exec(`PRAGMA max_page_count = ${pages}`),
    close: () => shut(current),
  }
  const finish = async (): Promise<void> => {
    await current.indexer.leave()
    for (const _ of current.file.complete()) await nextTurn()
    current.file.seal()
  }
  return { readModels, finish }
}

/**
 * Throws the errors that the port knows. Once a call has found damage the checkpoints cannot be read either, so that
 * whoever keeps the read models in step learns of it.
 */
const guarded = (readModels: SqliteReadModels, path: string): SqliteReadModels => {
  let damage: DamagedReadModels | undefined
  const mapped = (error: unknown): unknown => {
    const known = asPortError(error, path)
    if (known instanceof DamagedReadModels) damage ??= known
    return known
  }
  const guard: Guard =
    (call) =>
    async (...args) => {
      try {
        return await call(...args)
      } catch (error) {
        throw mapped(error)
      }
    }
  const { projections, scan, startRebuild, close, limitPages, checkpoints, ...calls } = readModels
  return {
    ...guardAll(calls, guard),
    projections,
    startRebuild,
    close,
    limitPages,
    scan: async function* () {
      try {
        yield* scan()
      } catch (error) {
        throw mapped(error)
      }
    },
    checkpoints: guard(async () => {
      if (damage !== undefined) throw damage
      return checkpoints()
    }),
  }
}

export type SqliteReadModelsOptions = Pick<
  Options,
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'searchBeside'
>

/**
 * Opens the read models in this file, and creates it unless it is read only. A file of another storage version is thrown
 * away: then there is no checkpoint and the log is projected from its beginning.
 * What is damaged, no database or somebody else's is put aside; a reader throws {@link DamagedReadModels} that names it.
 */
export const openSqliteReadModels = async (options: SqliteReadModelsOptions): Promise<SqliteReadModels> => {
  const { path, readOnly = false, onReplaced = () => {} } = options
  const open = (): SqliteReadModels => guarded(makeReadModels(options).readModels, path)
  try {
    return open()
  } catch (error) {
    const known = asPortError(error, path)
    if (!(known instanceof DamagedReadModels) || readOnly) throw known
    onReplaced(`${known.message} It was put aside as ${putAside(path)}`)
    return open()
  }
}

/** Empty read models in a temporary folder, tuned for being filled; `dispose` removes them. */
export const openScratchReadModels = async (): Promise<{ readModels: ReadModels; dispose(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  const { readModels } = makeReadModels({ path: join(folder, 'readModels.db'), bulk: true })
  return {
    readModels,
    dispose: async () => {
      await readModels.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
