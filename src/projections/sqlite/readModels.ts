import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DamagedReadModels, type ReadModels } from '../readModels.ts'
import { scanEntities } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import { makeSearchThreads } from '../search/sqlite/searchThreads.ts'
import { newTimelineMemory } from '../timeline/sqlite/write.ts'
import { makeBulkIndexer, makeSearchIndexer, noIndexer, searchViews } from '../search/sqlite/searchIndex.ts'
import { readCheckpoints } from './checkpoints.ts'
import { asPortError } from './errors.ts'
import { guardAll, type Guard } from '../guard.ts'
import { openSqliteFile, putAside, removeFile, usualPages, type SqliteFile, type SqliteFileOptions } from './file.ts'
import { kept, type Opened } from './kept.ts'
import { makeRenewals, sqliteProjection } from './sqliteProjection.ts'

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

interface Options extends SqliteFileOptions {
  /** Bytes of memory for what was read lately. Default 32 MiB. */
  readonly cacheBytes?: number
  /** Searches happen in threads of their own. Default: in this one. */
  readonly searchBeside?: boolean
}

const openAll = (options: Options): Opened => {
  const file = openSqliteFile(
    options,
    kept.map(({ tables }) => tables),
  )
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

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** What is read of everything that is kept. */
const readsOf = (current: () => Opened): UnionToIntersection<ReturnType<(typeof kept)[number]['reads']>> =>
  Object.assign({}, ...kept.map(({ reads }) => reads(current)))

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
    ...readsOf(() => current),
    scan: () => scanEntities(() => current),
    projections: kept.map((each) => sqliteProjection(each, () => current, renewals)),
    checkpoints: async () => {
      renewals.checkpointsRead()
      return readCheckpoints(current.file)
    },
    ping: async () => void readCheckpoints(current.file),
    commit: async (writes, checkpoint) => {
      try {
        current.file.inSharedTransaction(() => writes.forEach((write) => void write(checkpoint)))
      } catch (error) {
        for (const { forget } of kept) forget?.(current)
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
 * Opens the read models in this file, and creates it unless it is read only. A file of another storage version is
 * thrown away: then there is no checkpoint and the log is projected from its beginning. What is damaged, no database or
 * somebody else's is put aside; a reader throws {@link DamagedReadModels} that names it.
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
