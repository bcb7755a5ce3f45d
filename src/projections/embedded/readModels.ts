import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { history, historyPathOf } from './historyFile.ts'
import { openKeptFile, storeOf } from '../sqlite/keptFile.ts'
import { searchFile } from './searchFile.ts'

/** Read models in SQLite files of a single process. */
export type SqliteReadModels = Omit<ReadModels, 'lease' | 'shown'>

interface Made {
  readonly readModels: SqliteReadModels
  finish(): Promise<void>
}

/** Events per batch: about 10 ms of work on the answering thread. */
const batchSize = 200

const allIn = ({ now, past, index }: Files) => [now, ...(past ? [past] : []), index]

/** Indexes all entities of a file; a worker does this in the background. */
const fillIndex = async (entities: string): Promise<void> => {
  const index = openKeptFile(searchFile, { path: searchPathOf(entities), entities, flush: () => undefined })
  await index.projections[0]?.prepare?.(new AbortController().signal)
  await index.close()
}

/** Rebuilds into new files, which replace these once they have caught up. */
const rebuilding =
  ({ now, past, index, worker, written }: Files, { path, followed }: FilesOptions): ReadModels['startRebuild'] =>
  async () => {
    const filled = `${path}.rebuild`
    const remove = (): void => [filled, historyPathOf(filled), searchPathOf(filled)].forEach(removeFile)
    remove()
    const { readModels: fresh, finish } = makeReadModels({ path: filled, bulk: true, followed })
    const replace = async (): Promise<void> => {
      await past?.replaceBy(historyPathOf(filled))
      await now.replaceBy(filled)
      await index.replaceBy(searchPathOf(filled))
    }
    return {
      fresh,
      swap: async (catchUp) => {
        await catchUp?.((await now.checkpoints()).get(entityTables.name)?.position)
        await finish()
        await fresh.close()
        if (written.includes(index)) await fillIndex(filled)
        await (worker?.without ?? ((work) => work()))(replace)
      },
      discard: async () => {
        await fresh.close()
        remove()
      },
    }
  }

/** Completes files that were filled here, yielding in between. */
const finishing = (files: Files) => async (): Promise<void> => {
  for (const { current } of allIn(files)) {
    for (const _ of current().file.complete()) await nextTurn()
    current().file.seal()
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

const filledElsewhere = (): never => {
  throw new Error('A worker fills the file of what happened.')
}

const makeReadModels = (options: FilesOptions): Made => {
  const files = openFiles(options)
  const { now, past, index, written, worker, prepareSearch } = files
  const scan = async function* (): AsyncGenerator<EntityRow> {
    const rows = scanEntities(() => now.current() as CachedFile)[Symbol.asyncIterator]()
    const next = now.guard(() => rows.next())
    for (let row = await next(); row.done !== true; row = await next()) yield row.value
  }
  const readModels: SqliteReadModels = {
    ...now.reads,
    ...(past?.reads ?? history.reads(filledElsewhere)),
    ...index.reads,
    projections: storeOf(written).projections,
    checkpoints: storeOf(allIn(files)).checkpoints,
    ...(worker && { worker }),
    ...(prepareSearch && { prepareSearch }),
    ...(options.bulk !== true && { batchSize }),
    scan,
    stored: (unsettled) => storedIn(files, unsettled),
    ping: async () => void (await Promise.all(allIn(files).map((file) => file.checkpoints()))),
    startRebuild: rebuilding(files, options),
    close: async () => {
      for (const file of allIn(files).toReversed()) await file.close()
    },
  }
  return { readModels, finish: finishing(files) }
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
  makeReadModels(options).readModels

/** Empty read models in a temporary folder; `dispose` removes them. */
export const openScratchReadModels = async (): Promise<{ readModels: ReadModels; dispose(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  const { readModels } = makeReadModels({ path: join(folder, 'readModels.db'), scratch: true })
  return {
    readModels,
    dispose: async () => {
      await readModels.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
