import type { SqliteTables } from '../../sqlite/file.ts'
import { rowsOf, wholeTable } from '../../sqlite/storedTables.ts'
import { entitiesProjection } from '../entitiesProjection.ts'
import { usualEntityStatus } from '../row.ts'
import { columnsDefined } from './rows.ts'

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
