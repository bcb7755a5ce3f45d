import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import { rowsOf, wholeTable } from '../../sqlite/storedTables.ts'
import type { StoredRow } from '../../stored/storedTable.ts'
import type { TimelineList } from '../lists.ts'
import { timelineProjection } from '../timelineProjection.ts'

/** What says which list is meant; its number is given as it comes. */
const named = (table: string): string =>
  ['kind', 'status', 'rel', 'scope', 'target'].map((column) => `${table}.${column}`).join(', ')

/** Totals where they change: what came and went at one position leaves a row that says the same as the one before it. */
const totalsStored = (file: SqliteFile): Iterable<StoredRow> =>
  rowsOf(
    file,
    `SELECT json_array(${named('l')}, t.position), t.n FROM (
      SELECT list, position, n, lag(n, 1, 0) OVER (PARTITION BY list ORDER BY position) AS before FROM timeline_totals
    ) AS t LEFT JOIN timeline_lists AS l ON l.list = t.list WHERE t.n <> t.before`,
  )

/**
 * A list is all entities of a kind and status that have something in common; see {@link ListName}. A span is the time
 * that an entity was in it: from the position `began` on, up to the one before `ended`. Lists have spans in their own
 * order, so that a page of any moment is a walk along the index. Totals tell how many were in it, or below an FQN, from
 * a position on, with what changed that soon after; see `totals.ts`. Causes are events that others below may follow, each
 * with the position from which on it counts.
 */
export const timelineTables: SqliteTables = {
  ...timelineProjection,
  tables: ['timeline_lists', 'timeline_spans', 'timeline_totals', 'timeline_kept', 'timeline_causes', 'timeline_times'],
  create: `
    CREATE TABLE timeline_lists (
      list INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      status INTEGER NOT NULL,
      rel TEXT NOT NULL,
      scope TEXT NOT NULL,
      target TEXT NOT NULL,
      UNIQUE (kind, status, rel, scope, target)
    ) STRICT;
    CREATE TABLE timeline_spans (
      list INTEGER NOT NULL,
      fqn TEXT NOT NULL,
      id TEXT NOT NULL,
      began INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      entity_status TEXT NOT NULL,
      PRIMARY KEY (list, fqn, id, began)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline_totals (
      list INTEGER NOT NULL,
      position INTEGER NOT NULL,
      n INTEGER NOT NULL,
      PRIMARY KEY (list, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline_kept (
      id TEXT PRIMARY KEY,
      position INTEGER NOT NULL,
      since INTEGER NOT NULL,
      settled INTEGER,
      kept TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline_causes (
      id TEXT PRIMARY KEY,
      position INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline_times (
      time INTEGER PRIMARY KEY,
      position INTEGER NOT NULL
    ) STRICT;`,
  contents: {
    timeline_lists: wholeTable('timeline_lists', { by: named('timeline_lists'), without: ['list'] }),
    timeline_spans: (file) =>
      rowsOf(
        file,
        `SELECT json_array(${named('l')}, s.fqn, s.id, s.began), s.ended, s.entity_status
        FROM timeline_spans AS s LEFT JOIN timeline_lists AS l ON l.list = s.list`,
      ),
    timeline_totals: totalsStored,
  },
}

/** `ended` of a span that has not ended. */
export const notEnded = 2n ** 63n - 1n

export interface ListName extends TimelineList {
  /** Only totals have one: the FQN that they are counted below. */
  readonly scope: string
}

const columns = ({ kind, status, rel, scope, target }: ListName): [string, number, string, string, string] => [
  kind,
  status,
  rel,
  scope,
  target,
]

/** The number of a list; `undefined`: nothing was ever in it. */
export const findList = (file: SqliteFile, name: ListName): number | undefined => {
  const found = file
    .statement('SELECT list FROM timeline_lists WHERE kind = ? AND status = ? AND rel = ? AND scope = ? AND target = ?')
    .get(...columns(name))
  return (found as [number] | undefined)?.[0]
}

/** The number of a list, which it is given when it has none. To be run within a transaction. */
export const addList = (file: SqliteFile, name: ListName): number =>
  findList(file, name) ??
  Number(
    file
      .statement('INSERT INTO timeline_lists (kind, status, rel, scope, target) VALUES (?, ?, ?, ?, ?)')
      .run(...columns(name)).lastInsertRowid,
  )
