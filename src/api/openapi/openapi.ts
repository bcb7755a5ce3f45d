import { z } from 'zod'
import { isObject, objectsOf, sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import { memoize } from '../../shared/memoize.ts'
import { version } from '../../shared/version.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import { headerComponents, headerParameters, headerReferences, headersOfProblem } from '../http/headers.ts'
import { storedKinds } from '../../kinds/registry/kinds.ts'
import { problemCodes, type ProblemCode } from '../http/problemDetails.ts'
import type { Parameter, RequestBody, Route } from '../http/route.ts'

/** Descriptions of tags: those of kinds, and of routes without one. */
const tagDescriptions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(storedKinds.map(({ path, description }) => [path, description])),
  events: 'The change feed: every event, in the order of the log, as CloudEvents.',
  requests: 'Everything that a request did, including cascades and bulks, and undoing it as a whole.',
  agents: 'The Model Context Protocol, for agents.',
  activity: 'Who did what and when, for people, newest first.',
  inbox: 'Events that concern the caller, read marks, and notification channels.',
  operations: 'Deletions and restores that continue after their response: progress and outcome.',
  audit: 'The log as a Merkle tree: signed checkpoints, and proofs that anybody can verify.',
  coverage: 'How many assets are described, owned, classified, under contract and tested, now and over time.',
  lineage: 'Where the data of assets comes from and where it goes, now and at any moment, as reported by sources.',
  webhooks: 'Signed events delivered to endpoints, with retries and dead letters.',
  search: 'Search across all kinds, and suggestions for type-ahead.',
  tokens: 'Named tokens of programs, which can be listed and revoked.',
  session: 'Signing in to the console, and the signed-in user.',
  system: 'Health, metrics, versions, and the documents of this API.',
}

const bearer: JsonObject = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: [
    'The token identifies the caller. `catalog token --user me --role Admin` prints one if the service signs its own tokens;',
    'otherwise your identity provider issues them. `POST /v1/tokens` creates one for a program.',
    'A browser that is signed in to the console needs no token: its session is used.',
  ].join(' '),
}

const problemName = 'Problem'

const problemSchema: JsonObject = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  required: ['type', 'title', 'status', 'code', 'message', 'detail', 'instance', 'errors'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Identifies the kind of problem; one for each code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    message: { type: 'string', description: 'What is wrong and what to do about it.' },
    detail: { type: 'string', description: 'The same as message.' },
    instance: { type: 'string', format: 'uri', description: 'This occurrence, as the service log has it.' },
    correlationId: {
      type: 'string',
      description: 'Id of the request, as in `X-Request-ID` and in the log; absent if no request could be read.',
    },
    errors: {
      type: 'array',
      description: 'Each thing wrong with the body.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            pattern: '^(\\?.*|(/([^~]|~[01])*)*)$',
            description:
              'JSON Pointer into the body, with the names of answers (`owners`); `?name` for a query parameter.',
          },
          message: { type: 'string' },
          line: { type: 'integer', description: 'Line in a text such as YAML, from 1.' },
          column: { type: 'integer' },
        },
      },
    },
  },
}

/** Whether the route is an upsert, which has no conflict. */
const isUpsert = ({ method, permission }: Route): boolean =>
  method === 'put' &&
  typeof permission === 'object' &&
  (permission.operation === 'create' || permission.operation === 'bulk')

/** The problems that a route may answer with; some of them answer with fewer. */
const problemsOf = (route: Route): ProblemCode[] => [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'NOT_ACCEPTABLE',
  'EXPECTATION_FAILED',
  'TOO_MANY_REQUESTS',
  'HEADERS_TOO_LARGE',
  ...(route.permission === 'open' ? [] : (['PRECONDITION_FAILED'] as const)),
  ...(route.permission === 'open' || isUpsert(route) ? [] : (['CONFLICT'] as const)),
  ...(route.body === undefined ? [] : (['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  'INTERNAL',
  'UNAVAILABLE',
]

/** The JSON Schema of an answer, or of an input, without `$schema`; what JSON Schema cannot say allows everything. */
export const jsonSchema = (
  schema: z.ZodType,
  options: { readonly target?: 'draft-7'; readonly io?: 'input' | 'output' } = {},
  revive?: (key: string, value: Json) => Json,
): JsonObject => {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { ...options, unrepresentable: 'any' })
  return JSON.parse(JSON.stringify(written), revive) as JsonObject
}

/** What differs in OpenAPI: where definitions stand, and how generators understand what can be null. */
const inOpenApi = (key: string, value: Json): Json =>
  key === '$ref' && typeof value === 'string'
    ? value.replace('#/$defs/', '#/components/schemas/')
    : isObject(value)
      ? nullable(value)
      : value

/**
 * Converts zod schemas to JSON Schema; those with an id (`schema.meta({id})`) become components.
 * @throws Error for an id of two schemas, or of one that is another in answers than in requests
 */
const makeSchemaWriter = () => {
  const components: Record<string, Json> = {}
  const convert = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { $defs, properties } = jsonSchema(z.object({ it: schema }), { io }, inOpenApi) as Record<string, JsonObject>
    for (const [name, definition] of Object.entries($defs ?? {})) {
      const { id: _, ...shape } = definition as JsonObject
      if (!sameJson((components[name] ??= shape), shape)) throw new Error(`There are two schemas ${name}.`)
    }
    return properties?.['it'] ?? {}
  }
  return {
    components,
    input: memoize((schema: z.ZodType) => convert(schema, 'input')),
    output: memoize((schema: z.ZodType) => convert(schema, 'output')),
  }
}

type SchemaWriter = ReturnType<typeof makeSchemaWriter>

/** A nullable schema in the form that most generators understand. */
const nullable = (schema: JsonObject): JsonObject => {
  const { anyOf, ...around } = schema
  const choices = objectsOf(anyOf)
  const [choice, ...others] = choices.filter(({ type }) => type !== 'null')
  if (choice === undefined || others.length > 0 || choices.length !== 2) return schema
  if (typeof choice['type'] === 'string') {
    const { enum: values } = choice
    return {
      ...around,
      ...choice,
      type: [choice['type'], 'null'],
      ...(Array.isArray(values) && { enum: [...values, null] }),
    }
  }
  const { $ref, ...described } = choice
  return $ref === undefined ? schema : { ...around, ...described, oneOf: [{ $ref }, { type: 'null' }] }
}

const parameterObject = (parameter: Parameter, writer: SchemaWriter): JsonObject => ({
  name: parameter.name,
  in: parameter.in,
  description: parameter.description,
  required: parameter.in === 'path' || parameter.required === true,
  schema: writer.input(parameter.schema),
})

const parametersOf = (route: Route, writer: SchemaWriter): JsonObject[] => [
  ...(route.parameters ?? []).map((each) => parameterObject(each, writer)),
  ...headerParameters(route),
]

const answersOf = (route: Route, writer: SchemaWriter): JsonObject => {
  const answers: Record<string, Json> = {}
  for (const [status, answer] of Object.entries(route.answers)) {
    const { description, headers, schema, contentType = schema && 'application/json' } = answer
    answers[status] = {
      description,
      headers: headerReferences(headers),
      ...(contentType !== undefined && {
        content: { [contentType]: { schema: schema === undefined ? {} : writer.output(schema) } },
      }),
    }
  }
  for (const code of problemsOf(route)) {
    answers[problemCodes[code].status] ??= { $ref: `#/components/responses/${code}` }
  }
  return answers
}

const mediaOf = ({ schema, schemas, example }: RequestBody, type: string, writer: SchemaWriter): JsonObject => ({
  schema: writer.input(schemas?.[type] ?? schema),
  ...(example !== undefined && schemas?.[type] === undefined && { example }),
})

const permissionOf = ({ permission }: Route): string => {
  if (permission === 'open') return 'Needs no token.'
  if (permission === 'signedIn') return 'Needs a token, or to be signed in; no permission.'
  const { operation, or, kind } = permission
  const on = kind === undefined ? '' : ` on ${kind}`
  return `Needs ${or === undefined ? '' : `\`${operation}\` or `}\`${or ?? operation}\`${on}.`
}

const operationOf = (route: Route, writer: SchemaWriter): JsonObject => {
  const parameters = parametersOf(route, writer)
  const { body } = route
  return {
    operationId: route.id,
    summary: route.summary,
    description: [route.description ?? `${route.summary}.`, permissionOf(route)].join('\n\n'),
    tags: [route.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: Object.fromEntries(body.contentTypes.map((type) => [type, mediaOf(body, type, writer)])),
          },
        }),
    responses: answersOf(route, writer),
    ...(route.permission === 'open' ? { security: [] } : {}),
  }
}

const pathsOf = async (routes: readonly Route[], writer: SchemaWriter, root: string): Promise<JsonObject> => {
  const paths: Record<string, JsonObject> = {}
  for await (const route of inSlices(routes)) {
    const item = (paths[route.path] ??= route.atRoot === true ? { servers: [{ url: root }] } : {})
    item[route.method] = operationOf(route, writer)
  }
  return paths
}

const responsesOf = (codes: ReadonlySet<ProblemCode>): JsonObject =>
  Object.fromEntries(
    [...codes].map((code) => [
      code,
      {
        description: problemCodes[code].title,
        headers: headersOfProblem(code),
        content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${problemName}` } } },
      },
    ]),
  )

/**
 * The OpenAPI 3.1 document of the routes, built in slices that yield to the event loop.
 * @param root public base URL before `/api`; default: relative to the document
 */
export const openApiDocument = async (routes: readonly Route[], root = ''): Promise<JsonObject> => {
  const writer = makeSchemaWriter()
  const paths = await pathsOf(routes, writer, root === '' ? '/' : root)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Metadata catalog',
      version,
      description: 'Catalogue data assets and governance objects. Every change is an event; nothing is lost.',
      contact: { name: 'The maintainers of the metadata catalog' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${root}/api` }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))]
      .toSorted()
      .map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    components: {
      securitySchemes: { bearer },
      ...headerComponents(),
      responses: responsesOf(new Set(routes.flatMap(problemsOf))),
      schemas: { ...writer.components, [problemName]: problemSchema },
    },
  }
}
