import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ancestorFqns } from '../kinds/names.ts'
import type { EntityRow, ReadModels } from './readModels.ts'
import { applyRows, readCheckpoint, saveCheckpoint } from './sqliteApply.ts'
import { openSqliteFile, removeFile, type SqliteFile, type SqliteFileOptions } from './sqliteFile.ts'
import { readCounter, readList } from './sqliteLists.ts'
import { readChildren, readChildRows, readRelated, readUnsettled } from './sqliteRelations.ts'
import { readSearch, readSuggestions } from './sqliteSearch.ts'
import { makeSearchIndexer, searchTables } from './sqliteSearchIndex.ts'
import { referenceColumns, rowColumns, statusNumber, toEntityRow, toReferenceRow } from './sqliteRows.ts'

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

/** The port over whatever file is current. */
const makeReadModels = (options: SqliteFileOptions, open: () => SqliteFile): SqliteReadModels => {
  let file = open()
  let indexer = makeSearchIndexer(file)

  const readModels: SqliteReadModels = {
    checkpoint: async () => readCheckpoint(file),
    apply: async (rows, checkpoint) => {
      file.transaction(() => {
        indexer.queue(applyRows(file, rows, ancestorFqns))
        saveCheckpoint(file, checkpoint)
      })
      indexer.schedule()
    },
    get: async (id) => readOne(file, id),
    getByFqn: async (kind, fqn) => readByFqn(file, kind, fqn),
    getMany: async (ids) => {
      const rows = file.wide(byIds(rowColumns)).all(JSON.stringify(ids)).map(toEntityRow)
      return new Map(rows.map((row) => [row.id, row]))
    },
    getReferences: async (ids) => {
      const rows = file.statement(byIds(referenceColumns)).all(JSON.stringify(ids)).map(toReferenceRow)
      return new Map(rows.map((row) => [row.id, row]))
    },
    list: async (query) => readList(file, query),
    relatedTo: async (ids, rel, limit) => readRelated(file, ids, rel, limit),
    childrenOf: async (ids, kind, limit) => readChildren(file, ids, kind, limit),
    countBelow: async (kind, scope) => readCounter(file, kind, scope, statusNumber.live),
    childRows: async (parent, wanted, limit, afterId) => readChildRows(file, parent, wanted, limit, afterId),
    unsettled: async (limit, ids) => readUnsettled(file, limit, ids),
    search: async (query) => {
      await indexer.settle()
      return readSearch(file, query)
    },
    suggest: async (prefix, kinds, limit) => {
      await indexer.settle()
      return readSuggestions(file, prefix, kinds, limit)
    },
    scan: async function* () {
      for (let after = ''; ; ) {
        const page = file
          .wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.id > ? AND +e.status < 2 ORDER BY e.id LIMIT ${scanPage}`)
          .all(after)
          .map(toEntityRow)
        yield* page
        const last = page.at(-1)
        if (last === undefined || page.length < scanPage) return
        after = last.id
      }
    },
    startRebuild: async () => {
      const path = `${options.path}.rebuild`
      removeFile(path)
      const fresh = makeReadModels({ path, bulk: true }, () => openSqliteFile({ path, bulk: true }, searchTables))
      return {
        fresh,
        swap: async () => {
          await fresh.close()
          sync(path)
          indexer.stop()
          file.close()
          removeFile(options.path)
          renameSync(path, options.path)
          sync(dirname(options.path))
          file = open()
          indexer = makeSearchIndexer(file)
        },
        discard: async () => {
          await fresh.close()
          removeFile(path)
        },
      }
    },
    ping: async () => void readCheckpoint(file),
    limitPages: (pages) => file.database.exec(`PRAGMA max_page_count = ${pages}`),
    close: async () => {
      indexer.stop()
      file.close()
    },
  }
  return readModels
}

export type SqliteReadModelsOptions = Pick<SqliteFileOptions, 'path' | 'readOnly'>

/**
 * Opens the read models in this file, and creates it unless it is read only. A file of another storage version is thrown
 * away: then there is no checkpoint and the log is projected from its beginning.
 * Throws when the file is no SQLite database or somebody else's.
 */
export const openSqliteReadModels = async (options: SqliteReadModelsOptions): Promise<SqliteReadModels> =>
  makeReadModels(options, () => openSqliteFile(options, searchTables))

/** Empty read models in a temporary folder, tuned for being filled; `dispose` removes them. */
export const openScratchReadModels = async (): Promise<{ readModels: ReadModels; dispose(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  const options = { path: join(folder, 'readModels.db'), bulk: true }
  const readModels = makeReadModels(options, () => openSqliteFile(options, searchTables))
  return {
    readModels,
    dispose: async () => {
      await readModels.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
