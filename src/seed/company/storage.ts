import type { JsonObject } from '../../shared/json.ts'
import { columnOf, titled } from '../columnNames.ts'
import { randomFor } from '../random.ts'
import { schemas } from './databases.ts'
import { belongsTo } from './people.ts'
import { bulk, type Step } from './step.ts'

const storageServices: readonly JsonObject[] = [
  {
    name: 'lake_s3',
    serviceType: 'S3',
    displayName: 'Lake',
    description: 'Files of all sources, and the models.',
    connection: {
      config: {
        type: 'S3',
        awsConfig: {
          awsRegion: 'eu-central-1',
          assumeRoleArn: 'arn:aws:iam::123456789012:role/catalog',
        },
      },
    },
  },
]

const searchServices: readonly JsonObject[] = [
  {
    name: 'shop_opensearch',
    serviceType: 'OpenSearch',
    displayName: 'Shop search',
    description: 'What the search box of the shop asks.',
    connection: {
      config: {
        type: 'OpenSearch',
        hostPort: 'https://search.internal:9200',
        username: 'catalog',
        passwordFile: '/run/secrets/storage',
      },
    },
  },
]

const buckets = [
  { name: 'juniper-landing', description: 'Files as partners and sources deliver them.' },
  { name: 'juniper-archive', description: 'What must be kept for ten years.' },
  { name: 'juniper-models', description: 'Trained models and their training data.' },
]

const container = (
  name: string,
  parent: string | undefined,
  path: string,
  description: string,
  more: JsonObject = {},
): JsonObject => ({
  name,
  service: 'lake_s3',
  ...(parent !== undefined && { parent }),
  description,
  fullPath: `s3://${path}`,
  prefix: `/${path.split('/').slice(1).join('/')}`,
  ...more,
})

const bucketRequests = buckets.map(({ name, description }) =>
  container(name, undefined, name, description, belongsTo('Reporting')),
)

const sourceSchemas = schemas.filter(({ layer }) => layer === 'source')

/** A folder for each source schema, in the landing zone. */
const folderRequests = sourceSchemas.map(({ name, description, part }) =>
  container(
    name,
    'lake_s3.juniper-landing',
    `juniper-landing/${name}`,
    `Deliveries of ${name}: ${description.toLowerCase()}`,
    belongsTo(part),
  ),
)

/** The files of the first tables of each schema, with their columns. */
const fileRequests = sourceSchemas.flatMap(({ name: schema, part, tables }) =>
  tables.slice(0, 4).map((table) => {
    const random = randomFor(`files ${schema} ${table.name}`)
    return container(
      table.name,
      `lake_s3.juniper-landing.${schema}`,
      `juniper-landing/${schema}/${table.name}`,
      `Daily files: ${table.description.toLowerCase()}.`,
      {
        dataModel: { isPartitioned: true, columns: table.columns.map((column) => columnOf(column, table.name)) },
        numberOfObjects: random.between(30, 4000),
        size: random.between(1, 900) * 2 ** 20,
        fileFormats: [random.pick(['parquet', 'csv', 'avro'])],
        tags: ['Layer.Raw'],
        ...belongsTo(part),
      },
    )
  }),
)

const field = (name: string, dataType: string, description: string, children?: JsonObject[]): JsonObject => ({
  name,
  dataType,
  description,
  ...(children !== undefined && { children }),
})

const indexNames: Readonly<Record<string, { part: string; fields: string }>> = {
  products: { part: 'Assortment', fields: 'product_number product_name brand_name category_path' },
  categories: { part: 'Assortment', fields: 'category_name category_path' },
  suggestions: { part: 'Web Analytics', fields: 'query_text search_count' },
  articles: { part: 'Campaigns', fields: 'article_title author_name topic_code' },
  help: { part: 'Service', fields: 'article_title topic_code language_code' },
  stores: { part: 'Stores', fields: 'store_name city country_code' },
  customers: { part: 'Profiles', fields: 'customer_number last_name email' },
  orders: { part: 'Web Shop', fields: 'order_number customer_number order_status' },
  tickets: { part: 'Service', fields: 'ticket_number subject_line ticket_status' },
  reviews: { part: 'Reviews', fields: 'review_title review_text product_number' },
}

const indexRequests = Object.entries(indexNames).map(([name, { part, fields }]) => ({
  name: `${name}_v3`,
  service: 'shop_opensearch',
  displayName: titled(name),
  description: `Documents that answer searches for ${name}.`,
  fields: [
    ...fields.split(' ').map((each) => field(each, 'TEXT', `${titled(each)}, analysed.`)),
    field('meta', 'OBJECT', 'Where the document came from.', [
      field('source', 'KEYWORD', 'System of record.'),
      field('indexed_at', 'DATE', 'When it was indexed.'),
    ]),
  ],
  searchIndexSettings: { number_of_shards: 3, number_of_replicas: 1, refresh_interval: '5s' },
  ...belongsTo(part),
}))

export const storageSteps = (): Step[] => [
  bulk('storage services', 'services/storageServices', storageServices),
  bulk('buckets', 'containers', bucketRequests),
  bulk('folders', 'containers', folderRequests),
  bulk('files', 'containers', fileRequests),
  bulk('search services', 'services/searchServices', searchServices),
  bulk('search indexes', 'searchIndexes', indexRequests),
]
