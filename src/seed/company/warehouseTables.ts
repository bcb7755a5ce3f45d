import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { columnOf, spoken, titled } from '../columnNames.ts'
import { randomFor } from '../random.ts'
import type { TableText } from '../vocabulary/parse.ts'
import { databaseRequests, databaseServiceRequests, schemas, type Layer, type PlacedSchema } from './databases.ts'
import { termNamed } from './governance.ts'
import { belongsTo, domainOf } from './people.ts'
import { bulk, type Step } from './step.ts'

/** A table with what other parts of the company need to know of it. */
export interface Table {
  readonly fullyQualifiedName: string
  readonly layer: Layer
  readonly part: string
  /** FQN of the domain. */
  readonly domain: string
  readonly schema: string
  readonly columns: readonly JsonObject[]
  readonly request: JsonObject
}

const required = (name: string, dataType: string, description: string, more: JsonObject = {}): JsonObject => ({
  name,
  dataType,
  description,
  constraint: 'NOT_NULL',
  ...more,
})

const stamps = [
  required('created_at', 'TIMESTAMPZ', 'When the row was written first, UTC.'),
  required('updated_at', 'TIMESTAMPZ', 'When the row was written last, UTC.'),
]

/** What the loader adds to each row that arrives in the lake. */
const loaded: JsonObject[] = [
  required('_loaded_at', 'TIMESTAMPZ', 'When the row arrived in the lake, UTC.'),
  {
    name: '_origin',
    dataType: 'STRUCT',
    dataTypeDisplay: 'struct<file:varchar,offset:bigint,batch:struct<id:uuid,started_at:timestamp>>',
    description: 'Where exactly the row came from.',
    children: [
      { name: 'file', dataType: 'VARCHAR', dataLength: 1024, description: 'Path of the file or name of the topic.' },
      { name: 'offset', dataType: 'BIGINT', description: 'Place in the file or topic.' },
      {
        name: 'batch',
        dataType: 'STRUCT',
        description: 'The load that brought it.',
        children: [
          { name: 'id', dataType: 'UUID', description: 'Identifier of the load.' },
          { name: 'started_at', dataType: 'TIMESTAMP', description: 'When the load began, UTC.' },
        ],
      },
    ],
  },
  {
    name: '_operation',
    dataType: 'CHAR',
    dataLength: 1,
    dataTypeDisplay: 'char(1)',
    description: 'What the source did: I inserted, U updated, D deleted.',
  },
  required('_sequence', 'BIGINT', 'Order of the changes within a load.'),
  {
    name: '_rejected',
    dataType: 'ARRAY',
    arrayDataType: 'STRING',
    dataTypeDisplay: 'array<string>',
    description: 'Names of the fields that could not be read.',
  },
]

const versioned = [
  required('valid_from', 'TIMESTAMPZ', 'From when on this version of the row held, UTC.'),
  { name: 'valid_to', dataType: 'TIMESTAMPZ', description: 'Until when; empty for the present version.' },
  required('is_current', 'BOOLEAN', 'Whether this is the present version.'),
]

/** What the cleaning adds. */
const run = [
  required('_run_id', 'UUID', 'The run that wrote the row.'),
  required('_is_deleted', 'BOOLEAN', 'Whether the source has deleted the row.'),
]

const refreshed = [required('refreshed_at', 'TIMESTAMPZ', 'When the row was computed, UTC.')]

const added: Readonly<Record<Layer, readonly JsonObject[]>> = {
  source: stamps,
  raw: loaded,
  staging: [...stamps, ...run],
  snapshot: versioned,
  mart: refreshed,
}

/** Business terms that columns of these names mean. */
const meanings: Readonly<Record<string, string>> = {
  customer_id: 'Customer',
  order_id: 'Order',
  net_amount: 'Net Revenue',
  gross_amount: 'Gross Revenue',
  discount_amount: 'Discount',
  margin_amount: 'Margin',
  margin_rate: 'Margin Rate',
  list_price: 'List Price',
  sale_price: 'Sale Price',
  minimum_price: 'Price Floor',
  return_rate: 'Return Rate',
  reserved_quantity: 'Reserved Stock',
  conversion_rate: 'Conversion Rate',
  channel_code: 'Channel',
  promised_on: 'Promise Date',
  on_hand_quantity: 'Available Stock',
  average_basket: 'Average Order Value',
  impression_count: 'Impression',
}

const tagged = (column: JsonObject, layer: Layer): JsonObject => {
  const meaning = layer === 'mart' || layer === 'source' ? meanings[column['name'] as string] : undefined
  const tags = [...((column['tags'] ?? []) as string[]), ...(meaning === undefined ? [] : [termNamed(meaning)])]
  return tags.length === 0 ? column : { ...column, tags }
}

const keyOf = (noun: string): string => `${noun.replace(/^(dim|fct)_/, '')}_id`

const columnsOf = (noun: string, { columns }: TableText, layer: Layer): JsonObject[] => {
  const key = keyOf(noun)
  const taken = new Set(added[layer].map((column) => column['name']))
  const own = columns.filter((name) => !taken.has(name)).map((name) => columnOf(name, noun))
  const first = {
    name: key,
    dataType: 'BIGINT',
    dataTypeDisplay: 'bigint',
    description: `Key of the ${spoken(noun)}.`,
    constraint: layer === 'raw' ? 'NOT_NULL' : 'PRIMARY_KEY',
  }
  return [first, ...own.filter((column) => column['name'] !== key), ...added[layer]].map((column) =>
    tagged(column, layer),
  )
}

/** Tables of a source database by the name of their key, so that foreign keys can be told. */
const keysOf = (database: string): ReadonlyMap<string, string> =>
  new Map(
    schemas
      .filter((schema) => schema.database === database)
      .flatMap((schema) =>
        schema.tables.map(({ name }): [string, string] => [keyOf(name), childFqn(schema.fullyQualifiedName, name)]),
      ),
  )

const constraintsOf = (fqn: string, columns: readonly JsonObject[], keys: ReadonlyMap<string, string>): JsonObject[] =>
  columns.flatMap(({ name }, index): JsonObject[] => {
    const referred = keys.get(name as string)
    if (index === 0) return [{ constraintType: 'PRIMARY_KEY', columns: [name as string] }]
    if (referred === undefined || referred === fqn) return []
    return [
      {
        constraintType: 'FOREIGN_KEY',
        columns: [name as string],
        referredColumns: [childFqn(referred, name as string)],
        relationshipType: 'MANY_TO_ONE',
      },
    ]
  })

const layerTags: Readonly<Record<Layer, string>> = {
  source: 'Layer.Source',
  raw: 'Layer.Raw',
  staging: 'Layer.Staging',
  snapshot: 'Layer.Core',
  mart: 'Layer.Mart',
}

const tierOf = (layer: Layer, random: ReturnType<typeof randomFor>): string =>
  layer === 'source' || layer === 'mart' ? `Tier.Tier${random.between(1, 3)}` : `Tier.Tier${random.between(3, 5)}`

const prefixes: Readonly<Record<Layer, string>> = { source: '', raw: '', staging: 'stg_', snapshot: '', mart: '' }

const tableOf = (schema: PlacedSchema, text: TableText, keys: ReadonlyMap<string, string>): Table => {
  const { layer, part } = schema
  const name = `${prefixes[layer]}${text.name}${layer === 'snapshot' ? '_history' : ''}`
  const fullyQualifiedName = childFqn(schema.fullyQualifiedName, name)
  const random = randomFor(fullyQualifiedName)
  const columns = columnsOf(text.noun ?? text.name, text, layer)
  const request = {
    name,
    databaseSchema: schema.fullyQualifiedName,
    displayName: titled(name),
    description: `${text.description}.`,
    tableType: layer === 'staging' ? 'View' : 'Regular',
    columns,
    tableConstraints: layer === 'source' ? constraintsOf(fullyQualifiedName, columns, keys) : [],
    tags: [tierOf(layer, random), layerTags[layer]],
    ...belongsTo(part),
    ...(layer === 'raw' && { retentionPeriod: 'P90D' }),
    extension: {
      rowCount: random.between(1, 90) * 10 ** random.between(2, 7),
      refresh: random.pick(['hourly', 'daily', 'continuous']),
    },
  }
  return {
    fullyQualifiedName,
    layer,
    part,
    domain: domainOf(part),
    schema: schema.fullyQualifiedName,
    columns,
    request,
  }
}

export const tables: readonly Table[] = schemas.flatMap((schema) => {
  const keys = keysOf(schema.database)
  return schema.tables.map((text) => tableOf(schema, text, keys))
})

const procedureOf = (schema: PlacedSchema, index: number): JsonObject => {
  const table = schema.tables[index % schema.tables.length]?.name ?? schema.name
  const refresh = index % 2 === 0
  const name = refresh ? `refresh_${table}` : `archive_${table}`
  const target = childFqn(schema.name, table)
  const code = refresh
    ? `BEGIN\n  MERGE INTO ${target} AS target USING incoming AS source ON target.${keyOf(table)} = ` +
      `source.${keyOf(table)}\n` +
      '  WHEN MATCHED THEN UPDATE SET updated_at = CURRENT_TIMESTAMP\n  WHEN NOT MATCHED THEN INSERT ALL;\nEND'
    : `BEGIN\n  INSERT INTO archive.${table} SELECT * FROM ${target} WHERE created_at < CURRENT_DATE - INTERVAL '3 years';\nEND`
  return {
    name,
    databaseSchema: schema.fullyQualifiedName,
    description: `${refresh ? 'Brings up to date' : 'Moves old rows out of'} ${target}.`,
    storedProcedureType: 'StoredProcedure',
    storedProcedureCode: { language: 'SQL', code },
    ...belongsTo(schema.part),
  }
}

export const databaseSteps = (): Step[] => [
  bulk('database services', 'services/databaseServices', databaseServiceRequests),
  bulk('databases', 'databases', databaseRequests),
  bulk(
    'schemas',
    'databaseSchemas',
    schemas.map(({ name, database, description, part }) => ({ name, database, description, ...belongsTo(part) })),
  ),
  bulk(
    'tables',
    'tables',
    tables.map(({ request }) => request),
  ),
  bulk(
    'stored procedures',
    'storedProcedures',
    schemas
      .filter(({ layer }) => layer === 'source' || layer === 'mart')
      .flatMap((schema) => [0, 1].map((index) => procedureOf(schema, index))),
  ),
]
