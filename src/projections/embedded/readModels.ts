import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entitiesProjection } from '../entities/row.ts'
import { entityDocuments } from '../entities/entityProjection.ts'
import { documentsInSqlite } from '../documents/sqlite.ts'
import type { ReadModels } from '../readModels/readModels.ts'
import { indexTables, searchPathOf } from '../search/sqlite/indexFile.ts'
import { removeFile, defaultPageCache, type SqliteFile, type SqliteFileOptions } from '../sqlite/file.ts'
import { limits } from '../../shared/limits.ts'
import { closeAll } from '../../stores/closing.ts'
import { commitInterval } from '../../stores/sqlite/transactions.ts'
import type { StoredTables } from '../stored/differences.ts'
import { readCheckpoints } from '../sqlite/sqliteProjection.ts'
import { pinSnapshot } from '../sqlite/storedTables.ts'
import { historyPathOf, history, historyProjections } from './historyFile.ts'
import { storeOf, openProjectionFile } from '../sqlite/projectionFile.ts'
import { makeReadThreads, pastLists, presentLists, type ReadThreads } from './readThreads.ts'
import { searchFile } from './searchFile.ts'
import { storedStates, spans } from '../timeline/tables.ts'
import { makeWorkerThread, type LogAddress } from './workerThread.ts'

interface EntityFileOptions extends SqliteFileOptions {
  /** Bytes of the row cache (default 32 MiB). */
  readonly cacheBytes?: number
}

const present = ({ readOnly = false, cacheBytes = 2 ** 25 }: EntityFileOptions, threads?: ReadThreads) => {
  const projection = documentsInSqlite(entityDocuments(readOnly ? 0 : cacheBytes))
  return {
    projections: [projection],
    reads: (current: () => SqliteFile) => ({
      ...projection.reads(current),
      ...(threads && presentLists(threads, current)),
    }),
    ...(threads && { opened: threads.open, end: threads.end }),
  }
}

const pastWith = (threads: ReadThreads | undefined): typeof history => ({
  ...history,
  reads: (current) => {
    const here = history.reads(current)
    return { ...here, ...(threads && pastLists(threads, current, here)) }
  },
})

interface FilesOptions extends EntityFileOptions {
  /** The log that a worker follows for projections that no write waits for. Default: the runner, on this thread. */
  readonly followed?: LogAddress | undefined
  /** Searches and long lists are read in separate threads. Default: in this one. */
  readonly readThreads?: boolean
}

/** Opens files one after the other; when one cannot be opened, those before it are closed. */
const inOrder = () => {
  const opened: (() => Promise<void>)[] = []
  return <T extends { close(): Promise<void> }>(open: () => T): T => {
    try {
      const file = open()
      opened.push(file.close)
      return file
    } catch (error) {
      // That error says more than one of closing.
      closeAll(opened).catch(() => undefined)
      throw error
    }
  }
}

/**
 * Opens the three files: for writing or reading, on this thread or with a worker. The answering connection gets half of
 * the page cache, the list thread a sixteenth, each other one an eighth. Files that are only read are not searched.
 */
const openFiles = (options: FilesOptions) => {
  const { path, readOnly = false, scratch = false, onReplaced, pageBytes = defaultPageCache } = options
  const [answering, other] = [Math.floor(pageBytes / 2), Math.floor(pageBytes / 8)]
  const isSearched = !readOnly && path !== ':memory:'
  const log = readOnly ? undefined : options.followed
  const common = { readOnly, scratch, onReplaced, pageBytes: other, elsewhere: log !== undefined }
  const threads = (count: number, each: number): ReadThreads | undefined =>
    isSearched && options.readThreads ? makeReadThreads(count, { path, pageBytes: each }) : undefined
  const listing = threads(1, Math.floor(other / 2))
  const opening = inOrder()
  const now = opening(() => openProjectionFile(present(options, listing), { ...options, pageBytes: answering }))
  const flush = (): void => now.current().flush()
  const searched = isSearched && { entities: path, threads: threads(limits.searchesAtOnce.value, other) }
  const searching = searchFile({ flush, ...searched })
  const index = opening(() => openProjectionFile(searching, { ...common, path: searchPathOf(path) }))
  const past = opening(() => openProjectionFile(pastWith(listing), { ...common, path: historyPathOf(path) }))
  const worker =
    log && makeWorkerThread({ log, path, pageBytes: other }, [indexTables.name, ...historyProjections], flush)
  const ownThread = isSearched || readOnly ? [now, index, past] : [now, past]
  return { now, past, index, worker, written: worker === undefined ? ownThread : [now] }
}

type Files = ReturnType<typeof openFiles>

/** Read models in SQLite files of a single process. */
export type SqliteReadModels = Omit<ReadModels, 'lease' | 'readCheckpoint'>

/** Events per batch: about 10 ms of work on the answering thread. */
const batchSize = 200

const allIn = ({ now, past, index }: Files) => [now, past, index]

const filesOf = (path: string): string[] => [path, historyPathOf(path), searchPathOf(path)]

/** Where read models are rebuilt. */
const rebuildPathOf = (path: string): string => `${path}.rebuild`

/** All files that read models can have, also those of a rebuild that goes on or was interrupted. */
export const readModelFiles = (path: string): string[] => [...filesOf(path), ...filesOf(rebuildPathOf(path))]

const removeRebuild = (path: string): void => filesOf(rebuildPathOf(path)).forEach(removeFile)

/** Rebuilds into new files, which replace these once they have caught up. */
const rebuilding =
  ({ now, past, index }: Files, { path, followed, pageBytes }: FilesOptions): ReadModels['startRebuild'] =>
  async () => {
    const filled = rebuildPathOf(path)
    removeRebuild(path)
    const fresh = makeReadModels({
      path: filled,
      followed,
      commitEvery: commitInterval,
      ...(pageBytes && { pageBytes }),
    })
    const replace = async (): Promise<void> => {
      await past.replaceBy(historyPathOf(filled))
      await now.replaceBy(filled)
      await index.replaceBy(searchPathOf(filled))
    }
    return {
      fresh,
      swap: async (catchUp) => {
        await catchUp?.((await now.checkpoints()).get(entitiesProjection.name)?.position)
        await fresh.close()
        await replace()
      },
      discard: async () => {
        await fresh.close()
        removeRebuild(path)
      },
    }
  }

const unsettledIn = ({ now, index }: Files): string[] => {
  const entities = now.current()
  const indexed = readCheckpoints(index.current()).get(indexTables.name)?.position ?? -1n
  const behind = entities.statement('SELECT id FROM entities WHERE position > ?').all(indexed) as [string][]
  return [...new Set(behind.flat())]
}

/** Whether a batch is written in part: see `BatchWrites`. */
const isWrittenInPart = ({ past }: Files): boolean => {
  const file = past.current()
  const applied = readCheckpoints(file).get(spans.name)?.position ?? -1n
  return file.statement(`SELECT 1 FROM ${storedStates.name} WHERE position > ?`).get(applied) !== undefined
}

const storedIn = async (files: Files, unsettled?: readonly string[]): Promise<StoredTables> => {
  const all = allIn(files)
  for (const { current } of all) pinSnapshot(current())
  const left = unsettled ?? unsettledIn(files)
  return { tables: all.flatMap((file) => file.stored(left)), unsettled: left, isMoment: !isWrittenInPart(files) }
}

const makeReadModels = (options: FilesOptions): SqliteReadModels => {
  const files = openFiles(options)
  const { now, past, index, written, worker } = files
  return {
    ...now.reads,
    ...past.reads,
    ...index.reads,
    projections: storeOf(written).projections,
    checkpoints: storeOf(allIn(files)).checkpoints,
    ...(worker && { worker }),
    batchSize,
    stored: (unsettled) => storedIn(files, unsettled),
    ping: async () => void (await Promise.all(allIn(files).map((file) => file.checkpoints()))),
    startRebuild: rebuilding(files, options),
    close: () => closeAll(Array.from(allIn(files), ({ close }) => close).toReversed()),
  }
}

export type SqliteReadModelsOptions = Pick<
  FilesOptions,
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'readThreads' | 'followed'
>

/**
 * Opens the read models. What an interrupted rebuild has left is removed, unless they are only read. Files of another
 * storage version and damaged ones are deleted and projected again; a reader throws {@link DamagedReadModels}.
 * @throws Error for a file of somebody else
 */
export const openSqliteReadModels = async (options: SqliteReadModelsOptions): Promise<SqliteReadModels> => {
  if (options.readOnly !== true) removeRebuild(options.path)
  return makeReadModels(options)
}

/**
 * Empty read models for a comparison, in a temporary folder. They are removed while they are open, so that nothing of
 * them stays behind, however the process ends.
 */
export const openScratchReadModels = (): ReadModels => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  try {
    return makeReadModels({ path: join(folder, 'readModels.db'), scratch: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
