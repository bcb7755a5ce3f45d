import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EntityRow } from '../entities/row.ts'
import { scanEntities } from '../entities/sqlite/reads.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { ProjectionStore } from '../projection.ts'
import type { ReadModels } from '../readModels.ts'
import { searchPathOf } from '../search/sqlite/apart.ts'
import type { Filling } from './beside/filling.ts'
import { removeFile } from './file.ts'
import type { StoredTables } from '../stored/storedTable.ts'
import { searchTables } from '../search/sqlite/tables.ts'
import { readCheckpoints } from './checkpoints.ts'
import { holdMoment } from './storedTables.ts'
import { openFiles, type Files, type FilesOptions } from './files.ts'
import { historyPathOf } from './historyFile.ts'
import { storeOf } from './keptFile.ts'

/** Read models in SQLite files, which one process has to itself. */
export type SqliteReadModels = Omit<ReadModels, 'sharing'>

interface Made {
  readonly readModels: SqliteReadModels
  finish(): Promise<void>
  readonly filling: Filling | undefined
}

/** Events that are applied at once: some 10 ms of work on the thread that answers. */
const batchSize = 200

/** What a runner keeps in step, and a replay fills. */
const storeIn = (files: Files, { bulk }: FilesOptions): Omit<ProjectionStore, 'sharing'> => {
  const { now, index, past, thread } = files
  const all = storeOf([now, ...(index && bulk !== true ? [index] : []), ...(past ? [past] : [])])
  return thread === undefined ? all : { ...storeOf([now]), checkpoints: all.checkpoints, beside: thread.beside }
}

const allIn = ({ now, past, index }: Files) => [now, ...(past ? [past] : []), ...(index ? [index] : [])]

/** Fills files beside these, which take their place when they show as much. */
const rebuilding =
  ({ now, past, index, thread }: Files, { path, projectedFrom }: FilesOptions): ReadModels['startRebuild'] =>
  async () => {
    const filled = `${path}.rebuild`
    const remove = (): void => [filled, historyPathOf(filled), searchPathOf(filled)].forEach(removeFile)
    remove()
    const { readModels: fresh, finish, filling } = makeReadModels({ path: filled, bulk: true, projectedFrom })
    now.current().indexer.pause(true)
    const replace = async (): Promise<void> => {
      await past?.replaceBy(historyPathOf(filled))
      await now.replaceBy(filled)
      await index?.replaceBy(searchPathOf(filled))
    }
    return {
      fresh,
      replayBeside: filling?.fill,
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

/** Makes everything that files being filled lack, letting others have their turn in between. */
const finishing = (files: Files) => async (): Promise<void> => {
  const beside = files.filling?.finish()
  beside?.catch(() => undefined)
  await files.now.current().indexer.leave()
  for (const { current } of allIn(files)) {
    for (const _ of current().file.complete()) await nextTurn()
    current().file.seal()
  }
  await beside
}

/** Ids of the entities that the search index is yet to show as they are. */
const unsettledIn = ({ now, index = now }: Files): string[] => {
  const [entities, { file }] = [now.current().file, index.current()]
  const shown = readCheckpoints(file).get(searchTables.name)?.position ?? -1n
  const behind = entities.statement('SELECT id FROM entities WHERE position > ?').all(shown) as [string][]
  const moving = file.statement('SELECT d.id FROM search_moving AS m CROSS JOIN search_docs AS d ON d.key = m.key')
  const queued = `SELECT e.id FROM search_queue AS q CROSS JOIN entities AS e ON e.entity = q.entity`
  const waiting = file === entities ? (entities.statement(queued).all() as [string][]) : []
  return [...new Set([...behind, ...(moving.all() as [string][]), ...waiting].flat())]
}

const storedIn = async (files: Files, unsettled?: readonly string[]): Promise<StoredTables> => {
  const all = allIn(files)
  for (const { current } of all) holdMoment(current().file)
  if (unsettled !== undefined) await files.now.current().indexer.settle()
  const left = unsettled ?? unsettledIn(files)
  return { tables: all.flatMap((file) => file.stored(left)), unsettled: left }
}

const makeReadModels = (options: FilesOptions): Made => {
  const files = openFiles(options)
  const { now, filling } = files
  const scan = async function* (): AsyncGenerator<EntityRow> {
    const rows = scanEntities(now.current)[Symbol.asyncIterator]()
    const next = now.guard(() => rows.next())
    for (let row = await next(); row.done !== true; row = await next()) yield row.value
  }
  const readModels: SqliteReadModels = {
    ...now.reads,
    ...files.pastReads,
    ...files.search,
    ...storeIn(files, options),
    ...(files.prepareSearch && { prepareSearch: files.prepareSearch }),
    batchSize,
    scan,
    stored: (unsettled) => storedIn(files, unsettled),
    ping: async () => void (await Promise.all(allIn(files).map((file) => file.checkpoints()))),
    startRebuild: rebuilding(files, options),
    close: async () => {
      await filling?.close()
      for (const file of allIn(files).toReversed()) await file.close()
    },
  }
  return { readModels, finish: finishing(files), filling }
}

export type SqliteReadModelsOptions = Pick<
  FilesOptions,
  'path' | 'readOnly' | 'cacheBytes' | 'pageBytes' | 'commitEvery' | 'onReplaced' | 'searchBeside' | 'projectedFrom'
>

/**
 * Opens the read models in this file and the one beside it. A file of another storage version is thrown away: the log
 * is projected again. What is damaged or somebody else's is put aside; a reader throws {@link DamagedReadModels}.
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
