import { entrySize, makeRecent, type Recent } from '../entities/recent.ts'
import type { Lineage, LineageEnd, LineageQuery, LineageSpan } from './port.ts'
import { lineageProjection, recordOf, spanChanges, type SpanChange } from './spans.ts'
import type { SqliteFile, SqliteTables } from '../sqlite/file.ts'
import { historyBatching, keptInSqlite, rememberingOf } from '../sqlite/sqliteProjection.ts'
import { rowsOf, wholeTable } from '../sqlite/storedTables.ts'

/**
 * Ends of edges have small numbers. A span holds from the position `began` on, up to the one before `ended`. Both
 * indexes have the spans that have not ended together, so that the present is not dearer where much has ended.
 */
const lineageTables: SqliteTables = {
  ...lineageProjection,
  tables: ['lineage_ends', 'lineage_spans'],
  create: `
    CREATE TABLE lineage_ends (
      number INTEGER PRIMARY KEY,
      life TEXT NOT NULL UNIQUE,
      record TEXT NOT NULL,
      type TEXT NOT NULL,
      fqn TEXT NOT NULL
    ) STRICT;
    CREATE INDEX lineage_records ON lineage_ends (record);
    CREATE TABLE lineage_spans (
      down INTEGER NOT NULL,
      up INTEGER NOT NULL,
      source TEXT NOT NULL,
      began INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      details TEXT
    ) STRICT;
    CREATE INDEX lineage_upstream ON lineage_spans (down, ended, up, source, began);
    CREATE INDEX lineage_downstream ON lineage_spans (up, ended, down, source, began);`,
  // Ends are numbered as they come.
  contents: {
    lineage_ends: wholeTable('lineage_ends', { by: 'life', without: ['number'] }),
    lineage_spans: (file) =>
      rowsOf(
        file,
        `SELECT json_array(d.life, u.life, s.source, s.began), s.ended, s.details FROM lineage_spans AS s
        LEFT JOIN lineage_ends AS d ON d.number = s.down LEFT JOIN lineage_ends AS u ON u.number = s.up`,
      ),
  },
}

/** `ended` of a span that has not ended. */
const notEnded = Number.MAX_SAFE_INTEGER

/** A file with the numbers of ends that were written lately. */
interface FileWithLineage {
  readonly file: SqliteFile
  readonly ends: Recent<number>
}

const lately = rememberingOf((): Recent<number> => makeRecent(20_000 * entrySize))

const findEnd = (file: SqliteFile, life: string): number | undefined =>
  (file.statement('SELECT number FROM lineage_ends WHERE life = ?').get(life) as [number] | undefined)?.[0]

const addEnd = ({ file, ends }: FileWithLineage, { life, type, fullyQualifiedName }: LineageEnd): number => {
  const known = ends.get(life) ?? findEnd(file, life)
  if (known !== undefined) return known
  const insert = file.statement('INSERT INTO lineage_ends (life, record, type, fqn) VALUES (?, ?, ?, ?)')
  const number = Number(insert.run(life, recordOf(life), type, fullyQualifiedName).lastInsertRowid)
  ends.set(life, number, 0)
  return number
}

/** Has this, or something later, been written of the upstreams already? */
const isWritten = (file: SqliteFile, down: number, position: bigint): boolean =>
  file
    .statement('SELECT 1 FROM lineage_spans WHERE down = ? AND ended >= ? AND (began >= ? OR ended < ?) LIMIT 1')
    .get(down, position, position, notEnded) !== undefined

const state = (opened: FileWithLineage, { position, down, source, ended, begun }: SpanChange & { what: 'stated' }) => {
  const { file } = opened
  const asset = addEnd(opened, down)
  if (isWritten(file, asset, position)) return
  const end = file.statement(
    'UPDATE lineage_spans SET ended = ? WHERE down = ? AND ended = ? AND up = ? AND source = ?',
  )
  const begin = file.statement(
    'INSERT INTO lineage_spans (down, up, source, began, ended, details) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const standing = file.statement('SELECT up FROM lineage_spans WHERE down = ? AND ended = ? AND source = ?')
  const open = new Set((standing.all(asset, notEnded, source) as [number][]).map(([up]) => up))
  for (const life of open.size === 0 ? [] : ended) {
    const up = opened.ends.get(life) ?? findEnd(file, life)
    if (up !== undefined && open.has(up)) end.run(position, asset, notEnded, up, source)
  }
  for (const { up, details = null } of begun) begin.run(asset, addEnd(opened, up), source, position, notEnded, details)
}

/** Writes what events change; to be run within a transaction. They come in the order of the log. */
const writeLineage = (opened: FileWithLineage, changes: readonly SpanChange[]): void => {
  const { file } = opened
  const end = (side: 'up' | 'down', where: string, position: bigint, ...values: string[]): void =>
    void file
      .statement(
        `UPDATE lineage_spans SET ended = ? WHERE ended = ? AND began < ?
        AND ${side} IN (SELECT number FROM lineage_ends WHERE ${where})`,
      )
      .run(position, notEnded, position, ...values)
  for (const change of changes) {
    const { position } = change
    if (change.what === 'stated') state(opened, change)
    else if (change.what === 'deleted') end('down', 'record = ?', position, change.record)
    // A life is named by its id, or that with an at sign behind it.
    else
      for (const side of ['up', 'down'] as const)
        end(side, 'life = ? OR (life > ? AND life < ?)', position, change.id, `${change.id}@`, `${change.id}A`)
  }
}

type Row = [down: number, up: number, source: string, began: number, ended: number, details: string | null]

const readEnd = (file: SqliteFile, number: number): LineageEnd => {
  const found = file.statement('SELECT life, type, fqn FROM lineage_ends WHERE number = ?').get(number)
  const [life, type, fullyQualifiedName] = found as [string, string, string]
  return { life, type, fullyQualifiedName }
}

/** Spans of one end: those that have not ended, or that held at a position. */
const statementOf = (file: SqliteFile, { direction, position, sources }: LineageQuery) => {
  const [side, other] = direction === 'up' ? ['down', 'up'] : ['up', 'down']
  const index = direction === 'up' ? 'lineage_upstream' : 'lineage_downstream'
  const then = position === undefined ? 'ended = ?' : 'ended > ? AND began <= ?'
  return file.statement(
    `SELECT down, up, source, began, ended, details FROM lineage_spans INDEXED BY ${index}
    WHERE ${side} = ? AND ${then} ${sources === undefined ? '' : 'AND source IN (SELECT value FROM json_each(?))'}
    ORDER BY ended DESC, ${other}, source, began LIMIT ?`,
  )
}

const spansIn = (file: SqliteFile, query: LineageQuery): LineageSpan[] => {
  const { lives, position, sources, limit } = query
  const statement = statementOf(file, query)
  const moment = position === undefined ? [notEnded] : [position, position]
  const conditions = [...moment, ...(sources === undefined ? [] : [JSON.stringify(sources)])]
  const ends = new Map<number, LineageEnd>()
  const endAt = (number: number): LineageEnd => {
    const end = ends.get(number) ?? readEnd(file, number)
    ends.set(number, end)
    return end
  }
  const spans: LineageSpan[] = []
  for (const life of lives) {
    const number = findEnd(file, life)
    if (number === undefined) continue
    for (const row of statement.all(number, ...conditions, limit - spans.length) as Row[]) {
      const [down, up, source, began, ended, details] = row
      spans.push({
        down: endAt(down),
        up: endAt(up),
        source,
        began: BigInt(began),
        ended: ended === notEnded ? undefined : BigInt(ended),
        details: details ?? undefined,
      })
    }
    if (spans.length >= limit) break
  }
  return spans
}

export const lineageInSqlite = keptInSqlite({
  tables: lineageTables,
  batching: historyBatching,
  changes: async ({ events }, { file }: { readonly file: SqliteFile }) => {
    const changes = spanChanges(events)
    return () => writeLineage({ file, ends: lately.of(file) }, changes)
  },
  forget: lately.forget,
  reads: (current): Lineage => ({ lineageOf: async (query) => spansIn(current().file, query) }),
})
