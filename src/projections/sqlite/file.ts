import { existsSync, rmSync, statfsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { memoizeByKey } from '../../shared/memoize.ts'
import { prepareRows, type RowStatement } from '../../stores/sqlite/rowStatement.ts'
import type { Projection } from '../projection.ts'
import { DamagedReadModels } from '../errors.ts'
import { closedOnError, openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { openWritable } from '../../stores/sqlite/ownership.ts'
import { pageCache } from '../../stores/sqlite/caches.ts'
import type { StoredRow } from '../stored/differences.ts'
import { startIncrementalVacuum, type VacuumOptions } from '../../stores/sqlite/incrementalVacuum.ts'
import { makeCheckpoints } from '../../stores/sqlite/walCheckpoints.ts'
import { makeTransactions, type Transactions } from '../../stores/sqlite/transactions.ts'

/** Version of the file format apart from projections. A file with another version is deleted. */
const storageVersion = 3

/** `application_id` of our files. */
const applicationId = 0x43_41_54_52

/** Rows of a table for the comparison with a rebuild, without columns that may differ after the same events. */
export type Contents = (file: SqliteFile, unsettled: readonly string[]) => Iterable<StoredRow>

export interface SqliteTables extends Pick<Projection, 'name' | 'version'> {
  /** Tables that {@link create} makes, in the order of dropping. */
  readonly tables: readonly string[]
  readonly create: string
  /** How the tables are compared with a rebuild. Default: all columns by primary key. */
  readonly contents?: Readonly<Record<string, Contents>>
}

const projectionsTable = `
  CREATE TABLE projections (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    tables TEXT NOT NULL,
    checkpoint INTEGER,
    newest TEXT
  ) STRICT, WITHOUT ROWID`

export interface SqliteFile extends Pick<Transactions, 'transaction' | 'inSharedTransaction' | 'flush'> {
  readonly path: string
  readonly database: DatabaseSync
  /** The prepared statement of a text (cached). Rows are arrays of columns. */
  statement(sql: string): RowStatement
  /** The same with integers as bigint. */
  wide(sql: string): RowStatement
  /** Closes the file once the other thread has ended its work on it; until then it can be read. Idempotent. */
  close(): Promise<void>
  /** Await it before a write, if defined. */
  whenWritable(): Promise<void> | undefined
}

export interface SqliteFileOptions {
  readonly path: string
  readonly readOnly?: boolean
  /** For this connection alone: the file is removed as soon as it is open, and there is no work in the background. */
  readonly scratch?: boolean
  /** Called with the reason when a damaged file was deleted. */
  readonly onReplaced?: ((reason: string) => void) | undefined
  /** Milliseconds that {@link SqliteFile.inSharedTransaction} may keep a transaction open (default 0). */
  readonly commitEvery?: number | undefined
  /** Free disk bytes required for that (default 256 MiB): a failed commit would undo what was shown. */
  readonly roomToWait?: number
  /** Page cache in bytes (default 64 MiB). */
  readonly pageBytes?: number
  /** Page size of a new file in bytes (default 8 KiB: fits three rows of tables). */
  readonly pageSize?: number
  readonly vacuum?: VacuumOptions
}

const mayWait = ({ path, roomToWait = 256 * 2 ** 20 }: SqliteFileOptions): boolean => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize >= roomToWait
}

/** Removes the database with its auxiliary files. */
export const removeFile = (path: string): void => {
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(path + suffix, { force: true })
}

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Whether a file has usable read models. @throws Error for a file of somebody else; what SQLite says of a damaged one */
const isCurrent = (path: string): boolean => {
  if (!existsSync(path)) return false
  const database = openReadOnly(path, 5000)
  try {
    // A process that was killed may have left a file without tables.
    if (database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return false
    if (pragma(database, 'application_id') !== applicationId)
      throw new Error(`${path} holds something else than read models: move it away.`)
    return pragma(database, 'user_version') === storageVersion
  } finally {
    database.close()
  }
}

/** Default page cache in bytes. */
export const defaultPageCache = 2 ** 26

const tune = (database: DatabaseSync, { pageBytes = defaultPageCache, pageSize = 8192 }: SqliteFileOptions): void => {
  // Both only affect an empty file.
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA auto_vacuum = INCREMENTAL`)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(pageCache(pageBytes))
  database.exec('PRAGMA wal_autocheckpoint = 32000; PRAGMA journal_size_limit = 134217728')
}

const create = (database: DatabaseSync): void =>
  database.exec(`BEGIN IMMEDIATE; ${projectionsTable};
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${storageVersion}; COMMIT`)

const outdated = (database: DatabaseSync, all: readonly SqliteTables[]): SqliteTables[] => {
  const stored = database.prepare('SELECT 1 FROM projections WHERE name = ? AND version = ?')
  return all.filter(({ name, version }) => stored.get(name, version) === undefined)
}

/** Drops the tables of a projection in any version; within a transaction. */
const dropTables = (database: DatabaseSync, name: string): void => {
  const stored = database.prepare('SELECT tables FROM projections WHERE name = ?').get(name)
  if (stored === undefined) return
  for (const table of JSON.parse(String(stored['tables'])) as string[]) database.exec(`DROP TABLE ${table}`)
  database.prepare('DELETE FROM projections WHERE name = ?').run(name)
}

const makeTables = (database: DatabaseSync, { name, version, tables, create: sql }: SqliteTables): void => {
  dropTables(database, name)
  database.exec(sql)
  database
    .prepare('INSERT INTO projections (name, version, tables) VALUES (?, ?, ?)')
    .run(name, version, JSON.stringify(tables))
}

const leftIn = (database: DatabaseSync, own: readonly SqliteTables[]): string[] => {
  const stored = database.prepare('SELECT name FROM projections').all()
  return stored.map(({ name }) => String(name)).filter((name) => own.every((each) => each.name !== name))
}

const openToRead = (
  { path, pageBytes = defaultPageCache }: SqliteFileOptions,
  projections: readonly SqliteTables[],
): DatabaseSync => {
  const lacking = new DamagedReadModels(`${path} has no read models of this version.`)
  if (!isCurrent(path)) throw lacking
  return closedOnError(openReadOnly(path, 5000), (database) => {
    if (outdated(database, projections).length > 0) throw lacking
    database.exec(pageCache(pageBytes))
  })
}

const openToWrite = (options: SqliteFileOptions, projections: readonly SqliteTables[]): DatabaseSync => {
  const { path } = options
  const isUsable = isCurrent(path)
  if (!isUsable) removeFile(path)
  return closedOnError(openWritable(path, 5000), (database) => {
    tune(database, options)
    if (!isUsable) create(database)
    database.exec('BEGIN')
    for (const name of leftIn(database, projections)) dropTables(database, name)
    for (const each of outdated(database, projections)) makeTables(database, each)
    database.exec('COMMIT')
  })
}

/** Opens the file, creating it unless it is read-only. Other versions are deleted. @throws Error for a foreign file */
export const openSqliteFile = (options: SqliteFileOptions, projections: readonly SqliteTables[]): SqliteFile => {
  const database = (options.readOnly ? openToRead : openToWrite)(options, projections)
  const changesPerRun = options.scratch ? { changesPerRun: Infinity } : {}
  const checkpoints = makeCheckpoints(database, options.path, changesPerRun)
  const { end, ...transactions } = makeTransactions(
    database,
    options.commitEvery ?? 0,
    () => options.scratch === true || mayWait(options),
    checkpoints.committed,
  )
  const prepared = (wide: boolean) => memoizeByKey((sql: string) => prepareRows(database, sql, wide))
  const stopVacuum = options.readOnly ? () => {} : startIncrementalVacuum(database, transactions, options.vacuum)
  return {
    path: options.path,
    database,
    statement: prepared(false),
    wide: prepared(true),
    ...transactions,
    whenWritable: () => (database.isTransaction ? undefined : checkpoints.beforeTransaction()),
    close: async () => {
      stopVacuum()
      await checkpoints.close()
      if (!database.isOpen) return
      end()
      database.close()
    },
  }
}
