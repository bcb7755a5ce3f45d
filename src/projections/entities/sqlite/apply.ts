import { keptInSqlite } from '../../sqlite/sqliteProjection.ts'
import { entityReads, type CachedFile } from './reads.ts'
import { ancestorFqns } from '../../../kinds/names.ts'
import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import { type EntityRow, statusNumber, usualEntityStatus, entitiesProjection } from '../row.ts'
import {
  changingValues,
  contentValues,
  edgesFrom,
  edgesText,
  insertRow,
  rowValues,
  updateContents,
  updateRow,
  columnsDefined,
} from './rows.ts'
import { rowsOf, wholeTable } from '../../sqlite/storedTables.ts'

const indexes = [
  'CREATE INDEX entities_in_order ON entities (kind, status, fqn, id, entity_status)',
  `CREATE INDEX entities_by_entity_status ON entities (kind, status, entity_status, fqn, id)
    WHERE entity_status <> '${usualEntityStatus}'`,
  `CREATE INDEX entities_by_parent ON entities (parent, status, kind, fqn, id, entity_status, parent_born)
    WHERE parent IS NOT NULL`,
  'CREATE INDEX entities_inherited ON entities (parent) WHERE inherited = 1',
  'CREATE INDEX entities_own_deletions ON entities (kind, fqn, id) WHERE status = 1 AND inherited = 0',
]

/**
 * Small columns come first, so that reading them does not read the texts of a row. `status` is 0 live, 1 deleted, 2
 * gone. Everything below an FQN is a range.
 */
const create = `
  CREATE TABLE entities (
    entity INTEGER PRIMARY KEY,
    ${columnsDefined.join(', ')}
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
  ${indexes.join(';\n  ')};
`

export const entityTables: SqliteTables = {
  ...entitiesProjection,
  tables: ['entities', 'edges', 'counters'],
  create,
  contents: {
    entities: wholeTable('entities', { by: 'id', without: ['entity'] }),
    // Entities are numbered in order of arrival.
    edges: (file) =>
      rowsOf(
        file,
        `SELECT json_array(d.rel, d.target, d.kind, d.status, d.fqn, d.id), e.id
        FROM edges AS d LEFT JOIN entities AS e ON e.entity = d.entity`,
      ),
  },
}

interface Stored {
  readonly entity: bigint
  readonly id: string
  readonly revision: bigint
  readonly kind: string
  readonly status: number
  readonly fqn: string
  readonly parent: string | null
  readonly born: bigint
  readonly entityStatus: string
  readonly inherited: bigint
  readonly edges: string
}

const lookUp = `
  SELECT e.entity, e.id, e.revision, e.kind, e.status, e.fqn, e.parent, e.born, e.entity_status, e.inherited, e.edges
  FROM json_each(?) AS wanted CROSS JOIN entities AS e ON e.id = wanted.value`

type StoredValues = [bigint, string, bigint, string, bigint, string, string | null, bigint, string, bigint, string]

const readStored = (file: SqliteFile, rows: readonly EntityRow[]): Map<string, Stored> => {
  const stored = new Map<string, Stored>()
  for (const values of file.wide(lookUp).iterate(JSON.stringify(rows.map(({ id }) => id))) as Iterable<unknown>) {
    const [entity, id, revision, kind, status, fqn, parent, born, entityStatus, inherited, edges] =
      values as StoredValues
    const place = { kind, status: Number(status), fqn, parent, born, entityStatus, inherited }
    stored.set(id, { entity, id, revision, ...place, edges })
  }
  return stored
}

const samePlace = (old: Stored, row: EntityRow): boolean =>
  old.status === statusNumber[row.status] &&
  old.fqn === row.fullyQualifiedName &&
  old.kind === row.kind &&
  old.entityStatus === row.entityStatus &&
  old.parent === (row.parent ?? null) &&
  old.born === row.born &&
  (old.inherited === 1n) === row.inherited

const gone = statusNumber.gone

/** Counts the change in rows by kind, scope, status and entity status in one batch. */
const makeTally = () => {
  const changes = new Map<string, number>()
  return {
    count(kind: string, status: number, entityStatus: string, fqn: string, by: number): void {
      if (status === gone) return
      const scopes = ancestorFqns(fqn)
      for (let at = -1; at < scopes.length; at++) {
        const key = `${kind}\0${at < 0 ? '' : scopes[at]}\0${status}\0${entityStatus}`
        changes.set(key, (changes.get(key) ?? 0) + by)
      }
    },
    save(file: SqliteFile): void {
      const add = file.statement(
        `INSERT INTO counters (kind, scope, status, entity_status, n) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET n = n + excluded.n`,
      )
      const drop = file.statement(
        'DELETE FROM counters WHERE kind = ? AND scope = ? AND status = ? AND entity_status = ? AND n = 0',
      )
      for (const [key, by] of changes) {
        if (by === 0) continue
        const [kind, scope, status, ...rest] = key.split('\0') as [string, string, string, string]
        const entityStatus = rest.join('\0')
        add.run(kind, scope, Number(status), entityStatus, by)
        if (by < 0) drop.run(kind, scope, Number(status), entityStatus)
      }
    },
  }
}

const dropEdges = (file: SqliteFile, old: Stored): void => {
  if (old.edges === '' || old.status === gone) return
  const drop = file.statement(
    'DELETE FROM edges WHERE rel = ? AND target = ? AND kind = ? AND status = ? AND fqn = ? AND id = ?',
  )
  for (const { rel, target } of edgesFrom(old.edges)) drop.run(rel, target, old.kind, old.status, old.fqn, old.id)
}

const addEdges = (file: SqliteFile, row: EntityRow, entity: number | bigint): void => {
  if (row.edges.length === 0 || row.status === 'gone') return
  const add = file.statement(
    'INSERT OR IGNORE INTO edges (rel, target, kind, status, fqn, id, entity) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const { rel, target } of row.edges) {
    add.run(rel, target, row.kind, statusNumber[row.status], row.fullyQualifiedName, row.id, entity)
  }
}

const replaceRow = (file: SqliteFile, old: Stored, row: EntityRow, same: boolean): void => {
  if (same) file.statement(updateContents).run(...contentValues(row), old.entity)
  else file.statement(updateRow).run(...changingValues(row), old.entity)
  if (same && edgesText(row.edges) === old.edges) return
  dropEdges(file, old)
  addEdges(file, row, old.entity)
}

/** Stores rows newer than the stored ones, within a transaction. */
const applyRows = (file: SqliteFile, rows: readonly EntityRow[]): void => {
  // The row of a first event is older than any stored row: no look-up needed.
  const later = rows.filter(({ revision }) => revision > 0n)
  const stored: ReadonlyMap<string, Stored> = later.length === 0 ? new Map() : readStored(file, later)
  const insert = file.statement(insertRow)
  const tally = makeTally()
  for (const row of rows) {
    const old = stored.get(row.id)
    if (old === undefined) {
      const { changes, lastInsertRowid } = insert.run(...rowValues(row))
      if (Number(changes) === 0) continue
      addEdges(file, row, lastInsertRowid)
      tally.count(row.kind, statusNumber[row.status], row.entityStatus, row.fullyQualifiedName, 1)
    } else if (row.revision > old.revision) {
      const same = samePlace(old, row)
      replaceRow(file, old, row, same)
      if (!same) {
        tally.count(old.kind, old.status, old.entityStatus, old.fqn, -1)
        tally.count(row.kind, statusNumber[row.status], row.entityStatus, row.fullyQualifiedName, 1)
      }
    }
  }
  tally.save(file)
}

/** The present entities, with the cache of rows that are read again. */
export const entitiesInSqlite = keptInSqlite({
  tables: entityTables,
  changes: async (batch, { file, cache }: CachedFile) => {
    const rows = await batch.rows()
    return () => {
      applyRows(file, rows)
      cache.applied(rows)
    }
  },
  forget: ({ cache }) => cache.clear(),
  reads: entityReads,
})
