import { documentsIn, documentsInSqlite } from '../../src/projections/documents/sqlite.ts'
import { entities } from '../../src/projections/entities/entityDocuments.ts'
import { entityDocuments } from '../../src/projections/entities/entityProjection.ts'
import type { EntityDocuments } from '../../src/projections/entities/lists.ts'
import type { SqliteFile } from '../../src/projections/sqlite/file.ts'

/** The tables of present entities. */
export const { tables: entityTables } = documentsInSqlite(entityDocuments(0))

export const entitiesIn = (file: SqliteFile): EntityDocuments => documentsIn(entities, () => file)
