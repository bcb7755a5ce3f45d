import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ancestorFqns } from '../../kinds/names.ts'
import type { EntityRow, ReadModels } from '../entities/readModels.ts'
import { applyRows } from '../entities/sqlite/apply.ts'
import { readCounter, readList } from '../entities/sqlite/lists.ts'
import { readChildren, readRelated, readUnsettled } from '../entities/sqlite/relations.ts'
import { makeReadCache, type ReadCache } from '../entities/sqlite/rowCache.ts'
import { referenceColumns, rowColumns, statusNumber, toEntityRow, toReferenceRow } from '../entities/sqlite/rows.ts'
import { entityTables } from '../entities/sqlite/tables.ts'
import type { Batch, Projection } from '../projection.ts'
import { readSearch, readSuggestions } from '../search/sqlite/search.ts'
import {
  makeBulkIndexer,
  makeSearchIndexer,
  noIndexer,
  searchTables,
  searchViews,
  type SearchIndexer,
} from '../search/sqlite/searchIndex.ts'
import { readCheckpoints, saveCheckpoint } from './checkpoints.ts'
import { openSqliteFile, removeFile, type SqliteFile, type SqliteFileOptions, type SqliteTables } from './file.ts'

/** Read models in one SQLite file. */
export interface SqliteReadModels extends ReadModels {
  /** Limits the size of the file, in pages, as a full disk would. For tests. */
  limitPages(pages: number): void
}

/** Rows that `scan` reads at a time. */
const scanPage = 500

const readOne = (file: SqliteFile, id: string): EntityRow | undefined => {
  const found = file.wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.id = ?`).get(id)
  return found && toEntityRow(found)
}

const readByFqn = (file: SqliteFile, kind: string, fqn: string): EntityRow | undefined => {
  const statement = file.wide(
    `SELECT ${rowColumns} FROM entities AS e INDEXED BY entities_in_order
    WHERE e.kind = ? AND e.status = ? AND e.fqn = ? ORDER BY e.id LIMIT 1`,
  )
  const found = statement.get(kind, statusNumber.live, fqn) ?? statement.get(kind, statusNumber.deleted, fqn)
  return found && toEntityRow(found)
}

const readScanPage = (file: SqliteFile, after: string): EntityRow[] =>
  file
    .wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.id > ? AND +e.status < 2 ORDER BY e.id LIMIT ${scanPage}`)
    .all(after)
    .map(toEntityRow)

const byIds = (columns: string): string =>
  `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN entities AS e ON e.id = wanted.value`

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
interface Opened {
  readonly file: SqliteFile
  readonly indexer: SearchIndexer
  readonly cache: ReadCache
}

interface Options extends SqliteFileOptions {
  /** Bytes of memory for what was read lately. Default 32 MiB. */
  readonly cacheBytes?: number
}

const openAll = (options: Options): Opened => {
  const file = openSqliteFile(options, [entityTables, searchTables])
  file.database.exec(searchViews)
  if (options.readOnly) return { file, indexer: noIndexer, cache: makeReadCache(0) }
  if (options.bulk) return { file, indexer: makeBulkIndexer(file), cache: makeReadCache(0) }
  return { file, indexer: makeSearchIndexer(file), cache: makeReadCache(options.cacheBytes ?? 2 ** 25) }
}

const shut = ({ file, indexer }: Opened): void => {
  indexer.stop()
  file.close()
}

/** Moves a finished file over another one that is closed. Whatever stops it half-way, one of the two stands there whole. */
const replaceFile = (path: string, by: string): void => {
  sync(by)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(by, path)
  sync(dirname(path))
}

/** The file with indexes and edges, which a bulk file gets when they are first needed. */
const completed = ({ file }: Opened): SqliteFile => {
  for (const _ of file.complete());
  return file
}

/** The current file when everything in it can be found; another one may have taken its place meanwhile. */
const indexed = async (current: () => Opened): Promise<Opened> => {
  for (;;) {
    const opened = current()
    await opened.indexer.settle()
    if (opened === current()) return opened
  }
}

/** The reads that one file answers. */
const readsOf = (current: () => Opened): Omit<ReadModels, 'projections' | 'commit' | 'startRebuild' | 'close'> => ({
  checkpoints: async () => readCheckpoints(current().file),
  get: async (id) => {
    const { file, cache } = current()
    return cache.row(id, () => readOne(file, id))
  },
  getByFqn: async (kind, fqn) => {
    const file = completed(current())
    return current().cache.rowNamed(
      kind,
      fqn,
      () => readByFqn(file, kind, fqn),
      (id) => readOne(file, id),
    )
  },
  getMany: async (ids) => {
    const { file, cache } = current()
    return cache.rows(ids, (missing) => file.wide(byIds(rowColumns)).all(JSON.stringify(missing)).map(toEntityRow))
  },
  getReferences: async (ids) => {
    const { file, cache } = current()
    return cache.references(ids, (missing) =>
      file.statement(byIds(referenceColumns)).all(JSON.stringify(missing)).map(toReferenceRow),
    )
  },
  list: async (query) => readList(completed(current()), query, current().cache.total),
  relatedTo: async (ids, rel, limit) => {
    const file = completed(current())
    return current().cache.related(ids, rel, (some) => readRelated(file, some, rel, limit))
  },
  childrenOf: async (ids, kind, limit) => readChildren(completed(current()), ids, kind, limit),
  countBelow: async (kind, scope) => {
    const { file, cache } = current()
    return readCounter(file, { kind, scope, status: statusNumber.live }, cache.total)
  },
  unsettled: async (limit, ids) => {
    const unsettled = readUnsettled(completed(current()), limit, ids)
    current().cache.keep(unsettled.map(({ row }) => row))
    return unsettled
  },
  search: async (query) => readSearch(completed(await indexed(current)), query),
  suggest: async (prefix, kinds, limit) => readSuggestions(completed(await indexed(current)), prefix, kinds, limit),
  scan: async function* () {
    for (let after = ''; ;) {
      const page = readScanPage(current().file, after)
      yield* page
      const last = page.at(-1)
      if (last === undefined || page.length < scanPage) return
      after = last.id
    }
  },
  ping: async () => void readCheckpoints(current().file),
})

/** What a projection writes of a batch, within a transaction. */
type Apply = (opened: Opened, rows: readonly EntityRow[]) => void

const writeEntities: Apply = ({ file, cache }, rows) => {
  applyRows(file, rows, ancestorFqns)
  cache.applied(rows)
}

const queueWords: Apply = ({ indexer }, rows) => {
  indexer.queue(rows.map(({ id }) => id))
  indexer.schedule()
}

const makeProjection = ({ name, version, handles }: SqliteTables, current: () => Opened, apply: Apply): Projection => ({
  name,
  version,
  handles,
  apply: async (batch: Batch) => {
    const rows = await batch.rows()
    return (checkpoint) => {
      apply(current(), rows)
      saveCheckpoint(current().file, name, checkpoint)
    }
  },
  rebuild: async () => {
    current().file.renew(name)
    current().cache.clear()
  },
})

interface Made {
  readonly readModels: SqliteReadModels
  /** Makes everything that a file being filled lacks, letting others have their turn in between. */
  finish(): Promise<void>
}

/** The port over whatever file is current. */
const makeReadModels = (options: Options): Made => {
  let current = openAll(options)

  const startRebuild: ReadModels['startRebuild'] = async () => {
    const path = `${options.path}.rebuild`
    removeFile(path)
    const { readModels: fresh, finish } = makeReadModels({ path, bulk: true })
    current.indexer.pause(true)
    return {
      fresh,
      swap: async () => {
        await finish()
        await fresh.close()
        shut(current)
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
    projections: [
      makeProjection(entityTables, () => current, writeEntities),
      makeProjection(searchTables, () => current, queueWords),
    ],
    commit: async (writes, checkpoint) => {
      const { file, cache } = current
      try {
        file.lazily(() => writes.forEach((write) => void write(checkpoint)))
      } catch (error) {
        cache.clear()
        throw error
      }
    },
    startRebuild,
    limitPages: (pages) => current.file.database.exec(`PRAGMA max_page_count = ${pages}`),
    close: async () => shut(current),
  }
  const finish = async (): Promise<void> => {
    await current.indexer.leave()
    for (const _ of current.file.complete()) await nextTurn()
    current.file.seal()
  }
  return { readModels, finish }
}

export type SqliteReadModelsOptions = Pick<Options, 'path' | 'readOnly' | 'cacheBytes' | 'commitEvery'>

/**
 * Opens the read models in this file, and creates it unless it is read only. A file of another storage version is thrown
 * away: then there is no checkpoint and the log is projected from its beginning.
 * Throws when the file is no SQLite database or somebody else's.
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
