import { DatabaseSync } from 'node:sqlite'
import type { Codec, EncodedEvent, RawEvent } from '../codec.ts'
import { StoreUnavailable } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { makeUndoing } from '../../stores/sqlite/undoing.ts'
import { readTextEvent, type TextEvent } from '../textEvent.ts'

/** One page of a read ends when it holds more text than this, so that big events neither fill the memory nor hold up others. */
export const pageBytes = 512 * 1024

/** The events table of one SQLite file: statements that run at once and hold nothing open. */
export interface SqliteLog {
  /** Position of the newest event, 0 in an empty log. */
  head(): number
  /** Revision of the stream's newest event, -1 when there is none. */
  revision(stream: string): number
  /** Ids and positions of a stream's events with these revisions, both inclusive. */
  identities(stream: string, from: number, to: number): { id: string; position: number }[]
  insert(position: number, stream: string, revision: number, event: EncodedEvent): void
  /** The next events in log order, at least one when there is one. */
  pageAfter(position: number, limit: number): RecordedEvent[]
  /** The same for readers that pass data on as text. */
  textsAfter(position: number, limit: number): TextEvent[]
  /** The next events, up to a position, after this one in the order of streams and revisions. */
  pageByStream(stream: string, revision: number, upTo: number, limit: number): RecordedEvent[]
  /** The next events of the stream from this revision on, at least one when there is one. */
  streamPage(stream: string, from: number, backwards: boolean, limit: number): RecordedEvent[]
  /** Runs the work in one durable transaction; throws {@link StoreUnavailable} and undoes it when that fails. */
  transaction<T>(work: () => T): T
  /** Limits the size of the file, in pages, as a full disk would. For tests. */
  limitPages(pages: number): void
  close(): void
}

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

/** Version of the table above, in the file's `user_version`. */
const storageVersion = 1

/** Maps errors of the database to {@link StoreUnavailable}; everything else stays as it is. */
export const asUnavailable = (error: unknown): unknown => {
  const fromDatabase = error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR'
  if (!fromDatabase) return error
  return new StoreUnavailable(`The event store does not answer: ${error.message}`, { cause: error })
}

const guarded = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw asUnavailable(error)
  }
}

const openDatabase = (path: string, readOnly: boolean): DatabaseSync => {
  const database = readOnly ? openReadOnly(path, 2000) : new DatabaseSync(path, { timeout: 2000 })
  try {
    if (!readOnly) {
      database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      database.exec('PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 134217728')
    }
    database.exec('PRAGMA cache_size = -16384')
    const { user_version: found } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    if (found > storageVersion) throw new Error(`${path} was written by a newer catalog (storage version ${found}).`)
    if (found === 0 && readOnly) throw new Error(`${path} holds no event log.`)
    if (found === 0) database.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA user_version = ${storageVersion}; COMMIT`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** `columns` of an event. */
type Row = [position: number, stream: string, at: number, id: string, type: string, data: string, metadata: string]

/**
 * Opens the log in this file, and creates it unless it is read only. The texts of events pass through `codec`.
 * Throws {@link StoreUnavailable} when the file cannot be opened.
 */
export const openSqliteLog = (path: string, readOnly: boolean, codec: Codec): SqliteLog => {
  const database = guarded(() => openDatabase(path, readOnly))
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const columns = 'position, stream, revision, id, type, data, metadata'
  const head = prepare('SELECT max(position) FROM events')
  const revision = prepare('SELECT max(revision) FROM events WHERE stream = ?')
  const identities = prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision',
  )
  const insert = prepare(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const after = prepare(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ?`)
  const forwards = prepare(`SELECT ${columns} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`)
  const backwards = prepare(
    `SELECT ${columns} FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`,
  )
  const byStream = prepare(
    `SELECT ${columns} FROM events INDEXED BY events_by_stream
    WHERE (stream, revision) > (?, ?) AND position <= ? ORDER BY stream, revision LIMIT ?`,
  )
  const begin = prepare('BEGIN IMMEDIATE')
  const commit = prepare('COMMIT')

  const rawEvent = ([position, stream, at, id, type, data, metadata]: Row): RawEvent => ({
    position: BigInt(position),
    stream,
    revision: BigInt(at),
    id,
    type,
    data,
    metadata,
  })

  const page = (
    rows: Iterable<unknown>,
    read: (raw: RawEvent, codec: Codec) => RecordedEvent = codec.decode,
  ): RecordedEvent[] => {
    const events: RecordedEvent[] = []
    let size = 0
    for (const row of rows as Iterable<Row>) {
      events.push(read(rawEvent(row), codec))
      size += row[5].length + row[6].length
      if (size > pageBytes) break
    }
    return events
  }

  const undoing = makeUndoing(database)

  return {
    head: () => guarded(() => (head.get() as unknown as [number | null])[0] ?? 0),
    revision: (stream) => guarded(() => (revision.get(stream) as unknown as [number | null])[0] ?? -1),
    identities: (stream, from, to) =>
      (identities.all(stream, from, to) as unknown as [string, number][]).map(([id, position]) => ({ id, position })),
    insert: (position, stream, at, event) => {
      insert.run(position, stream, at, event.id, event.type, event.data, event.metadata)
    },
    pageAfter: (position, limit) => guarded(() => page(after.iterate(position, limit))),
    textsAfter: (position, limit) => guarded(() => page(after.iterate(position, limit), readTextEvent)),
    pageByStream: (stream, at, upTo, limit) => guarded(() => page(byStream.iterate(stream, at, upTo, limit))),
    streamPage: (stream, from, reverse, limit) =>
      guarded(() => page((reverse ? backwards : forwards).iterate(stream, from, limit))),
    transaction: (work) =>
      guarded(() => {
        begin.run()
        return undoing(() => {
          const result = work()
          commit.run()
          return result
        })
      }),
    limitPages: (pages) => database.exec(`PRAGMA max_page_count = ${pages}`),
    close: () => database.close(),
  }
}
