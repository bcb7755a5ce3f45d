import { existsSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { prepareRows, type RowStatement } from '../../stores/sqlite/rowStatement.ts'
import type { Projection } from '../projection.ts'
import { DamagedReadModels } from '../errors.ts'
import { isDamage } from '../../stores/sqlite/errorCodes.ts'
import { openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { pageCache } from '../../stores/sqlite/caches.ts'
import type { StoredRow } from '../stored/storedTable.ts'
import { makeIncrementalVacuum, type VacuumPace } from '../../stores/sqlite/incrementalVacuum.ts'
import { makeCheckpoints } from '../../stores/sqlite/walCheckpoints.ts'
import { makeEndlessTransaction, makeTransactions, type Transactions } from '../../stores/sqlite/transactions.ts'

/** Version of what the file keeps beside its projections. A file with another one is thrown away. */
const storageVersion = 3

/** Marks the file as ours in its `application_id`: a database of somebody else is put aside and not thrown away. */
const applicationId = 0x43_41_54_52

/** Rows of a table as they are compared with a rebuild, without what a table may hold otherwise after the same events. */
type Contents = (file: SqliteFile, unsettled: readonly string[]) => Iterable<StoredRow>

export interface SqliteTables extends Pick<Projection, 'name' | 'version' | 'handles'> {
  /** The tables that {@link create} makes, in the order in which they can be dropped. */
  readonly tables: readonly string[]
  readonly create: string
  /** SQL of indexes, made at once; in a bulk file when it is complete: sorted once, that is much faster. */
  readonly indexes?: readonly string[]
  /** SQL that fills, after the indexes, what was left out of a bulk file. */
  readonly completion?: readonly string[]
  /** How these tables are compared with a rebuild. Default: all columns, by the primary key. */
  readonly contents?: Readonly<Record<string, Contents>>
  /** Tables that may hold more than a rebuild: see {@link StoredTable.mayKeep}. */
  readonly mayKeep?: readonly string[]
}

/** Which versions of which projections are in the file, with the names of their tables, and how far they have come. */
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
  /** False in a bulk file until {@link SqliteFile.complete}: indexes and edges are missing. */
  isComplete(): boolean
  /** Makes what a bulk file lacks. Each step that is taken from the iterator may last some seconds in a large file. */
  complete(): Iterable<void>
  /** The statement for this text, prepared once. Rows are arrays of columns. */
  statement(sql: string): RowStatement
  /** The same with all integers as bigint. */
  wide(sql: string): RowStatement
  /** Runs work that only reads, and at once, as of one moment: whatever another connection writes meanwhile. */
  reading<T>(work: () => T): T
  /** Writes out what a bulk file has only in memory. Without it a bulk file is good for nothing once it is closed. */
  seal(): void
  /** Closing again does nothing. To be called once nothing else uses the file: see {@link SqliteFile.quieten}. */
  close(): void
  /** To be waited for before something is written, where there is something. */
  due(): Promise<void> | undefined
  /** Ends what another thread does with the file. */
  quieten(): Promise<void>
}

export interface SqliteFileOptions {
  readonly path: string
  readonly readOnly?: boolean
  /** Is told what stood at the path, named, when that was put aside: something damaged, or of somebody else. */
  readonly onReplaced?: ((reason: string) => void) | undefined
  /** A new file that is filled first and worth nothing until that is done: one transaction, no journal. */
  readonly bulk?: boolean
  /** Milliseconds that {@link SqliteFile.inSharedTransaction} may keep its transaction open (default 0). */
  readonly commitEvery?: number | undefined
  /** Bytes that must be free for that (default 256 MiB): a commit that fails would undo what has been shown. */
  readonly roomToWait?: number
  /** Bytes of memory for pages of the file. Default 64 MiB. */
  readonly pageBytes?: number
  /** Bytes of a page of a new file (default 8 KiB: three rows of tables fit). */
  readonly pageSize?: number
  readonly vacuum?: VacuumPace
}

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

const mayWait = ({ path, roomToWait = 256 * 2 ** 20 }: SqliteFileOptions): boolean => freeBytes(path) >= roomToWait

/** Removes the database with everything that SQLite keeps beside it. */
export const removeFile = (path: string): void => {
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(path + suffix, { force: true })
}

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Read models that can be used, some that cannot, or what is put aside: somebody else's file, or a damaged one. */
type Found = 'current' | 'outdated' | { readonly aside: string }

const contentOf = (database: DatabaseSync, path: string): Found => {
  if (pragma(database, 'page_count') === 0) return 'outdated'
  if (pragma(database, 'application_id') !== applicationId)
    return { aside: `${path} holds something else than read models` }
  return pragma(database, 'user_version') === storageVersion ? 'current' : 'outdated'
}

/** Opens what stands at a path to read it, where that is possible, and tells what it is. */
const lookAt = (path: string): { readonly found: Found; readonly database?: DatabaseSync } => {
  if (!existsSync(path)) return { found: 'outdated' }
  let database: DatabaseSync | undefined
  try {
    database = openReadOnly(path, 5000)
    return { found: contentOf(database, path), database }
  } catch (error) {
    database?.close()
    if (isDamage(error)) return { found: { aside: `${path} is damaged: ${(error as Error).message}` } }
    throw error
  }
}

/** Moves a file out of the way, under a name that nothing has. @returns that name */
export const putAside = (path: string): string => {
  const names = [`${path}.aside`, `${path}.aside.${Date.now()}`]
  const free = names.find((name) => !existsSync(name)) as string
  renameSync(path, free)
  removeFile(path)
  return free
}

/** Bytes of a page of a new file when nothing is said. */
const usualPageSize = 8192

/** Bytes for pages when nothing is said. */
export const usualPages = 2 ** 26

const tune = (
  database: DatabaseSync,
  { bulk = false, pageBytes = usualPages, pageSize = usualPageSize }: SqliteFileOptions,
): void => {
  // Both say something only to a file that is still empty.
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA auto_vacuum = INCREMENTAL`)
  if (bulk) {
    database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = ' +
        '-131072',
    )
    return
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(pageCache(pageBytes))
  database.exec('PRAGMA wal_autocheckpoint = 32000; PRAGMA journal_size_limit = 134217728')
}

const create = (database: DatabaseSync): void =>
  database.exec(`BEGIN IMMEDIATE; ${projectionsTable};
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${storageVersion}; COMMIT`)

/** The projections that the file holds in another version, or not at all. */
const outdated = (database: DatabaseSync, all: readonly SqliteTables[]): SqliteTables[] => {
  const stored = database.prepare('SELECT 1 FROM projections WHERE name = ? AND version = ?')
  return all.filter(({ name, version }) => stored.get(name, version) === undefined)
}

/** Throws away what the file holds of a projection, in whatever version; within a transaction. */
const dropTables = (database: DatabaseSync, name: string): void => {
  const stored = database.prepare('SELECT tables FROM projections WHERE name = ?').get(name)
  if (stored === undefined) return
  for (const table of JSON.parse(String(stored['tables'])) as string[]) database.exec(`DROP TABLE ${table}`)
  database.prepare('DELETE FROM projections WHERE name = ?').run(name)
}

const makeTables = (database: DatabaseSync, { name, version, tables, ...sql }: SqliteTables, bulk: boolean): void => {
  dropTables(database, name)
  database.exec(sql.create)
  if (!bulk) for (const index of sql.indexes ?? []) database.exec(index)
  database
    .prepare('INSERT INTO projections (name, version, tables) VALUES (?, ?, ?)')
    .run(name, version, JSON.stringify(tables))
}

/** Projections that the file has and that are kept elsewhere by now, or nowhere. */
const leftIn = (database: DatabaseSync, own: readonly SqliteTables[]): string[] => {
  const stored = database.prepare('SELECT name FROM projections').all()
  return stored.map(({ name }) => String(name)).filter((name) => own.every((each) => each.name !== name))
}

const openToRead = (
  { path, pageBytes = usualPages }: SqliteFileOptions,
  projections: readonly SqliteTables[],
): DatabaseSync => {
  const { found, database } = lookAt(path)
  if (database !== undefined && found === 'current' && outdated(database, projections).length === 0) {
    database.exec(pageCache(pageBytes))
    return database
  }
  database?.close()
  const reason = typeof found === 'string' ? `${path} holds no read models of this version` : found.aside
  throw new DamagedReadModels(`${reason}. Run: catalog rebuild`)
}

const openToWrite = (options: SqliteFileOptions, projections: readonly SqliteTables[]): DatabaseSync => {
  const { path, bulk = false, onReplaced = () => {} } = options
  const { found, database: looked } = lookAt(path)
  looked?.close()
  if (typeof found !== 'string') onReplaced(`${found.aside}. It was put aside as ${putAside(path)}`)
  else if (found === 'outdated') removeFile(path)
  const database = new DatabaseSync(path, { timeout: 5000 })
  try {
    tune(database, options)
    if (found !== 'current') create(database)
    database.exec('BEGIN')
    for (const name of leftIn(database, projections)) dropTables(database, name)
    for (const each of outdated(database, projections)) makeTables(database, each, bulk)
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const cached = (prepare: (sql: string) => RowStatement): ((sql: string) => RowStatement) => {
  const statements = new Map<string, RowStatement>()
  return (sql) => {
    let found = statements.get(sql)
    if (!found) statements.set(sql, (found = prepare(sql)))
    return found
  }
}

const readingIn =
  (database: DatabaseSync): SqliteFile['reading'] =>
  (work) => {
    if (database.isTransaction) return work()
    database.exec('BEGIN')
    try {
      return work()
    } finally {
      database.exec('ROLLBACK')
    }
  }

/**
 * Opens the file, and creates it unless it is read only. What is of another version is thrown away, what is damaged or
 * of somebody else is put aside.
 */
export const openSqliteFile = (options: SqliteFileOptions, projections: readonly SqliteTables[]): SqliteFile => {
  const database = (options.readOnly ? openToRead : openToWrite)(options, projections)
  const bulk = options.bulk === true
  let complete = !bulk
  const checkpoints = makeCheckpoints(database, options.path, 'move')
  const committed = (): void => {
    checkpoints.committed()
    vacuum.committed()
  }
  const { transaction, inSharedTransaction, flush, end } = bulk
    ? makeEndlessTransaction(database)
    : makeTransactions(database, options.commitEvery ?? 0, () => mayWait(options), committed)
  const prepare = (wide: boolean) => (sql: string) => prepareRows(database, sql, wide)
  const statement = cached(prepare(false))
  const vacuum = makeIncrementalVacuum(database, { transaction }, options.vacuum)
  return {
    path: options.path,
    database,
    statement,
    wide: cached(prepare(true)),
    transaction,
    inSharedTransaction,
    flush,
    reading: readingIn(database),
    isComplete: () => complete,
    *complete() {
      const steps = projections.flatMap(({ indexes = [], completion = [] }) => [...indexes, ...completion])
      for (const step of complete ? [] : steps) {
        transaction(() => database.exec(step))
        yield
      }
      complete = true
    },
    seal: () => {
      if (bulk && database.isTransaction) database.exec('COMMIT')
    },
    due: () => (database.isTransaction ? undefined : checkpoints.due()),
    quieten: checkpoints.close,
    close: () => {
      if (!database.isOpen) return
      vacuum.stop()
      end()
      database.close()
    },
  }
}

/** The file with the indexes that a bulk file gets when they are first needed. */
export const completed = (file: SqliteFile): SqliteFile => {
  for (const _ of file.complete());
  return file
}
