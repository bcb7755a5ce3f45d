import { route, ok, pathParameter, type Answer, type Route } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import { eventTypes, reference, verbs, type EventType } from '../../events/verbs.ts'
import type { Field, KindDefinition } from '../../kinds/defineKind.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { cloudEventType, dataSchemaOf } from '../../subscriptions/feed/cloudEvent.ts'

/** The schema of a value without the nested references that events keep. */
const outside = (schema: z.ZodType): z.ZodType => {
  const { type } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' })
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

/** The schema of the data of a kind's events. */
const dataOf = (kind: KindDefinition, type: EventType): z.ZodType => {
  if (type === 'Created') return z.object({ name: z.string(), parent: reference.optional(), members: membersOf(kind) })
  if (type === 'Updated') return z.object({ set: membersOf(kind), unset: z.array(z.string()) })
  return verbs[type].schema
}

/** The JSON Schema for the `dataschema` of a CloudEvent. */
export const typedSchema = (kind: KindDefinition, type: EventType): JsonObject => {
  const written = z.toJSONSchema(dataOf(kind, type), { unrepresentable: 'any', io: 'output' }) as JsonObject
  const { $schema, ...rest } = JSON.parse(JSON.stringify(written)) as JsonObject
  const description = `${verbs[type].schema.description ?? type}. ${kind.description}`
  const named = { $schema: $schema as Json, $id: dataSchemaOf(kind.name, type), title: `${kind.name}.${type}` }
  return { ...named, ...rest, description }
}

const registryEntry = z
  .object({
    dataschema: z.string().describe('What a CloudEvent names it by; the `$id` of the schema'),
    type: z.string().describe('`type` of the CloudEvents'),
    href: z.string().describe('Where the schema is'),
  })
  .meta({ id: 'EventSchemaEntry' })

const registry = z.object({ data: z.array(registryEntry) }).meta({ id: 'EventSchemaList' })

const headers = { 'Access-Control-Allow-Origin': '*' }

/** Routes of the event schemas. */
export const typedEventRoutes = (kinds: readonly KindDefinition[]): Route[] => {
  const shared = { tag: 'events', permission: { operation: 'feed', or: 'view' } } as const
  const names = kinds.flatMap((kind) => eventTypes.map((type) => ({ kind, type })))
  return [
    route('get', '/v1/events/schemas', 'list_event_schemas', {
      ...shared,
      summary: 'All schemas of events, by kind and event type',
      answers: ok('Every schema that `dataschema` may name', registry),
      handle: async ({ baseUrl }): Promise<Answer> => {
        const data = names.map(({ kind, type }) => ({
          dataschema: dataSchemaOf(kind.name, type),
          type: cloudEventType(kind.name, type),
          href: `${baseUrl}/v1/events/schemas/${kind.name}/${type}`,
        }))
        return { status: 200, body: { json: { data } }, headers }
      },
    }),
    route('get', '/v1/events/schemas/{kind}/{type}', 'read_typed_event_schema', {
      ...shared,
      summary: 'The JSON Schema of the data of the events of a kind and type',
      parameters: [pathParameter('kind', 'Kind'), pathParameter('type', 'Event type')],
      answers: ok('JSON Schema, draft 2020-12', z.looseObject({ $id: z.string() }).meta({ id: 'JsonSchema' })),
      handle: async ({ params }): Promise<Answer> => {
        const found = names.find(({ kind, type }) => kind.name === params['kind'] && type === params['type'])
        if (found === undefined)
          throw notFound(`There are no events ${params['kind']}.${params['type']}; /v1/events/schemas lists all.`)
        return { status: 200, body: { json: typedSchema(found.kind, found.type) }, headers }
      },
    }),
  ]
}
