import { existsSync, rmSync, statfsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { makeEndlessTransaction, makeTransactions, type Transactions } from '../../../stores/sqlite/transactions.ts'

/** Version of the tables below, in the file's `user_version`. A file with another one is thrown away. */
const storageVersion = 1

/** Marks the file as ours in its `application_id`, so that nobody else's database is ever thrown away. */
const applicationId = 0x43_41_54_52

/**
 * Small columns come first: what lies behind the texts of a row is not read when only they are asked for. `status` is 0
 * live, 1 deleted, 2 gone. What lies below an FQN needs no table: it is the range of FQNs that begin with it and a dot.
 */
const tables = `
  CREATE TABLE entities (
    entity INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    status INTEGER NOT NULL,
    fqn TEXT NOT NULL,
    parent TEXT,
    revision INTEGER NOT NULL,
    position INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    entity_status TEXT NOT NULL,
    deletion TEXT,
    restored TEXT,
    hash TEXT NOT NULL,
    edges TEXT NOT NULL,
    reference TEXT NOT NULL,
    label TEXT,
    lends TEXT,
    refs TEXT NOT NULL,
    basic TEXT NOT NULL,
    more TEXT NOT NULL,
    words_name TEXT NOT NULL,
    words_fields TEXT NOT NULL,
    words_labels TEXT NOT NULL,
    words_description TEXT NOT NULL
  ) STRICT;
  CREATE TABLE edges (
    rel TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    status INTEGER NOT NULL,
    fqn TEXT NOT NULL,
    id TEXT NOT NULL,
    entity INTEGER NOT NULL,
    PRIMARY KEY (rel, target, kind, status, fqn, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE counters (
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    status INTEGER NOT NULL,
    entity_status TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (scope, kind, status, entity_status)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE progress (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    checkpoint INTEGER NOT NULL
  ) STRICT;
`

/** What most entities have: the index by entity status leaves it out, and a list of these walks along all. */
export const usualEntityStatus = 'Unprocessed'

const indexes = [
  'CREATE INDEX entities_in_order ON entities (kind, status, fqn, id, entity_status)',
  `CREATE INDEX entities_by_entity_status ON entities (kind, status, entity_status, fqn, id)
    WHERE entity_status <> '${usualEntityStatus}'`,
  `CREATE INDEX entities_by_parent ON entities (parent, status, kind, fqn, id, entity_status, deletion)
    WHERE parent IS NOT NULL`,
  'CREATE INDEX entities_not_live ON entities (status, id) WHERE status > 0',
  'CREATE INDEX entities_restored ON entities (restored, id, status) WHERE restored IS NOT NULL',
]

/** Fills what a bulk file lacks until it is complete: sorted once, that is much faster than row by row. */
const completion = [
  ...indexes,
  `INSERT OR IGNORE INTO edges (rel, target, kind, status, fqn, id, entity)
    SELECT p.value ->> 0, p.value ->> 1, e.kind, e.status, e.fqn, e.id, e.entity
    FROM entities AS e CROSS JOIN json_each(e.edges) AS p WHERE e.edges <> '' AND e.status < 2
    ORDER BY 1, 2, 3, 4, 5, 6`,
]

/** One open database with its prepared statements. */
export interface SqliteFile extends Pick<Transactions, 'transaction' | 'lazily'> {
  readonly path: string
  readonly database: DatabaseSync
  /** False in a bulk file until {@link SqliteFile.complete}: indexes and edges are missing. */
  isComplete(): boolean
  /** Makes what a bulk file lacks. Each step that is taken from the iterator may last some seconds in a large file. */
  complete(): Iterable<void>
  /** The statement for this text, prepared once. Rows are arrays of columns. */
  statement(sql: string): StatementSync
  /** The same with all integers as bigint. */
  wide(sql: string): StatementSync
  /** Writes out what a bulk file has only in memory. Without it a bulk file is good for nothing once it is closed. */
  seal(): void
  /** Closing again does nothing. */
  close(): void
}

export interface SqliteFileOptions {
  readonly path: string
  readonly readOnly?: boolean
  /** A new file that is filled first and worth nothing until that is done: one transaction, no journal. */
  readonly bulk?: boolean
  /** Milliseconds for which {@link SqliteFile.lazily} may keep its transaction open. Default 0: it commits at once. */
  readonly commitEvery?: number | undefined
  /**
   * Bytes that must be free on the disk for that (default 256 MiB). With fewer it commits at once: what has been shown
   * would be undone if a full disk let the commit fail.
   */
  readonly roomToWait?: number
}

/** Bytes that are free on the disk that a file is on. */
const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Removes the database with everything that SQLite keeps beside it. */
export const removeFile = (path: string): void => {
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(path + suffix, { force: true })
}

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Whether the file can be used as it is. Throws when it belongs to somebody else. */
const isCurrent = (path: string): boolean => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 2000 })
  try {
    if (pragma(database, 'page_count') === 0) return false
    if (pragma(database, 'application_id') !== applicationId)
      throw new Error(`${path} holds something else than read models.`)
    return pragma(database, 'user_version') === storageVersion
  } finally {
    database.close()
  }
}

const tune = (database: DatabaseSync, bulk: boolean): void => {
  if (bulk) {
    database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -131072',
    )
    return
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536')
  database.exec('PRAGMA wal_autocheckpoint = 32000; PRAGMA journal_size_limit = 134217728')
}

const create = (database: DatabaseSync, searchTables: string, bulk: boolean): void => {
  database.exec(`BEGIN IMMEDIATE; ${tables} ${searchTables}
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${storageVersion}`)
  if (!bulk) database.exec(indexes.join(';'))
  database.exec('COMMIT')
}

const openDatabase = (
  { path, readOnly = false, bulk = false }: SqliteFileOptions,
  searchTables: string,
): DatabaseSync => {
  const usable = existsSync(path) && isCurrent(path)
  if (!usable && readOnly) throw new Error(`${path} holds no read models of this version.`)
  if (!usable) removeFile(path)
  const database = new DatabaseSync(path, { readOnly, timeout: 5000 })
  try {
    if (readOnly) database.exec('PRAGMA cache_size = -65536')
    else tune(database, bulk)
    if (!usable) create(database, searchTables, bulk)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const cached = (prepare: (sql: string) => StatementSync): ((sql: string) => StatementSync) => {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    let found = statements.get(sql)
    if (!found) statements.set(sql, (found = prepare(sql)))
    return found
  }
}

/**
 * Opens the file, and creates it unless it is read only. A file of another storage version is thrown away first.
 * Throws when the file is a database of somebody else.
 */
export const openSqliteFile = (options: SqliteFileOptions, searchTables: string): SqliteFile => {
  const database = openDatabase(options, searchTables)
  const bulk = options.bulk === true
  let complete = !bulk
  const mayWait = (): boolean => freeBytes(options.path) >= (options.roomToWait ?? 256 * 2 ** 20)
  const { transaction, lazily, end } = bulk
    ? makeEndlessTransaction(database)
    : makeTransactions(database, options.commitEvery ?? 0, mayWait)
  const prepare = (wide: boolean) => (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(wide)
    return statement
  }
  return {
    path: options.path,
    database,
    statement: cached(prepare(false)),
    wide: cached(prepare(true)),
    transaction,
    lazily,
    isComplete: () => complete,
    *complete() {
      for (const step of complete ? [] : completion) {
        transaction(() => database.exec(step))
        yield
      }
      complete = true
    },
    seal: () => {
      if (bulk && database.isTransaction) database.exec('COMMIT')
    },
    close: () => {
      if (!database.isOpen) return
      end()
      database.close()
    },
  }
}
