import { basename } from 'node:path'
import { parseFingerprint } from '../../events/events.ts'
import type { StoredRow, StoredTable } from '../stored/differences.ts'
import type { SqliteFile, SqliteTables } from './file.ts'

const plain = (value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value

/** The rows of a query, keyed by its first column. */
export function* rowsOf(file: SqliteFile, sql: string, ...values: string[]): Generator<StoredRow> {
  for (const row of file.wide(sql).iterate(...values) as Iterable<[unknown, ...unknown[]]>) {
    const [key, ...rest] = row
    yield [String(key), JSON.stringify(rest.map(plain))]
  }
}

type Column = [name: string, place: bigint]

/** The columns of a table except some, and its primary key columns in order. */
const columnsOf = (file: SqliteFile, table: string, without: readonly string[]) => {
  const all = file.wide(`SELECT name, pk FROM pragma_table_info('${table}')`).all() as Column[]
  const named = (columns: readonly Column[]): string => columns.map(([name]) => `"${name}"`).join(', ')
  const keys = all.filter(([, place]) => place > 0n).sort(([, a], [, b]) => Number(a - b))
  return { columns: named(all.filter(([name]) => !without.includes(name))), key: named(keys) }
}

/** The contents of a table except some columns, keyed by given columns or the primary key. */
export const wholeTable =
  (
    table: string,
    { by, without = [], where = '' }: { by?: string; without?: readonly string[]; where?: string } = {},
  ) =>
  (file: SqliteFile, unsettled: readonly string[]): Iterable<StoredRow> => {
    const { columns, key } = columnsOf(file, table, without)
    const sql = `SELECT json_array(${by ?? key}), ${columns} FROM ${table} ${where}`
    return where.includes('?') ? rowsOf(file, sql, JSON.stringify(unsettled)) : rowsOf(file, sql)
  }

function* damageOf(file: SqliteFile): Generator<StoredRow> {
  for (const [line] of file.statement('PRAGMA integrity_check(20)').iterate() as Iterable<[string]>)
    if (line !== 'ok') yield [line, '']
}

/** The stored entry of a projection; its newest event is checked against the log elsewhere. */
const namedAs = (file: SqliteFile, name: string): StoredRow[] => {
  const found = file.statement('SELECT tables, newest FROM projections WHERE name = ?').get(name)
  const [tables, newest] = (found ?? []) as [string?, (string | null)?]
  const isMark = typeof newest !== 'string' || parseFingerprint(newest) !== undefined
  return [[name, `${tables} ${isMark ? '' : newest}`]]
}

/** The tables of these projections and the rest of the file, from one snapshot. */
export const storedTablesIn = (
  file: SqliteFile,
  projections: readonly SqliteTables[],
  unsettled: readonly string[],
): StoredTable[] => [
  ...projections.flatMap(({ name, tables, contents = {} }) =>
    tables.map((table): StoredTable => ({
      projection: name,
      table,
      rows: () => (contents[table] ?? wholeTable(table))(file, unsettled),
    })),
  ),
  ...projections.map(({ name }): StoredTable => ({
    projection: name,
    table: 'projections',
    rows: () => namedAs(file, name),
  })),
  {
    projection: projections.map(({ name }) => name).join(' and '),
    table: basename(file.path),
    rows: () => damageOf(file),
  },
]

/** Pins reads to the present snapshot, until the next call or until the file is closed. */
export const pinSnapshot = ({ database, statement, flush }: SqliteFile): void => {
  flush()
  database.exec('BEGIN')
  statement('SELECT count(*) FROM projections').get()
}
