import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fstatSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { retrying } from '../../shared/backOff.ts'
import { guardAll, type Guard } from '../../stores/errors.ts'
import { asSqliteFailure, closedOnError, isBusy, openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { inTransaction } from '../../stores/sqlite/transactions.ts'
import { openNamed, openWithTables, busyTimeout, type VersionedTables } from '../../stores/sqlite/versionedTables.ts'
import type { VaultKey, Vault } from './vault.ts'

const tables: VersionedTables = {
  version: 1,
  sql: `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    key BLOB NOT NULL,
    retired INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX keys_by_subject ON keys (subject);
`,
}

/** Overwrites the journal, which has what was replaced, while nobody can need it to roll back. */
const wipeJournal = (database: DatabaseSync, path: string): void => {
  const journal = `${path}-journal`
  if (!existsSync(journal)) return
  inTransaction(database, () => {
    const handle = openSync(journal, 'r+')
    try {
      writeSync(handle, Buffer.alloc(fstatSync(handle).size))
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  })
}

/** Deleted data is overwritten, in the file and in its journal, which is therefore never deleted. */
const openToWrite = (path: string): DatabaseSync =>
  closedOnError(
    openWithTables(path, tables, (database) => {
      if (path !== ':memory:') chmodSync(path, 0o600)
      database.exec('PRAGMA journal_mode = PERSIST; PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON')
    }),
    (database) => {
      wipeJournal(database, path)
      // From now on others are waited for without holding up this thread.
      database.exec('PRAGMA busy_timeout = 0')
    },
  )

/** Milliseconds between two attempts. */
const pause = 20

/**
 * Repeats calls while another process uses the file, for `wait` milliseconds at most. @throws StoreUnavailable then, and for
 * other errors of SQLite that may pass
 */
const whenFree =
  (path: string, wait: number): Guard =>
  (call) => {
    const start = performance.now()
    return retrying(call, (error) => {
      if (!isBusy(error) || performance.now() - start > wait) throw asSqliteFailure(error, path)
      return pause
    })
  }

interface Row {
  readonly id: string
  readonly subject: string
  readonly key: Uint8Array
  readonly retired: number
}

/** A destroyed key keeps only its id. */
const isThere = 'length(key) > 0'

const destroyed = `
  INSERT INTO keys (id, subject, key, retired) VALUES (?, ?, x'', 1)
  ON CONFLICT (id) DO UPDATE SET key = x'', retired = 1`

const select = 'SELECT id, subject, key, retired FROM keys'

const write = (database: DatabaseSync, { id, subject, key, retired }: VaultKey): void => {
  database
    .prepare(
      `INSERT INTO keys (id, subject, key, retired) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET retired = max(retired, excluded.retired)`,
    )
    .run(id, subject, key, retired ? 1 : 0)
}

interface SqliteVaultOptions {
  readonly path: string
  readonly readOnly: boolean
  /** Milliseconds to wait for another process that uses the file (default 5,000). */
  readonly wait?: number
}

const makeFile = ({ path, readOnly }: SqliteVaultOptions) => {
  let opened: DatabaseSync | undefined
  const toWrite = (): DatabaseSync => {
    if (readOnly) throw new Error(`${path} is only read.`)
    return (opened ??= openToWrite(path))
  }
  /** `undefined` if there is no file, hence no keys. */
  const found = (): DatabaseSync | undefined => {
    if (opened === undefined && existsSync(path))
      opened = readOnly ? openNamed(path, () => openReadOnly(path, busyTimeout)) : openToWrite(path)
    return opened
  }
  found()
  const prepared = new Map<string, StatementSync>()
  return {
    toWrite,
    rows: (condition: string, ...values: string[]): VaultKey[] => {
      const database = found()
      if (database === undefined) return []
      const statement = prepared.get(condition) ?? database.prepare(`${select} ${condition}`)
      prepared.set(condition, statement)
      const rows = statement.all(...values) as unknown as Row[]
      return rows.map(({ key, retired, ...row }) => ({ ...row, key: Buffer.from(key), retired: retired === 1 }))
    },
    close: async (): Promise<void> => {
      prepared.clear()
      opened?.close()
      opened = undefined
    },
  }
}

/** A {@link Vault} in a file of its own, created with the first key. @throws StoreFailed where that is damaged */
export const openSqliteVault = (options: SqliteVaultOptions): Vault => {
  const { path, wait = busyTimeout } = options
  const { toWrite, rows, close } = makeFile(options)
  const guard = whenFree(path, wait)
  const calls: Omit<Vault, 'all'> = {
    current: async (subject) => {
      const [row] = rows('WHERE subject = ? AND retired = 0', subject)
      if (row !== undefined) return row
      const made = { id: randomUUID(), subject, key: randomBytes(32), retired: false }
      write(toWrite(), made)
      return made
    },
    keys: async (ids) => {
      const kept = ids.flatMap((id) => rows('WHERE id = ?', id))
      return new Map(kept.map(({ id, key }) => [id, key]))
    },
    retire: async (subject) => {
      if (rows('WHERE subject = ? AND retired = 0', subject).length > 0)
        toWrite().prepare('UPDATE keys SET retired = 1 WHERE subject = ?').run(subject)
      return rows(`WHERE subject = ? AND ${isThere}`, subject).map(({ id }) => id)
    },
    destroy: async (subject, ids) => {
      if (ids.length === 0) return
      const database = toWrite()
      const one = database.prepare(destroyed)
      inTransaction(database, () => ids.forEach((id) => one.run(id, subject)))
      wipeJournal(database, path)
    },
    add: async (keys) => {
      if (keys.length > 0) inTransaction(toWrite(), () => keys.forEach((key) => write(toWrite(), key)))
    },
    close,
  }
  return {
    ...guardAll(calls, guard),
    all: async function* (only) {
      const condition = `WHERE ${isThere}${only === 'retired' ? ' AND retired = 1' : ''}`
      yield* await guard(async () => rows(condition))
    },
  }
}
