import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { pageCache } from '../../stores/sqlite/caches.ts'
import { prepareRows, type RowStatement } from '../../stores/sqlite/rowStatement.ts'
import { parsePart, readMetadata, EventFormatError, type Codec, type EncodedEvent, type RawEvent } from '../codec.ts'
import { reasonIn } from '../../stores/errors.ts'
import { DamagedLog, repairAdvice, MissingEvents } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { asSqliteFailure, closedOnError, openReadOnly, isDamage } from '../../stores/sqlite/openReadOnly.ts'
import { openWritable } from '../../stores/sqlite/ownership.ts'
import { createTables, hasTables, type VersionedTables } from '../../stores/sqlite/versionedTables.ts'
import { makeCheckpoints } from '../../stores/sqlite/walCheckpoints.ts'
import { inTransaction } from '../../stores/sqlite/transactions.ts'

/** A page of a subscription ends once it holds more characters than this. */
export const pageBytes = 512 * 1024

/** The same for a reader who may stop at any event. */
export const readBytes = 32 * 1024

const schema = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id       TEXT NOT NULL,
    type     TEXT NOT NULL,
    data     TEXT NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
`

/** Number of appended events between two checkpoints: tens of MiB, since each also changes a page of the index. */
const eventsPerCheckpoint = 8000

const tables: VersionedTables = { version: 1, sql: schema }

/** Maps errors of the database to {@link StoreUnavailable} or {@link DamagedLog}; others are unchanged. */
export const asLogError = (error: unknown, position?: bigint): unknown => {
  if (!isDamage(error)) return asSqliteFailure(error, 'The event store')
  const from = position === undefined ? '' : ` from position ${position} on`
  return new DamagedLog(`The log cannot be read${from}: ${reasonIn(error)}.`, position, { cause: error })
}

/** @param from first position that the work reads, or path of the file that it opens */
const guarded = <T>(work: () => T, from?: number | string): T => {
  try {
    return work()
  } catch (error) {
    if (typeof from === 'string' && isDamage(error))
      throw new DamagedLog(`${from} is damaged: ${(error as Error).message}. ${repairAdvice(from)}`, undefined, {
        cause: error,
      })
    throw asLogError(error, typeof from === 'number' ? BigInt(from) : undefined)
  }
}

const openDatabase = (path: string, readOnly: boolean, cacheBytes: number): DatabaseSync =>
  closedOnError(readOnly ? openReadOnly(path, 2000) : openWritable(path, 2000), (database) => {
    if (!readOnly) {
      database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
      database.exec('PRAGMA wal_autocheckpoint = 32000; PRAGMA journal_size_limit = 134217728')
    }
    database.exec(pageCache(cacheBytes))
    const isThere = hasTables(database, path, tables)
    if (!isThere && readOnly) throw new Error(`${path} has no event log.`)
    if (!isThere) createTables(database, tables)
    database.prepare('SELECT max(position) FROM events').get()
  })

/** A position that no event has. */
export const noEnd = Number.MAX_SAFE_INTEGER

/** `columns` of an event. */
type Row = [position: number, stream: string, at: number, id: string, type: string, data: string, metadata: string]

const columnTypes = ['number', 'string', 'number', 'string', 'string', 'string', 'string']

/** Checks that positions are gapless: a gap means lost events. */
const dense = function* (rows: Iterable<Row>, after: number): Generator<Row> {
  let expected = after
  for (const row of rows) {
    expected++
    if (row[0] !== expected)
      throw new MissingEvents(`The event at position ${expected} of the log is missing.`, BigInt(expected))
    yield row
  }
}

const rowsOf = function* (statement: RowStatement, ...values: SQLInputValue[]): Generator<Row> {
  try {
    yield* statement.iterate(...values) as Iterable<Row>
  } catch (error) {
    reset(statement)
    throw error
  }
}

/** Resets a failed statement: SQLite repeats the error at its next use. */
const reset = (statement: RowStatement): void => {
  try {
    statement.iterate()
  } catch {
    // The error was reported before.
  }
}

/** Decodes an event. If only its data is damaged, the rest can be used and reading `data` throws. */
const decodePartly = (raw: RawEvent, codec: Codec): RecordedEvent => {
  try {
    return codec.decode(raw)
  } catch (error) {
    if (codec.proves === true || !(error instanceof EventFormatError)) throw error
    const { data: _, ...place } = raw
    const event = { ...place, metadata: readMetadata(raw, parsePart(raw, 'metadata')) }
    const data = (): never => {
      throw error
    }
    return Object.defineProperty(event, 'data', { get: data }) as RecordedEvent
  }
}

const prepareStatements = (database: DatabaseSync) => {
  const prepare = (sql: string) => prepareRows(database, sql)
  const columns = 'position, stream, revision, id, type, data, metadata'
  return {
    head: prepare('SELECT max(position) FROM events'),
    // The plus sign keeps SQLite from searching the index of positions instead.
    revision: prepare('SELECT revision FROM events WHERE stream = ? AND +position <= ? ORDER BY revision DESC LIMIT 1'),
    identities: prepare(
      'SELECT id, position FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision',
    ),
    insert: prepare(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`),
    after: prepare(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ?`),
    at: prepare(`SELECT ${columns} FROM events WHERE position = ?`),
    forwards: prepare(
      `SELECT ${columns} FROM events WHERE stream = ? AND revision >= ? AND +position <= ? ORDER BY revision LIMIT ?`,
    ),
    backwards: prepare(
      `SELECT ${columns} FROM events WHERE stream = ? AND revision <= ? AND +position <= ? ORDER BY revision DESC LIMIT ?`,
    ),
  }
}

const rawEvent = (row: Row): RawEvent => {
  const [position, stream, at, id, type, data, metadata] = row
  if (row.some((value, index) => typeof value !== columnTypes[index]))
    throw new DamagedLog(`The row at position ${position} of the log is not an event.`, BigInt(position))
  return { position: BigInt(position), stream, revision: BigInt(at), id, type, data, metadata }
}

/** Reads rows up to about `most` characters. */
const readPage = (rows: Iterable<Row>, codec: Codec, most: number): RecordedEvent[] => {
  const events: RecordedEvent[] = []
  let size = 0
  try {
    for (const row of rows) {
      events.push(codec.decode(rawEvent(row)))
      size += row[5].length + row[6].length
      if (size > most) break
    }
  } catch (error) {
    // The next page starts with the unreadable event and reports it.
    if (events.length === 0) throw error
  }
  return events
}

/**
 * Reads of the table up to a position, decoded by one codec. Pages have at least one event, unless there is none.
 * @param end called before each read; throws if nothing may be read
 */
const readsWith = (statements: ReturnType<typeof prepareStatements>, codec: Codec, end: () => number) => ({
  /** Position of the newest event; 0 in an empty log. */
  head: (): number => guarded(() => Math.min(end(), (statements.head.get() as [number | null])[0] ?? 0)),
  /** Revision of the stream's newest event; -1 if there is none. */
  revision: (stream: string): number =>
    guarded(() => (statements.revision.get(stream, end()) as [number] | undefined)?.[0] ?? -1),
  eventAt: (position: number): RecordedEvent | undefined =>
    guarded(() => {
      const row = (position > end() ? undefined : statements.at.get(position)) as Row | undefined
      return row && decodePartly(rawEvent(row), codec)
    }, position),
  pageAfter: (position: number, limit: number, most = pageBytes): RecordedEvent[] =>
    guarded(() => {
      const count = Math.max(0, Math.min(limit, end() - position))
      return readPage(dense(rowsOf(statements.after, position, count), position), codec, most)
    }, position + 1),
  /** @param part from a revision on, inclusive */
  streamPage: (stream: string, { from, backwards }: { from: number; backwards: boolean }, limit: number) =>
    guarded(() => {
      const statement = backwards ? statements.backwards : statements.forwards
      return readPage(rowsOf(statement, stream, from, end(), limit), codec, readBytes)
    }),
})

export type TableReads = ReturnType<typeof readsWith>

/**
 * Opens the table of events in this file; creates it unless `readOnly`. All calls are synchronous and leave no cursor
 * open. @throws StoreUnavailable, DamagedLog
 */
export const openSqliteLog = (path: string, readOnly: boolean, codec: Codec, cacheBytes = 2 ** 24) => {
  const database = guarded(() => openDatabase(path, readOnly, cacheBytes), path)
  const statements = prepareStatements(database)
  const checkpoints = makeCheckpoints(database, path, { changesPerRun: eventsPerCheckpoint })

  return {
    /** Ids and positions of a stream's events between two revisions, both inclusive. */
    identities: (stream: string, from: number, to: number) =>
      (statements.identities.all(stream, from, to) as [string, number][]).map(([id, position]) => ({ id, position })),
    insert: (position: number, stream: string, at: number, event: EncodedEvent): void => {
      statements.insert.run(position, stream, at, event.id, event.type, event.data, event.metadata)
    },
    ...readsWith(statements, codec, () => noEnd),
    readWith: (other: Codec, end: () => number): TableReads => readsWith(statements, other, end),
    /** Runs the work and commits it, but does not synchronise it. @throws StoreUnavailable after a rollback */
    transaction: <T>(work: () => T): T =>
      guarded(() => {
        const result = inTransaction(database, work)
        checkpoints.committed()
        return result
      }),
    /** Writes without changing anything. @throws StoreUnavailable */
    tryWrite: (): void => guarded(() => database.exec(`PRAGMA user_version = ${tables.version}`)),
    /** Await this before each transaction. */
    beforeTransaction: checkpoints.beforeTransaction,
    /** Moves committed pages from the write-ahead log into the file, as far as readers permit. */
    checkpoint: (): void => guarded(() => database.exec('PRAGMA wal_checkpoint(PASSIVE)')),
    /** Stops background checkpoints. Call this before `close`. */
    stopCheckpoints: checkpoints.close,
    close: (): void => database.close(),
  }
}

export type SqliteLog = ReturnType<typeof openSqliteLog>
