import { pullParameters, streamParameters } from '../feed/feedRoutes.ts'
import { route, pathParameter, ok, jsonAnswer, type Answer, type Parameter, type Route } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import { cloudEventSchema } from '../../events/eventSchemas.ts'
import { eventTypes, reference, verbs, type EventType } from '../../events/verbs.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import type { Field, KindDefinition } from '../../kinds/defineKind.ts'
import { cloudEventType, dataSchemaOf } from '../../subscriptions/feed/cloudEvent.ts'
import { memoize } from '../../shared/memoize.ts'
import { storedKinds } from '../../kinds/registry/kinds.ts'
import { version } from '../../shared/version.ts'
import { jsonSchema } from './openapi.ts'

/** A schema with its definitions where they are used; what contains itself may be anything there. */
const inlined = (schema: z.ZodType): JsonObject => {
  const { definitions, ...rest } = jsonSchema(schema, { target: 'draft-7' })
  const resolve = (value: Json): Json =>
    JSON.parse(JSON.stringify(value), (_, part: Json) => {
      const name = isObject(part) && typeof part['$ref'] === 'string' ? part['$ref'].split('/').at(-1) : undefined
      if (name === undefined) return part
      return name.startsWith('__') ? {} : resolve((definitions as JsonObject)[name] as Json)
    }) as Json
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
          type: { type: 'string', enum: kinds.map(({ name }) => cloudEventType(name, type)) },
          data: { $ref: `#/components/schemas/${type}` },
        },
      },
    ],
  },
})

const channel = (address: string | null, title: string, description: string): JsonObject => ({
  address,
  title,
  description,
  ...(address !== null && { servers: [{ $ref: '#/servers/catalog' }] }),
  messages: Object.fromEntries(eventTypes.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
})

const operation = (name: string, title: string, binding: JsonObject): JsonObject => ({
  action: 'send',
  channel: { $ref: `#/channels/${name}` },
  title,
  messages: eventTypes.map((type) => ({ $ref: `#/channels/${name}/messages/${type}` })),
  bindings: { http: { ...binding, bindingVersion: '0.3.0' } },
})

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
    'Server-sent events: `id` is the position in the log, `data` the CloudEvent. `Last-Event-ID` resumes.',
  ),
  pull: channel('/v1/events', 'Pull', 'Pages `{data: [CloudEvent…], paging: {after}}`; `wait` makes it a long poll.'),
  webhook: channel(
    null,
    'Webhook',
    'A POST for each event to an endpoint that was set up under `/v1/webhooks`, signed after Standard Webhooks.',
  ),
}

const get = (parameters: readonly Parameter[]): JsonObject => {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const properties = inQuery.map(({ name, description: says, schema }): [string, Json] => [
    name,
    { ...jsonSchema(schema, { target: 'draft-7', io: 'input' }), description: says },
  ])
  return { method: 'GET', query: { type: 'object', properties: Object.fromEntries(properties) } }
}

const operations: JsonObject = {
  streamEvents: operation('stream', 'Follow the events as they happen', get(streamParameters)),
  pullEvents: operation('pull', 'Read the next events', get(pullParameters)),
  deliverEvents: operation('webhook', 'Be sent the events', { method: 'POST' }),
}

const componentsOf = memoize((kinds: readonly KindDefinition[]): JsonObject => ({
  messages: Object.fromEntries(eventTypes.map((type) => [type, messageOf(type, kinds)])),
  schemas: {
    CloudEvent: inlined(cloudEventSchema),
    ...Object.fromEntries(eventTypes.map((type) => [type, inlined(verbs[type].schema)])),
  },
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
}))

/** The AsyncAPI 3 document of the change feed, from the event definitions. @param baseUrl absolute URL of `/api` */
export const asyncApiDocument = (baseUrl: string): JsonObject => ({
  asyncapi: '3.0.0',
  info: { title: 'Metadata catalog: change feed', version, description },
  defaultContentType: 'application/cloudevents+json',
  servers: servers(baseUrl),
  channels,
  operations,
  components: componentsOf(storedKinds),
})

const shared = { tag: 'events' } as const
const ofSchemas = { ...shared, permission: { operation: 'feed', or: 'view' } } as const

const headers = { 'Access-Control-Allow-Origin': '*' }

/** The schema of a value without the nested references that events keep. */
const outside = (schema: z.ZodType): z.ZodType => {
  const { type } = jsonSchema(schema)
  return type === 'array' ? z.array(z.looseObject({})) : type === 'object' ? z.looseObject({}) : z.json()
}

/** The schema of a member in events: references as such, secrets masked. */
const memberSchema = (field: Field): z.ZodType => {
  const value = field.answer ?? field.schema
  const stored =
    field.references === undefined
      ? field.nested === undefined
        ? value
        : outside(value)
      : field.references.many
        ? z.array(reference)
        : reference
  return (field.description === undefined ? stored : stored.describe(field.description)).optional()
}

const membersOf = ({ fields }: KindDefinition): z.ZodType =>
  z.looseObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, memberSchema(field)])))

const dataOf = (kind: KindDefinition, type: EventType): z.ZodType => {
  if (type === 'Created') return z.object({ name: z.string(), parent: reference.optional(), members: membersOf(kind) })
  if (type === 'Updated') return z.object({ set: membersOf(kind), unset: z.array(z.string()) })
  return verbs[type].schema
}

/** The JSON Schema for the `dataschema` of a CloudEvent. */
export const typedSchema = (kind: KindDefinition, type: EventType): JsonObject => {
  const description = `${verbs[type].schema.description ?? type}. ${kind.description}`
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: dataSchemaOf(kind.name, type),
    title: `${kind.name}.${type}`,
    ...jsonSchema(dataOf(kind, type)),
    description,
  }
}

const registryEntry = z
  .object({
    dataschema: z.string().describe('What a CloudEvent names it by; the `$id` of the schema'),
    type: z.string().describe('`type` of the CloudEvents'),
    href: z.string().describe('Where the schema is'),
  })
  .meta({ id: 'EventSchemaEntry' })

const registry = z.object({ data: z.array(registryEntry) }).meta({ id: 'EventSchemaList' })

/** What has a schema of its own. */
const typed = storedKinds.flatMap((kind) => eventTypes.map((type) => ({ kind, type })))

/** Routes of the AsyncAPI document and the event schemas. */
export const asyncApiRoutes: Route[] = [
  route('get', '/asyncapi.json', 'read_asyncapi', {
    ...shared,
    permission: 'open',
    summary: 'The AsyncAPI document of the change feed',
    answers: ok('AsyncAPI 3', z.looseObject({ asyncapi: z.string() }).meta({ id: 'AsyncApi' })),
    handle: async ({ baseUrl }) => jsonAnswer(asyncApiDocument(baseUrl), { headers }),
  }),
  route('get', '/v1/events/schemas', 'list_event_schemas', {
    ...ofSchemas,
    summary: 'All schemas of events, by kind and event type',
    answers: ok('Every schema that `dataschema` may name', registry),
    handle: async ({ baseUrl }): Promise<Answer> => {
      const data = typed.map(({ kind, type }) => ({
        dataschema: dataSchemaOf(kind.name, type),
        type: cloudEventType(kind.name, type),
        href: `${baseUrl}/v1/events/schemas/${kind.name}/${type}`,
      }))
      return jsonAnswer({ data }, { headers })
    },
  }),
  route('get', '/v1/events/schemas/{kind}/{type}', 'read_typed_event_schema', {
    ...ofSchemas,
    summary: 'The JSON Schema of the data of the events of a kind and type',
    parameters: [pathParameter('kind', 'Kind'), pathParameter('type', 'Event type')],
    answers: ok('JSON Schema, draft 2020-12', z.looseObject({ $id: z.string() }).meta({ id: 'JsonSchema' })),
    handle: async ({ params }): Promise<Answer> => {
      const found = typed.find(({ kind, type }) => kind.name === params['kind'] && type === params['type'])
      if (found === undefined)
        throw notFound(`There are no events ${params['kind']}.${params['type']}; /v1/events/schemas lists all.`)
      return jsonAnswer(typedSchema(found.kind, found.type), { headers })
    },
  }),
]
