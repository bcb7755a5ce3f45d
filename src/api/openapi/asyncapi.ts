import { route, pathParameter, ok, type Answer, type Route } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import { cloudEventSchema } from '../../events/eventSchemas.ts'
import { eventTypes, verbs, type EventType } from '../../events/verbs.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'

const jsonSchema = (schema: z.ZodType, target: 'draft-7' | 'draft-2020-12'): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target, reused: 'inline' }) as JsonObject
  return rest
}

/** The self-contained schema of an event type's data. */
export const eventSchema = (type: EventType, baseUrl: string): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `${baseUrl}/v1/events/schemas/${type}`,
  title: type,
  ...jsonSchema(verbs[type].schema, 'draft-2020-12'),
})

const components = (names: Iterable<string>, path: string): JsonObject =>
  Object.fromEntries([...names].map((name) => [name, { $ref: `#/${path}/${name}` }]))

/** A schema with its definitions inlined. */
const inlined = (schema: z.ZodType): JsonObject => {
  const { definitions, ...rest } = jsonSchema(schema, 'draft-7')
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const name = typeof value['$ref'] === 'string' ? /^#\/definitions\/(.+)$/.exec(value['$ref'])?.[1] : undefined
    const found = name === undefined ? undefined : (definitions as JsonObject | undefined)?.[name]
    if (found !== undefined && !name?.startsWith('__')) return resolve(found)
    if (name !== undefined) return {}
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member as Json)]))
  }
  return resolve(rest) as JsonObject
}

const messageOf = (type: EventType, kinds: readonly KindDefinition[]): JsonObject => ({
  name: type,
  title: type,
  summary: verbs[type].schema.description ?? '',
  contentType: 'application/cloudevents+json',
  payload: {
    allOf: [
      { $ref: '#/components/schemas/CloudEvent' },
      {
        type: 'object',
        properties: {
          type: { type: 'string', enum: kinds.map((kind) => `catalog.${kind.name}.${type}`) },
          data: { $ref: `#/components/schemas/${type}` },
        },
      },
    ],
  },
})

const query: JsonObject = {
  after: { type: 'string', description: 'Only what comes after this position; `latest`: only what is new' },
  kind: { type: 'string', description: 'Only of these kinds, comma-separated' },
  type: { type: 'string', description: 'Only of these event types, comma-separated' },
  entityId: { type: 'string', format: 'uuid' },
  domain: {
    type: 'string',
    description: 'Only of entities that had one of these domains just before or just after the event',
  },
}

const channel = (address: string | null, title: string, description: string): JsonObject => ({
  address,
  title,
  description,
  ...(address !== null && { servers: [{ $ref: '#/servers/catalog' }] }),
  messages: components(eventTypes, 'components/messages'),
})

const operation = (name: string, title: string, binding: JsonObject): JsonObject => ({
  action: 'send',
  channel: { $ref: `#/channels/${name}` },
  title,
  messages: eventTypes.map((type) => ({ $ref: `#/channels/${name}/messages/${type}` })),
  bindings: { http: { ...binding, bindingVersion: '0.3.0' } },
})

export interface AsyncApiOptions {
  readonly kinds: readonly KindDefinition[]
  readonly version: string
  /** Absolute URL of `/api`. */
  readonly baseUrl: string
}

const description =
  'Every change of every entity, in the order of the log, without gap and double, as CloudEvents 1.0. A consumer ' +
  'remembers the position of the last event that it has dealt with and goes on from there.'

const servers = (baseUrl: string): JsonObject => {
  const url = new URL(baseUrl)
  return {
    catalog: {
      host: url.host,
      protocol: url.protocol.slice(0, -1),
      pathname: url.pathname,
      security: [{ $ref: '#/components/securitySchemes/bearer' }],
    },
  }
}

const channels: JsonObject = {
  stream: channel(
    '/v1/events/stream',
    'Stream',
    'Server-sent events: `id` is the place in the log (`<position>-<tag>`), `data` the CloudEvent. ' +
      '`Last-Event-ID` resumes.',
  ),
  pull: channel('/v1/events', 'Pull', 'Pages `{data: [CloudEvent…], paging: {after}}`; `wait` makes it a long poll.'),
  webhook: channel(
    null,
    'Webhook',
    'A POST for each event to an endpoint that was set up under `/v1/webhooks`, signed after Standard Webhooks.',
  ),
}

const get = (more: JsonObject): JsonObject => ({
  method: 'GET',
  query: { type: 'object', properties: { ...query, ...more } },
})

const operations: JsonObject = {
  streamEvents: operation('stream', 'Follow the events as they happen', get({})),
  pullEvents: operation(
    'pull',
    'Read the next events',
    get({
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      wait: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
    }),
  ),
  deliverEvents: operation('webhook', 'Be sent the events', { method: 'POST' }),
}

/** The AsyncAPI 3 document of the change feed, from the event definitions. */
export const asyncApiDocument = ({ kinds, version, baseUrl }: AsyncApiOptions): JsonObject => ({
  asyncapi: '3.0.0',
  info: { title: 'Metadata catalog: change feed', version, description },
  defaultContentType: 'application/cloudevents+json',
  servers: servers(baseUrl),
  channels,
  operations,
  components: {
    messages: Object.fromEntries(eventTypes.map((type) => [type, messageOf(type, kinds)])),
    schemas: {
      CloudEvent: inlined(cloudEventSchema),
      ...Object.fromEntries(eventTypes.map((type) => [type, inlined(verbs[type].schema)])),
    },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  },
})

const shared = { tag: 'events' } as const

const headers = { 'Access-Control-Allow-Origin': '*' }

const eventSchemaRoute: Route = route('get', '/v1/events/schemas/{type}', 'read_event_schema', {
  ...shared,
  permission: { operation: 'feed', or: 'view' },
  summary: 'The JSON Schema of the data of an event type',
  parameters: [pathParameter('type', 'Event type', z.enum(eventTypes as [EventType, ...EventType[]]))],
  answers: ok('JSON Schema, draft 2020-12', z.looseObject({ $id: z.string() }).meta({ id: 'EventSchema' })),
  handle: async ({ params, baseUrl }): Promise<Answer> => {
    const type = eventTypes.find((known) => known === params['type'])
    if (type === undefined)
      throw notFound(`There is no event type ${params['type']}; there are ${eventTypes.join(', ')}.`)
    return { status: 200, body: { json: eventSchema(type, baseUrl) }, headers }
  },
})

/** Routes of the AsyncAPI document and the event schemas. */
export const asyncApiRoutes = (kinds: readonly KindDefinition[], version: string): Route[] => {
  let document: JsonObject | undefined
  return [
    route('get', '/asyncapi.json', 'read_asyncapi', {
      ...shared,
      permission: 'open',
      summary: 'The AsyncAPI document of the change feed',
      answers: ok('AsyncAPI 3', z.looseObject({ asyncapi: z.string() }).meta({ id: 'AsyncApi' })),
      handle: async ({ baseUrl }) => {
        document ??= asyncApiDocument({ kinds, version, baseUrl })
        return { status: 200, body: { json: { ...document, servers: servers(baseUrl) } }, headers }
      },
    }),
    eventSchemaRoute,
  ]
}
