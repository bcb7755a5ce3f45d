import { DatabaseSync } from 'node:sqlite'
import { documentsIn, documentsInSqlite } from '../../src/projections/documents/sqlite.ts'
import { entities } from '../../src/projections/entities/entityDocuments.ts'
import { entityDocuments } from '../../src/projections/entities/entityProjection.ts'
import type { EntityDocuments } from '../../src/projections/entities/lists.ts'
import type { SqliteFile } from '../../src/projections/sqlite/file.ts'

/** The tables of present entities. */
export const { tables: entityTables } = documentsInSqlite(entityDocuments(0))

export const entitiesIn = (file: SqliteFile): EntityDocuments => documentsIn(entities, () => file)

/** The first column of what a file gives, seen by somebody else. */
export const valuesIn = (path: string, sql: string): unknown[] => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0])
  } finally {
    database.close()
  }
}

export const tablesIn = (path: string): string[] =>
  valuesIn(path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map(String)
