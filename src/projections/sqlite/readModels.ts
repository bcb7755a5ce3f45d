import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EntityRow } from '../entities/row.ts'
import { scanEntities } from '../entities/sqlite/reads.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { ReadModels } from '../readModels.ts'
import { removeFile, usualPages } from './file.ts'
import { history, historyBeside, historyPathOf } from './history.ts'
import { makeHistoryThread, type ProjectedLog } from './historyThread.ts'
import { openKeptFile, storeOf } from './keptFile.ts'
import { present, type PresentOptions } from './present.ts'

/** Read models in SQLite files, which one process has to itself. */
export interface SqliteReadModels extends Omit<ReadModels, 'sharing'> {
  /** Limits the size of the file of entities, in pages, as a full disk would. For tests. */
  limitPages(pages: number): void
}

interface Options extends PresentOptions {
  /** What happened is written by a thread of its own, from this log, while a runner runs. Default: by the runner. */
  readonly historyFrom?: ProjectedLog | undefined
}

interface Made {
  readonly readModels: SqliteReadModels
  /** Makes everything that files being filled lack, letting others have their turn in between. */
  finish(): Promise<void>
}

/** Events that are applied at once: some 10 ms of work on the thread that answers. */
const batchSize = 200

/** The port over whatever files are current. */
const makeReadModels = (options: Options): Made => {
  const { path, pageBytes = usualPages, historyFrom } = options
  const share = Math.floor(pageBytes / 8)
  const thread = historyFrom && makeHistoryThread({ ...historyFrom, path: historyPathOf(path), pageBytes: share })
  const now = openKeptFile(present, { ...options, pageBytes: pageBytes - 2 * share })
  const then = openKeptFile(thread ? historyBeside : history, {
    ...options,
    path: historyPathOf(path),
    pageBytes: share,
  })
  const files = [now, then]
  const store = storeOf(files)
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
        await (thread?.without ?? ((work) => work()))(() => then.replaceBy(historyPathOf(filled)))
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
    ...(thread === undefined ? store : { ...storeOf([now]), checkpoints: store.checkpoints, beside: thread.beside }),
    batchSize,
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
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'searchBeside' | 'historyFrom'
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
