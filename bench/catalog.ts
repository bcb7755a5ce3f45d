import { randomFor } from '../test/support/random.ts'
import { entityId } from '../src/kinds/names.ts'

/** Shape of the loaded catalog: half of the tables stand below one service that is deleted at the end. */
export const keptService = 'warehouse'
export const deletedService = 'legacy'
const tablesOfSchema = 1000

export interface Shape {
  /** FQNs of all schemas. */
  readonly schemas: readonly string[]
  /** FQNs of the tables in the order in which they are loaded. */
  readonly tables: readonly string[]
}

const schemasOf = (service: string, tables: number): string[] =>
  Array.from(
    { length: Math.ceil(tables / tablesOfSchema) },
    (_, index) => `${service}.main.part_${String(index).padStart(3, '0')}`,
  )

/** The names of everything in a catalog of about so many entities. */
export const shapeOf = (entities: number): Shape => {
  const half = Math.ceil(entities / 2)
  const schemas = [...schemasOf(keptService, half), ...schemasOf(deletedService, half)]
  const tables = schemas.flatMap((schema) =>
    Array.from(
      { length: Math.min(tablesOfSchema, half) },
      (_, index) => `${schema}.table_${String(index).padStart(4, '0')}`,
    ),
  )
  return { schemas, tables }
}

const columnNames = ['id', 'customer_id', 'status', 'placed_at', 'net_amount', 'currency_code', 'comment', 'updated_at']
const columnTypes = ['BIGINT', 'BIGINT', 'VARCHAR', 'TIMESTAMP', 'DECIMAL', 'CHAR', 'TEXT', 'TIMESTAMP']

/** A create request of about 1 KB: eight columns with descriptions. */
export const tableRequest = (fullyQualifiedName: string, description = `Rows of ${fullyQualifiedName}.`) => {
  const parts = fullyQualifiedName.split('.')
  return {
    name: parts.at(-1) as string,
    databaseSchema: parts.slice(0, -1).join('.'),
    description,
    tableType: 'Regular',
    columns: columnNames.map((name, index) => ({
      name,
      dataType: columnTypes[index] as string,
      description: `The ${name} of the row.`,
    })),
  }
}

/** All tables of the kept service, in the order of lists. */
export const allTables = (shape: Shape): { id: string; fullyQualifiedName: string }[] =>
  shape.tables
    .filter((fqn) => fqn.startsWith(`${keptService}.`))
    .map((fullyQualifiedName) => ({ fullyQualifiedName, id: entityId('table', fullyQualifiedName) }))

/** Ids of so many tables of the kept service, spread over all of it. */
export const someTables = (shape: Shape, count: number): { id: string; fullyQualifiedName: string }[] => {
  const kept = shape.tables.filter((fqn) => fqn.startsWith(`${keptService}.`))
  const random = randomFor('some tables')
  return Array.from({ length: count }, () => random.pick(kept)).map((fullyQualifiedName) => ({
    fullyQualifiedName,
    id: entityId('table', fullyQualifiedName),
  }))
}
