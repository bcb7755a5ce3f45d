import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { erpSchemas, logisticsSchemas, supportSchemas } from '../vocabulary/backOffice.ts'
import { analyticsSchemas, partnerSchema, webSchema } from '../vocabulary/insight.ts'
import { parseSchemas, type SchemaText } from '../vocabulary/parse.ts'
import { shopSchemas } from '../vocabulary/shop.ts'

/** What a table of this place looks like. */
export type Layer = 'source' | 'raw' | 'staging' | 'mart' | 'snapshot'

export interface PlacedSchema {
  readonly database: string
  readonly name: string
  readonly fullyQualifiedName: string
  readonly description: string
  readonly layer: Layer
  /** The part of the business that answers for it. */
  readonly part: string
  readonly tables: SchemaText['tables']
}

const services: readonly JsonObject[] = [
  {
    name: 'shop_postgres',
    serviceType: 'Postgres',
    displayName: 'Shop database',
    description: 'Orders, customers and products of the shop.',
    connection: {
      config: {
        type: 'Postgres',
        hostPort: 'shop-db.internal:5432',
        username: 'catalog',
        passwordFile: '/run/secrets/shop-db',
        sslMode: 'verify-full',
      },
    },
  },
  {
    name: 'erp_mysql',
    serviceType: 'Mysql',
    displayName: 'ERP',
    description: 'Finance, purchasing and people.',
    connection: {
      config: {
        type: 'Mysql',
        hostPort: 'erp-db.internal:3306',
        username: 'catalog',
        passwordFile: '/run/secrets/erp-db',
      },
    },
  },
  {
    name: 'logistics_postgres',
    serviceType: 'Postgres',
    displayName: 'Logistics',
    description: 'Warehouses, parcels and shops in town.',
    connection: {
      config: {
        type: 'Postgres',
        hostPort: 'logistics-db.internal:5432',
        username: 'catalog',
        passwordFile: '/run/secrets/logistics-db',
      },
    },
  },
  {
    name: 'support_mssql',
    serviceType: 'Mssql',
    displayName: 'Service desk',
    description: 'Requests and calls of customers.',
    connection: {
      config: {
        type: 'Mssql',
        hostPort: 'support-db.internal:1433',
        username: 'catalog',
        passwordFile: '/run/secrets/support-db',
      },
    },
  },
  {
    name: 'lakehouse_snowflake',
    serviceType: 'Snowflake',
    displayName: 'Lakehouse',
    description: 'Everything that is analysed.',
    connection: {
      config: {
        type: 'Snowflake',
        account: 'juniper-eu',
        warehouse: 'CATALOG_XS',
        username: 'catalog',
        privateKeyFile: '/run/secrets/snowflake.p8',
      },
    },
  },
]

const databases: readonly { service: string; name: string; description: string; retentionPeriod?: string }[] = [
  { service: 'shop_postgres', name: 'shop', description: 'The shop, as the site and the app see it.' },
  { service: 'erp_mysql', name: 'erp', description: 'Books, purchases, people and stock.', retentionPeriod: 'P10Y' },
  { service: 'logistics_postgres', name: 'logistics', description: 'From the shelf to the door, and back.' },
  {
    service: 'support_mssql',
    name: 'support',
    description: 'Requests, calls and help articles.',
    retentionPeriod: 'P3Y',
  },
  {
    service: 'lakehouse_snowflake',
    name: 'raw',
    description: 'Copies of all sources, as they arrived.',
    retentionPeriod: 'P90D',
  },
  { service: 'lakehouse_snowflake', name: 'analytics', description: 'Cleaned, conformed and served.' },
]

/** The part of the business that answers for a source schema. */
const partOf: Readonly<Record<string, string>> = {
  orders: 'Web Shop',
  customers: 'Profiles',
  catalog: 'Assortment',
  payments: 'Payments',
  content: 'Campaigns',
  reviews: 'Reviews',
  finance: 'Accounting',
  procurement: 'Procurement',
  people: 'Workforce',
  assets: 'Controlling',
  inventory: 'Warehousing',
  shipping: 'Shipping',
  warehouse: 'Warehousing',
  returns: 'Shipping',
  stores: 'Stores',
  tickets: 'Service',
  telephony: 'Service',
  knowledge: 'Service',
  web: 'Web Analytics',
  partners: 'Campaigns',
  core: 'Reporting',
  marts_sales: 'Web Shop',
  marts_marketing: 'Campaigns',
  marts_finance: 'Controlling',
  marts_supply: 'Warehousing',
  machine_learning: 'Machine Learning',
  reporting: 'Reporting',
}

const sources: readonly { readonly service: string; readonly database: string; readonly text: string }[] = [
  { service: 'shop_postgres', database: 'shop', text: shopSchemas },
  { service: 'erp_mysql', database: 'erp', text: erpSchemas },
  { service: 'logistics_postgres', database: 'logistics', text: logisticsSchemas },
  { service: 'support_mssql', database: 'support', text: supportSchemas },
]

const placed = (
  database: string,
  layer: Layer,
  schema: SchemaText,
  part = partOf[schema.name] ?? 'Reporting',
): PlacedSchema => {
  const { name, description, tables } = schema
  return {
    database,
    name,
    fullyQualifiedName: childFqn(database, name),
    description: `${description}.`,
    layer,
    part,
    tables,
  }
}

/** All tables of a source system, named after their schema too: `orders_order_line`. */
const gathered = (schemas: readonly SchemaText[]): SchemaText['tables'] =>
  schemas.flatMap((schema) =>
    schema.tables.map((table) => ({ ...table, noun: table.name, name: `${schema.name}_${table.name}` })),
  )

const raw = 'lakehouse_snowflake.raw'
const analytics = 'lakehouse_snowflake.analytics'

const sourceSchemas = sources.flatMap(({ service, database, text }) =>
  parseSchemas(text).map((schema) => placed(`${service}.${database}`, 'source', schema)),
)

const outside = [...parseSchemas(webSchema), ...parseSchemas(partnerSchema)]

const copies = (layer: 'raw' | 'staging', database: string, prefix: string): PlacedSchema[] => [
  ...sources.map(({ database: name, text }) =>
    placed(
      database,
      layer,
      {
        name: `${prefix}${name}`,
        description: `The ${name} system, ${layer === 'raw' ? 'as it arrived' : 'cleaned and typed'}`,
        tables: gathered(parseSchemas(text)),
      },
      'Reporting',
    ),
  ),
  ...outside.map((schema) =>
    placed(database, layer, { ...schema, name: `${prefix}${schema.name}` }, partOf[schema.name]),
  ),
]

const kept = new Set(['orders', 'customers', 'catalog', 'inventory'])

const snapshots: SchemaText = {
  name: 'snapshots',
  description: 'The state of changing things over time',
  tables: sourceSchemas.filter(({ name }) => kept.has(name)).flatMap(({ tables }) => tables),
}

export const schemas: readonly PlacedSchema[] = [
  ...sourceSchemas,
  ...copies('raw', raw, ''),
  ...copies('staging', analytics, 'staging_'),
  placed(analytics, 'snapshot', snapshots),
  ...parseSchemas(analyticsSchemas).map((schema) => placed(analytics, 'mart', schema)),
]

export { databases as databaseRequests, services as databaseServiceRequests }
