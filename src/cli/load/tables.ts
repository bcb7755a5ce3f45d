import { arrayItems, dataTypeOf } from '../../odcs/model/logicalTypes.ts'
import { pathsIn } from '../../kinds/members/fieldTree.ts'
import { buildFqn, childFqn } from '../../kinds/names.ts'
import { objectsOf, type JsonObject } from '../../shared/json.ts'
import type { LoadFailure, SourceEntity, SourceStep } from './content.ts'

/** A column of a source. */
export interface SourceColumn {
  readonly name: string
  /** As the database writes it: `numeric(10,2)`. */
  readonly type?: string | undefined
  /** A type that says more about the values than `type` does, such as the one of a domain. */
  readonly base?: string | undefined
  readonly description?: string | undefined
  readonly constraint?: string | undefined
  /** Empty: those of earlier loads are taken away. */
  readonly tags?: readonly string[] | undefined
  /** The fields of a structure. */
  readonly children?: readonly SourceColumn[] | undefined
}

interface TablePath {
  readonly database: string
  readonly schema: string
  readonly name: string
}

export interface SourceTable extends TablePath {
  readonly columns: readonly SourceColumn[]
  /** Whether the table may have further columns. */
  readonly hasMoreColumns?: boolean
  /** Whether another load knows better, as for {@link SourceEntity}. */
  readonly yields?: boolean
  /** Further members of the create request. */
  readonly members: JsonObject
}

/** The service that the tables belong to. */
export interface SourceService {
  readonly name: string
  readonly type: string
  /** Whether its type is only that of a new service. */
  readonly yields?: boolean
}

export const nameOfTable = ({ name }: SourceService, table: TablePath): string =>
  buildFqn([name, table.database, table.schema, table.name])

const withLength: ReadonlySet<string> = new Set(['CHAR', 'VARCHAR', 'BINARY', 'VARBINARY'])
const withPrecision: ReadonlySet<string> = new Set(['DECIMAL', 'NUMERIC', 'NUMBER'])

/** `varchar2(20 char)`, `varchar[50]` and `decimal(10, 2)`, but not `Decimal64(2)`, which has a scale alone. */
const inBrackets = /(?<!decimal\d{1,3})[([](\d{1,9})(?:, *(-?\d{1,9})| +(?:char|byte))?[)\]]/i

/** The numbers in brackets after a type; null clears what a former type had. */
const sizeOf = (dataType: string, type: string): JsonObject => {
  const [first = null, second = null] = inBrackets.exec(type)?.slice(1).map(Number) ?? []
  const isDecimal = withPrecision.has(dataType)
  return {
    dataLength: withLength.has(dataType) ? first : null,
    precision: isDecimal ? first : null,
    scale: isDecimal ? second : null,
  }
}

const typeOf = ({ type, base = type }: SourceColumn): JsonObject => {
  if (type === undefined || base === undefined) return {}
  const property = { physicalType: base }
  const items = arrayItems(property)
  const dataType = dataTypeOf(property)
  return {
    dataType,
    ...(items !== undefined && { arrayDataType: dataTypeOf(items) }),
    ...sizeOf(dataType, base),
    dataTypeDisplay: type,
  }
}

const columnBody = (column: SourceColumn): JsonObject => {
  const { name, description, constraint, tags, children } = column
  return {
    name,
    ...typeOf(column),
    ...(description !== undefined && description !== '' && { description }),
    ...(constraint !== undefined && { constraint }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(children !== undefined && { children: children.map(columnBody) }),
  }
}

/**
 * Service, databases, schemas and tables, each once.
 * @param known descriptions of databases and schemas, by their names below the service; the tables that stand there, if
 * they were read
 */
export const tableSteps = (
  service: SourceService,
  tables: readonly SourceTable[],
  { descriptions, standing }: { descriptions?: ReadonlyMap<string, string>; standing?: SourceStep['standing'] } = {},
): SourceStep[] => {
  const scope = { service: buildFqn([service.name]) }
  const step = (path: string, entities: SourceStep['entities']): SourceStep => ({ path, bulk: true, scope, entities })
  /** An entity below the service. @param members gets the name of its parent */
  const entity = (names: readonly string[], members: (above: string) => JsonObject): SourceEntity => {
    const path = [service.name, ...names]
    const above = buildFqn(path.slice(0, -1))
    const description = descriptions?.get(buildFqn(names))
    const body = { name: path.at(-1) ?? '', ...(description && { description }), ...members(above) }
    return { fullyQualifiedName: buildFqn(path), body }
  }
  /** Entities above tables, each once. */
  const entities = (depth: number, members: (above: string) => JsonObject): SourceEntity[] => {
    const paths = tables.map(({ database, schema }) => [database, schema].slice(0, depth))
    return [...new Map(paths.map((path) => [buildFqn(path), entity(path, members)])).values()]
  }
  const databases = entities(1, (above) => ({ service: above }))
  const schemas = entities(2, (above) => ({ database: above }))
  const tableEntity = ({ database, schema, name, members, columns, ...how }: SourceTable): SourceEntity => {
    const { hasMoreColumns = false, yields = false } = how
    const body = (databaseSchema: string) => ({ databaseSchema, ...members, columns: columns.map(columnBody) })
    return { ...entity([database, schema, name], body), hasMoreColumns, yields }
  }
  const { name, type: serviceType, yields = false } = service
  const own = { fullyQualifiedName: buildFqn([name]), body: { name, serviceType }, yields }
  return [
    { path: 'services/databaseServices', bulk: true, entities: [own] },
    step('databases', databases),
    step('databaseSchemas', schemas),
    { ...step('tables', tables.map(tableEntity)), ...(standing && { standing }) },
  ]
}

/** Whether a column, or the items of an array, have no data type of the catalog. */
export const hasUnknownType = ({ dataType, arrayDataType }: JsonObject): boolean =>
  [dataType, arrayDataType].includes('UNKNOWN')

/** Types without a data type in the catalog, each with the columns that have it. */
export const unknownTypes = (entities: readonly SourceEntity[]): LoadFailure[] => {
  const columns = entities.flatMap(({ fullyQualifiedName, body }) =>
    pathsIn(objectsOf(body['columns']), [fullyQualifiedName]),
  )
  const unknown = columns.filter(({ node }) => node['dataTypeDisplay'] !== undefined && hasUnknownType(node))
  return [...Map.groupBy(unknown, ({ node }) => String(node['dataTypeDisplay']))].map(([type, [first, ...others]]) => ({
    fullyQualifiedName: `${first?.path.reduce(childFqn)}${others.length === 0 ? '' : ` and ${others.length} more`}`,
    message: `the type ${type} is not known: the data type is UNKNOWN`,
  }))
}
