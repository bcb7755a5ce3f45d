import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { EntityRow } from '../entities/row.ts'
import { scanEntities } from '../entities/sqlite/reads.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { ProjectionStore } from '../projection.ts'
import type { ReadModels } from '../readModels.ts'
import type { Search } from '../search/port.ts'
import { searchPathOf } from '../search/sqlite/apart.ts'
import { removeFile, usualPages, type SqliteFile, type SqliteFileOptions } from './file.ts'
import {
  history,
  historyBeside,
  historyPathOf,
  historyProjections,
  type HistoryReads,
  type OpenedHistory,
} from './history.ts'
import { openKeptFile, storeOf, type KeptFile } from './keptFile.ts'
import { present, presentWithSearch, type OpenedPresent, type PresentOptions } from './present.ts'
import { fillHistory, type Filling } from './beside/filling.ts'
import { makeProjectingThread, together, type ProjectedLog, type ProjectingThread } from './beside/thread.ts'
import { searchedBeside, searchedLater } from './searched.ts'
import type { SearchedWork } from './beside/searchedWorker.ts'

/** Read models in SQLite files, which one process has to itself. */
export type SqliteReadModels = Omit<ReadModels, 'sharing'>

interface Options extends PresentOptions {
  /**
   * What no write waits for is written by threads of their own, from this log, while a runner runs; and the search
   * index has a file of its own. Default: the runner writes everything, and the index is in the file of the entities.
   */
  readonly projectedFrom?: ProjectedLog | undefined
}

interface Made {
  readonly readModels: SqliteReadModels
  /** Makes everything that files being filled lack, letting others have their turn in between. */
  finish(): Promise<void>
  /** What fills a part of them. */
  readonly filling: Filling | undefined
}

/** Events that are applied at once: some 10 ms of work on the thread that answers. */
const batchSize = 200

/** Read models in their files. */
interface Files {
  readonly now: KeptFile<OpenedPresent, EntityReads & EntityLists>
  readonly past?: KeptFile<OpenedHistory, HistoryReads>
  readonly pastReads: HistoryReads
  /** The search index, where that has a file of its own. */
  readonly index?: KeptFile<{ readonly file: SqliteFile }, unknown>
  readonly search: Search
  /** What keeps other files than the first in step, where the runner does not. */
  readonly thread?: ProjectingThread
  /** What fills the file of what happened, where another thread does. */
  readonly filling?: Filling
}

const notSearched = (): Promise<never> => Promise.reject(new Error('Nothing is searched in these read models.'))

const openTogether = (options: Options): Files => {
  const { pageBytes = usualPages } = options
  const now = openKeptFile(presentWithSearch, { ...options, pageBytes: Math.floor((7 * pageBytes) / 8) })
  const past = openKeptFile(history, pastOptions(options))
  return { now, search: now.reads, past, pastReads: past.reads }
}

const pastOptions = ({ path, pageBytes = usualPages, ...options }: Options): SqliteFileOptions => ({
  ...options,
  path: historyPathOf(path),
  pageBytes: Math.floor(pageBytes / 8),
})

/** What only looks at the files, or fills them, searches nothing. */
const openApart = (options: Options) => ({
  now: openKeptFile(present, options),
  index: openKeptFile(searchedLater, { ...options, path: searchPathOf(options.path) }),
  search: { search: notSearched, suggest: notSearched },
})

const openToLook = (options: Options): Files => {
  const past = openKeptFile(history, pastOptions(options))
  return { ...openApart(options), past, pastReads: past.reads }
}

const elsewhere = (): never => {
  throw new Error('Another thread fills the file of what happened.')
}

const openToFill = (options: Options, log: ProjectedLog): Files => {
  const { path, pageBytes = usualPages } = options
  const filling = fillHistory({ ...log, path: historyPathOf(path), pageBytes })
  return { ...openApart(options), pastReads: history.reads(elsewhere), filling }
}

const openWithThreads = (options: Options, log: ProjectedLog): Files => {
  const { path, pageBytes = usualPages, searchBeside } = options
  const share = Math.floor(pageBytes / 8)
  const now = openKeptFile(present, { ...options, pageBytes: 4 * share })
  const flush = (): void => now.current().file.flush()
  const index = openKeptFile(searchedBeside, {
    ...options,
    path: searchPathOf(path),
    entities: path,
    pageBytes: Math.floor(share / 4),
    threadBytes: searchBeside ? 3 * share : undefined,
    flush: now.guard(async () => flush()),
  })
  const indexing: SearchedWork = { ...log, path: searchPathOf(path), entities: path, pageBytes: 2 * share }
  const thread = together([
    makeProjectingThread({
      module: new URL('./beside/historyWorker', import.meta.url),
      projections: historyProjections,
      work: { ...log, path: historyPathOf(path), pageBytes: share },
    }),
    makeProjectingThread({
      module: new URL('./beside/searchedWorker', import.meta.url),
      projections: index.projections.map(({ name }) => name),
      work: indexing,
      flush,
    }),
  ])
  const past = openKeptFile(historyBeside, pastOptions(options))
  return { now, past, pastReads: past.reads, index, search: index.reads, thread }
}

const openFiles = (options: Options): Files => {
  const { projectedFrom, readOnly, bulk } = options
  if (projectedFrom === undefined) return openTogether(options)
  if (readOnly) return openToLook(options)
  return bulk ? openToFill(options, projectedFrom) : openWithThreads(options, projectedFrom)
}

/** What a runner keeps in step, and a replay fills. */
const storeIn = (files: Files, { bulk }: Options): Omit<ProjectionStore, 'sharing'> => {
  const { now, index, past, thread } = files
  const all = storeOf([now, ...(index && bulk !== true ? [index] : []), ...(past ? [past] : [])])
  return thread === undefined ? all : { ...storeOf([now]), checkpoints: all.checkpoints, beside: thread.beside }
}

/** The port over whatever files are current. */
const makeReadModels = (options: Options): Made => {
  const { path } = options
  const opened = openFiles(options)
  const { now, past, index, thread, filling } = opened
  const files = [now, ...(past ? [past] : []), ...(index ? [index] : [])]
  const close = async (): Promise<void> => {
    await filling?.close()
    for (const file of files.toReversed()) await file.close()
  }

  const startRebuild: ReadModels['startRebuild'] = async () => {
    const filled = `${path}.rebuild`
    const remove = (): void => [filled, historyPathOf(filled), searchPathOf(filled)].forEach(removeFile)
    remove()
    const { projectedFrom } = options
    const { readModels: fresh, finish, filling: beside } = makeReadModels({ path: filled, bulk: true, projectedFrom })
    now.current().indexer.pause(true)
    const replace = async (): Promise<void> => {
      await past?.replaceBy(historyPathOf(filled))
      await now.replaceBy(filled)
      await index?.replaceBy(searchPathOf(filled))
    }
    return {
      fresh,
      replayBeside: beside?.fill,
      swap: async (catchUp) => {
        await catchUp?.((await now.checkpoints()).get(entityTables.name)?.position)
        await finish()
        await fresh.close()
        await (thread?.without ?? ((work) => work()))(replace)
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
    ...opened.pastReads,
    ...opened.search,
    ...storeIn(opened, options),
    batchSize,
    scan,
    ping: async () => void (await Promise.all(files.map((file) => file.checkpoints()))),
    startRebuild,
    close,
  }
  const finish = async (): Promise<void> => {
    const beside = filling?.finish()
    beside?.catch(() => undefined)
    await now.current().indexer.leave()
    for (const { current } of files) {
      for (const _ of current().file.complete()) await nextTurn()
      current().file.seal()
    }
    await beside
  }
  return { readModels, finish, filling }
}

export type SqliteReadModelsOptions = Pick<
  Options,
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'searchBeside' | 'projectedFrom'
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
