import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

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

const indexes = `
  CREATE INDEX IF NOT EXISTS entities_in_order ON entities (kind, status, fqn, id);
  CREATE INDEX IF NOT EXISTS entities_by_entity_status ON entities (kind, status, entity_status, fqn, id);
  CREATE INDEX IF NOT EXISTS entities_by_parent ON entities (parent, status, kind, fqn, id, entity_status, deletion)
    WHERE parent IS NOT NULL;
  CREATE INDEX IF NOT EXISTS entities_not_live ON entities (status, id) WHERE status > 0;
  CREATE INDEX IF NOT EXISTS entities_restored ON entities (restored, id) WHERE restored IS NOT NULL;
`

/** One open database with its prepared statements. */
export interface SqliteFile {
  readonly path: string
  readonly database: DatabaseSync
  /** The statement for this text, prepared once. Rows are arrays of columns. */
  statement(sql: string): StatementSync
  /** The same with all integers as bigint. */
  wide(sql: string): StatementSync
  /** Runs the work in one transaction and undoes it when it throws. */
  transaction<T>(work: () => T): T
  close(): void
}

export interface SqliteFileOptions {
  readonly path: string
  readonly readOnly?: boolean
  /** Tuned for filling a new file that is worth nothing until it is complete. */
  readonly bulk?: boolean
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
    if (pragma(database, 'application_id') !== applicationId) throw new Error(`${path} holds something else than read models.`)
    return pragma(database, 'user_version') === storageVersion
  } finally {
    database.close()
  }
}

const tune = (database: DatabaseSync, bulk: boolean): void => {
  database.exec(
    bulk
      ? 'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -262144'
      : 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536',
  )
  if (!bulk) database.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864')
}

const create = (database: DatabaseSync, extraTables: string): void =>
  database.exec(
    `BEGIN IMMEDIATE; ${tables} ${indexes} ${extraTables}
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${storageVersion}; COMMIT`,
  )

const openDatabase = ({ path, readOnly = false, bulk = false }: SqliteFileOptions, extraTables: string): DatabaseSync => {
  const usable = existsSync(path) && isCurrent(path)
  if (!usable && readOnly) throw new Error(`${path} holds no read models of this version.`)
  if (!usable) removeFile(path)
  const database = new DatabaseSync(path, { readOnly, timeout: 5000 })
  try {
    if (readOnly) database.exec('PRAGMA cache_size = -65536')
    else tune(database, bulk)
    if (!usable) create(database, extraTables)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens the file, and creates it unless it is read only. A file of another storage version is thrown away first.
 * Throws when the file is a database of somebody else.
 */
export const openSqliteFile = (options: SqliteFileOptions, extraTables = ''): SqliteFile => {
  const database = openDatabase(options, extraTables)
  const statements = new Map<string, StatementSync>()
  const wides = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const statement = (sql: string): StatementSync => {
    let found = statements.get(sql)
    if (!found) statements.set(sql, (found = prepare(sql)))
    return found
  }
  const wide = (sql: string): StatementSync => {
    let found = wides.get(sql)
    if (!found) {
      wides.set(sql, (found = prepare(sql)))
      found.setReadBigInts(true)
    }
    return found
  }
  const undo = (): void => {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch {
      // The error that led here says more.
    }
  }
  return {
    path: options.path,
    database,
    statement,
    wide,
    transaction: (work) => {
      statement('BEGIN IMMEDIATE').run()
      try {
        const result = work()
        statement('COMMIT').run()
        return result
      } catch (error) {
        undo()
        throw error
      }
    },
    close: () => database.close(),
  }
}
