import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Activity } from '../activity/port.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { EntityRow } from '../entities/row.ts'
import { scanEntities } from '../entities/sqlite/reads.ts'
import { makeReadCache } from '../entities/sqlite/rowCache.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { Projection, ProjectionStore, Write } from '../projection.ts'
import type { ReadModels } from '../readModels.ts'
import type { Search } from '../search/port.ts'
import { makeBulkIndexer, makeSearchIndexer, noIndexer, searchViews } from '../search/sqlite/searchIndex.ts'
import { makeSearchThreads } from '../search/sqlite/searchThreads.ts'
import type { Timeline } from '../timeline/port.ts'
import { newTimelineMemory } from '../timeline/sqlite/write.ts'
import type { TreeTiles } from '../tree/port.ts'
import {
  openSqliteFile,
  removeFile,
  usualPages,
  type SqliteFile,
  type SqliteFileOptions,
  type SqliteTables,
} from './file.ts'
import { dropFormer } from './former.ts'
import { keptOfHistory, keptOfPresent, type OpenedHistory, type OpenedPresent } from './kept.ts'
import { openKeptFile, type FileSort, type KeptFile } from './keptFile.ts'

/** Read models in SQLite files, which one process has to itself. */
export interface SqliteReadModels extends Omit<ReadModels, 'sharing'> {
  /** Limits the size of the file of entities, in pages, as a full disk would. For tests. */
  limitPages(pages: number): void
}

interface Options extends SqliteFileOptions {
  /** Bytes of memory for what was read lately. Default 32 MiB. */
  readonly cacheBytes?: number
  /** Searches happen in threads of their own. Default: in this one. */
  readonly searchBeside?: boolean
}

/** Where what happened is kept, beside the file of what is there now. */
export const historyPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.history.db')

const tablesOf = (kept: readonly { readonly tables: SqliteTables }[]): SqliteTables[] =>
  kept.map(({ tables }) => tables)

const withIndexer = (file: SqliteFile, options: Options): OpenedPresent => {
  file.database.exec(searchViews)
  if (options.readOnly) return { file, indexer: noIndexer, cache: makeReadCache(0) }
  if (options.bulk) return { file, indexer: makeBulkIndexer(file), cache: makeReadCache(0) }
  const { path, pageBytes = usualPages, cacheBytes = 2 ** 25, searchBeside = false } = options
  return {
    file,
    indexer: makeSearchIndexer(file),
    cache: makeReadCache(cacheBytes),
    stopDropping: dropFormer(
      file,
      tablesOf(keptOfPresent).map(({ name }) => name),
    ),
    ...(searchBeside && { threads: makeSearchThreads({ path, pageBytes: Math.floor(pageBytes / 2) }) }),
  }
}

const openPresent = (options: Options): OpenedPresent => {
  const file = openSqliteFile(options, tablesOf(keptOfPresent))
  try {
    return withIndexer(file, options)
  } catch (error) {
    file.close()
    throw error
  }
}

const openHistory = (options: SqliteFileOptions): OpenedHistory => ({
  file: openSqliteFile(options, tablesOf(keptOfHistory)),
  tree: { end: undefined },
  timeline: newTimelineMemory(),
})

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** What is read of everything that is kept. */
const readsOf = <O, K extends readonly { readonly reads: (current: () => O) => unknown }[]>(
  kept: K,
  current: () => O,
): UnionToIntersection<ReturnType<K[number]['reads']>> => Object.assign({}, ...kept.map(({ reads }) => reads(current)))

const present: FileSort<OpenedPresent, EntityReads & EntityLists & Search> = {
  kept: keptOfPresent,
  reads: (current) => readsOf(keptOfPresent, current),
  open: openPresent,
  shut: async ({ file, indexer, threads, stopDropping }) => {
    indexer.stop()
    stopDropping?.()
    await threads?.close()
    await file.quieten()
    file.close()
  },
}

const history: FileSort<OpenedHistory, Activity & TreeTiles & Timeline> = {
  kept: keptOfHistory,
  reads: (current) => readsOf(keptOfHistory, current),
  open: openHistory,
  shut: async ({ file }) => {
    await file.quieten()
    file.close()
  },
}

/**
 * Projections of several files as those of one store: each write is done in the file that its projection is kept in, and
 * what is kept nowhere in the last one.
 */
const storeOf = (files: readonly KeptFile<unknown, unknown>[]): Omit<ProjectionStore, 'sharing'> => {
  const written = new WeakMap<Write, KeptFile<unknown, unknown>>()
  const inFile = (file: KeptFile<unknown, unknown>, projection: Projection): Projection => ({
    ...projection,
    apply: async (batch) => {
      const write = await projection.apply(batch)
      written.set(write, file)
      return write
    },
  })
  return {
    projections: files.flatMap((file) => file.projections.map((projection) => inFile(file, projection))),
    checkpoints: async () => {
      const all = await Promise.all(files.map((file) => file.checkpoints()))
      return new Map(all.flatMap((each) => [...each]))
    },
    commit: async (writes, checkpoint) => {
      for (const file of files) {
        const own = writes.filter((write) => (written.get(write) ?? files.at(-1)) === file)
        if (own.length > 0) await file.commit(own, checkpoint)
      }
    },
  }
}

interface Made {
  readonly readModels: SqliteReadModels
  /** Makes everything that files being filled lack, letting others have their turn in between. */
  finish(): Promise<void>
}

/** The port over whatever files are current. */
const makeReadModels = (options: Options): Made => {
  const { path } = options
  const now = openKeptFile(present, options)
  const { pageBytes = usualPages } = options
  const then = openKeptFile(history, { ...options, path: historyPathOf(path), pageBytes: Math.floor(pageBytes / 4) })
  const files = [now, then]
  const close = async (): Promise<void> => {
    for (const file of files) await file.close()
  }

  const startRebuild: ReadModels['startRebuild'] = async () => {
    const filled = `${path}.rebuild`
    const remove = (): void => [filled, historyPathOf(filled)].forEach(removeFile)
    remove()
    const { readModels: fresh, finish } = makeReadModels({ path: filled, bulk: true })
    now.current().indexer.pause(true)
    return {
      fresh,
      swap: async (catchUp) => {
        await catchUp?.((await now.checkpoints()).get(entityTables.name)?.position)
        await finish()
        await fresh.close()
        await then.replaceBy(historyPathOf(filled))
        await now.replaceBy(filled)
      },
      discard: async () => {
        await fresh.close()
        remove()
        now.current().indexer.pause(false)
      },
    }
  }
  const scan = async function* (): AsyncGenerator<EntityRow> {
    const rows = scanEntities(now.current)[Symbol.asyncIterator]()
    const next = now.guard(() => rows.next())
    for (let row = await next(); row.done !== true; row = await next()) yield row.value
  }
  const readModels: SqliteReadModels = {
    ...now.reads,
    ...then.reads,
    ...storeOf(files),
    scan,
    ping: async () => void (await Promise.all(files.map((file) => file.checkpoints()))),
    startRebuild,
    limitPages: (pages) => now.current().file.database.exec(`PRAGMA max_page_count = ${pages}`),
    close,
  }
  const finish = async (): Promise<void> => {
    await now.current().indexer.leave()
    for (const { current } of files) {
      for (const _ of current().file.complete()) await nextTurn()
      current().file.seal()
    }
  }
  return { readModels, finish }
}

export type SqliteReadModelsOptions = Pick<
  Options,
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'searchBeside'
>

/**
 * Opens the read models in this file and the one beside it, and creates them unless they are read only. A file of
 * another storage version is thrown away: then there is no checkpoint and the log is projected from its beginning. What
 * is damaged, no database or somebody else's is put aside; a reader throws {@link DamagedReadModels} that names it.
 */
export const openSqliteReadModels = async (options: SqliteReadModelsOptions): Promise<SqliteReadModels> =>
  makeReadModels(options).readModels

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
