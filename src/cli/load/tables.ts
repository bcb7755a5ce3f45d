import { arrayItems, dataTypeOf } from '../../odcs/index.ts'
import { buildFqn } from '../../kinds/names.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { SourceEntity, SourceStep } from './content.ts'

/** A column of a source. */
export interface SourceColumn {
  readonly name: string
  /** As the database writes it: `numeric(10,2)`. */
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly constraint?: string | undefined
  readonly tags?: readonly string[] | undefined
}

interface TablePath {
  readonly database: string
  readonly schema: string
  readonly name: string
}

export interface SourceTable extends TablePath {
  readonly columns: readonly SourceColumn[]
  /** Further members of the create request. */
  readonly members: JsonObject
}

/** The service that the tables belong to. */
export interface SourceService {
  readonly name: string
  readonly type: string
}

export const nameOfTable = ({ name }: SourceService, table: TablePath): string =>
  buildFqn([name, table.database, table.schema, table.name])

const typeOf = (type: string | undefined): JsonObject => {
  if (type === undefined) return { dataType: 'UNKNOWN' }
  const property = { physicalType: type }
  const items = arrayItems(property)
  return {
    dataType: dataTypeOf(property),
    ...(items !== undefined && { arrayDataType: dataTypeOf(items) }),
    dataTypeDisplay: type,
  }
}

const columnBody = ({ name, type, description, constraint, tags = [] }: SourceColumn): JsonObject => ({
  name,
  ...typeOf(type),
  ...(description !== undefined && description !== '' && { description }),
  ...(constraint !== undefined && { constraint }),
  ...(tags.length > 0 && { tags: [...tags] }),
})

const distinct = <T>(items: readonly T[], key: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [key(item), item])).values(),
]

/** Service, databases, schemas and tables, each once. */
export const tableSteps = (service: SourceService, tables: readonly SourceTable[]): SourceStep[] => {
  const databases = distinct(tables, ({ database }) => database)
  const schemas = distinct(tables, ({ database, schema }) => buildFqn([database, schema]))
  const step = (path: string, entities: SourceStep['entities']): SourceStep => ({ path, bulk: true, entities })
  /** An entity below the service. @param members gets the name of its parent */
  const entity = (names: readonly string[], members: (above: string) => JsonObject): SourceEntity => {
    const path = [service.name, ...names]
    const above = buildFqn(path.slice(0, -1))
    return { fullyQualifiedName: buildFqn(path), body: { name: path.at(-1) ?? '', ...members(above) } }
  }
  const { name, type: serviceType } = service
  return [
    step('services/databaseServices', [{ fullyQualifiedName: buildFqn([name]), body: { name, serviceType } }]),
    step(
      'databases',
      databases.map(({ database }) => entity([database], (above) => ({ service: above }))),
    ),
    step(
      'databaseSchemas',
      schemas.map(({ database, schema }) => entity([database, schema], (above) => ({ database: above }))),
    ),
    step(
      'tables',
      tables.map(({ database, schema, name, members, columns }) =>
        entity([database, schema, name], (databaseSchema) => ({
          databaseSchema,
          ...members,
          columns: columns.map(columnBody),
        })),
      ),
    ),
  ]
}
