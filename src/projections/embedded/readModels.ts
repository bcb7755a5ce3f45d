import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntityRow } from '../entities/row.ts'
import { scanEntities, type CachedFile } from '../entities/sqlite/reads.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { ReadModels } from '../readModels/readModels.ts'
import { indexTables, searchPathOf } from '../search/sqlite/indexFile.ts'
import { removeFile } from '../sqlite/file.ts'
import type { StoredTables } from '../stored/storedTable.ts'
import { readCheckpoints } from '../sqlite/sqliteProjection.ts'
import { holdMoment } from '../sqlite/storedTables.ts'
import { openFiles, type Files, type FilesOptions } from './files.ts'
import { historyPathOf } from './historyFile.ts'
import { storeOf } from '../sqlite/keptFile.ts'

/** Read models in SQLite files of a single process. */
export type SqliteReadModels = Omit<ReadModels, 'lease' | 'shown'>

/** Events per batch: about 10 ms of work on the answering thread. */
const batchSize = 200

const allIn = ({ now, past, index }: Files) => [now, past, index]

/** Milliseconds for which fresh read models keep a transaction open. */
const commitEvery = 1000

/** Rebuilds into new files, which replace these once they have caught up. */
const rebuilding =
  ({ now, past, index, worker }: Files, { path, followed, pageBytes }: FilesOptions): ReadModels['startRebuild'] =>
  async () => {
    const filled = `${path}.rebuild`
    const remove = (): void => [filled, historyPathOf(filled), searchPathOf(filled)].forEach(removeFile)
    remove()
    const fresh = makeReadModels({ path: filled, followed, commitEvery, ...(pageBytes && { pageBytes }) })
    const replace = async (): Promise<void> => {
      await past.replaceBy(historyPathOf(filled))
      await now.replaceBy(filled)
      await index.replaceBy(searchPathOf(filled))
    }
    return {
      fresh,
      swap: async (catchUp) => {
        await catchUp?.((await now.checkpoints()).get(entityTables.name)?.position)
        await fresh.close()
        await (worker?.without ?? ((work) => work()))(replace)
      },
      discard: async () => {
        await fresh.close()
        remove()
      },
    }
  }

/** Ids of entities that the search index does not show yet. */
const unsettledIn = ({ now, index }: Files): string[] => {
  const [entities, { file }] = [now.current().file, index.current()]
  const shown = readCheckpoints(file).get(indexTables.name)?.position ?? -1n
  const behind = entities.statement('SELECT id FROM entities WHERE position > ?').all(shown) as [string][]
  return [...new Set(behind.flat())]
}

const storedIn = async (files: Files, unsettled?: readonly string[]): Promise<StoredTables> => {
  const all = allIn(files)
  for (const { current } of all) holdMoment(current().file)
  const left = unsettled ?? unsettledIn(files)
  return { tables: all.flatMap((file) => file.stored(left)), unsettled: left, isMoment: true }
}

const makeReadModels = (options: FilesOptions): SqliteReadModels => {
  const files = openFiles(options)
  const { now, past, index, written, worker, prepareSearch } = files
  const scan = async function* (): AsyncGenerator<EntityRow> {
    const rows = scanEntities(() => now.current() as CachedFile)[Symbol.asyncIterator]()
    const next = now.guard(() => rows.next())
    for (let row = await next(); row.done !== true; row = await next()) yield row.value
  }
  return {
    ...now.reads,
    ...past.reads,
    ...index.reads,
    projections: storeOf(written).projections,
    checkpoints: storeOf(allIn(files)).checkpoints,
    ...(worker && { worker }),
    ...(prepareSearch && { prepareSearch }),
    batchSize,
    scan,
    stored: (unsettled) => storedIn(files, unsettled),
    ping: async () => void (await Promise.all(allIn(files).map((file) => file.checkpoints()))),
    startRebuild: rebuilding(files, options),
    close: async () => {
      for (const file of allIn(files).toReversed()) await file.close()
    },
  }
}

export type SqliteReadModelsOptions = Pick<
  FilesOptions,
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'searchThreads' | 'followed'
>

/**
 * Opens the read models. Files of another storage version are deleted and projected again. Damaged and foreign files
 * are put aside; a reader throws {@link DamagedReadModels}.
 */
export const openSqliteReadModels = async (options: SqliteReadModelsOptions): Promise<SqliteReadModels> =>
  makeReadModels(options)

/** Empty read models in a temporary folder; `dispose` removes them. */
export const openScratchReadModels = async (): Promise<{ readModels: ReadModels; dispose(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  const readModels = makeReadModels({ path: join(folder, 'readModels.db'), scratch: true })
  return {
    readModels,
    dispose: async () => {
      await readModels.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
