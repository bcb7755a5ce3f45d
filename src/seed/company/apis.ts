import type { JsonObject } from '../../shared/json.ts'
import { titled } from '../columnNames.ts'
import { collectionsText } from '../vocabulary/assets.ts'
import { belongsTo } from './people.ts'
import { bulk, type Step } from './step.ts'

const base = 'https://api.juniper-outfitters.example'

const services: readonly JsonObject[] = [
  {
    name: 'shop_api',
    serviceType: 'Rest',
    displayName: 'Shop API',
    description: 'What the site, the app and partners call.',
    connection: {
      config: { type: 'Rest', openAPISchemaURL: `${base}/openapi.json`, tokenFile: '/run/secrets/gateway' },
    },
  },
]

interface Collection {
  readonly name: string
  readonly part: string
  readonly resource: string
  readonly fields: readonly JsonObject[]
}

const collections: readonly Collection[] = collectionsText
  .trim()
  .split('\n')
  .map((line) => {
    const [head = '', tail = ''] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]
    const [name = '', part = ''] = head.split('/').map((word) => word.trim())
    const [resource = '', ...fields] = tail.split(' ')
    return { name, part, resource, fields: fields.map(fieldOf) }
  })

function fieldOf(text: string): JsonObject {
  const [name = '', type = ''] = text.split(':')
  return { name, dataType: type === 'time' ? 'TIMESTAMP' : type.toUpperCase(), description: `${titled(name)}.` }
}

const page = (fields: readonly JsonObject[]): JsonObject[] => [
  { name: 'data', dataType: 'ARRAY', description: 'The items of the page.', children: [...fields] },
  { name: 'next', dataType: 'STRING', description: 'Cursor of the next page.' },
]

const schema = (schemaFields: readonly JsonObject[]): JsonObject => ({
  schemaType: 'JSON',
  schemaFields: [...schemaFields],
})

const endpointsOf = ({ name, part, resource, fields }: Collection): JsonObject[] => {
  const endpoint = (verb: string, requestMethod: string, path: string, does: string, more: JsonObject): JsonObject => ({
    name: `${verb}_${resource}`,
    apiCollection: `shop_api.${name}`,
    endpointURL: `${base}/${resource}${path}`,
    requestMethod,
    description: `${does} ${resource}.`,
    ...more,
    ...belongsTo(part),
  })
  return [
    endpoint('list', 'GET', '', 'Lists', { responseSchema: schema(page(fields)) }),
    endpoint('get', 'GET', '/{id}', 'Gets one of the', { responseSchema: schema(fields) }),
    endpoint('create', 'POST', '', 'Adds to the', { requestSchema: schema(fields), responseSchema: schema(fields) }),
    endpoint('change', 'PATCH', '/{id}', 'Changes one of the', {
      requestSchema: schema(fields),
      responseSchema: schema(fields),
    }),
    endpoint('remove', 'DELETE', '/{id}', 'Removes one of the', {}),
  ]
}

export const apiSteps = (): Step[] => [
  bulk('API services', 'services/apiServices', services),
  bulk(
    'API collections',
    'apiCollections',
    collections.map(({ name, part }) => ({
      name,
      service: 'shop_api',
      endpointURL: `${base}/${name}`,
      description: `Everything about ${name}.`,
      ...belongsTo(part),
    })),
  ),
  bulk('API endpoints', 'apiEndpoints', collections.flatMap(endpointsOf)),
]
