import { Readable } from 'node:stream'
import { z } from 'zod'
import { createExample } from '../../kinds/request/createExample.ts'
import { listSchema } from '../../kinds/request/openApiSchemas.ts'
import { invalid } from '../../commands/errors.ts'
import { submitBulk, type ItemOutcome } from '../../commands/bulk.ts'
import type { makePrincipals } from '../../commands/principals.ts'
import { submit } from '../../commands/submit.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { isObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { createSchema, entitySchema, readRequest, type ReadRequest } from '../../kinds/request/requestSchema.ts'
import { toShownRow } from '../../projections/entities/entityRow.ts'
import type { Api } from '../deps.ts'
import { asWritten } from './asWritten.ts'
import { listScope, readListQuery } from './listQuery.ts'
import { streamList, streamPage } from './longList.ts'
import { mayWrite, writePrecondition } from '../auth/mayWrite.ts'
import { OversizedItem } from '../http/body/jsonText.ts'
import { pagingOf } from './paging.ts'
import { notModified } from '../http/preconditions.ts'
import { showsMore } from './present.ts'
import { problemOf } from '../http/problemDetails.ts'
import {
  answerRow,
  callerCommands,
  catchUp,
  causeOf,
  mustFindRow,
  readFields,
  readInclude,
  rowAsOf,
} from './reading.ts'
import * as parameters from './parameters.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'

export type Principals = ReturnType<typeof makePrincipals>

/** Create, upsert, bulk, list and get: the same for every kind. */
export const kindRoutes = (api: Api, principals: Principals, definition: KindDefinition): Route[] => {
  const path = `/v1/${definition.path}`
  const tag = definition.path
  const kind = definition.name
  const entity = entitySchema(definition)
  const jsonBody = {
    contentTypes: ['application/json'],
    limit: limits.body.value,
    schema: createSchema(definition),
    example: createExample(definition, api.kindNamed),
    required: true,
    lenient: true,
  }
  const found: Route['answers'] = {
    200: { description: 'The entity', schema: entity, headers: ['ETag'] },
    304: { description: 'Not modified', headers: ['ETag'] },
  }
  const routes: Route[] = [
    {
      method: 'post',
      path,
      id: `create_${kind}`,
      summary: `Create a ${kind}`,
      tag,
      permission: { operation: 'create', kind },
      parameters: parameters.preconditions,
      body: jsonBody,
      answers: { 201: { description: 'Created', schema: entity, headers: parameters.made } },
      handle: (request) => write(api, principals, definition, 'Create', request),
    },
    {
      method: 'put',
      path,
      id: `upsert_${kind}`,
      summary: `Create or update a ${kind}`,
      tag,
      permission: { operation: 'create', or: 'edit', kind },
      parameters: parameters.preconditions,
      body: jsonBody,
      answers: {
        200: { description: 'Updated, or unchanged', schema: entity, headers: parameters.written },
        201: { description: 'Created', schema: entity, headers: parameters.made },
      },
      handle: (request) => write(api, principals, definition, 'Upsert', request),
    },
    {
      method: 'get',
      path,
      id: `list_${kind}`,
      summary: `List the entities of kind ${kind}`,
      tag,
      permission: { operation: 'view', kind },
      parameters: parameters.list(definition),
      answers: {
        200: { description: 'One page', schema: listSchema(definition) },
      },
      handle: (request) => list(api, definition, request),
    },
    {
      method: 'get',
      path: `${path}/{id}`,
      id: `get_${kind}`,
      summary: `Get a ${kind} by id`,
      tag,
      permission: { operation: 'view', kind },
      parameters: [parameters.id, ...parameters.get(definition)],
      lane: ofThePast,
      answers: found,
      handle: (request) => get(api, definition, request),
    },
    {
      method: 'get',
      path: `${path}/name/{fqn}`,
      id: `get_${kind}_by_name`,
      summary: `Get a ${kind} by its fully qualified name`,
      tag,
      permission: { operation: 'view', kind },
      parameters: [parameters.fqn, ...parameters.get(definition)],
      lane: ofThePast,
      answers: found,
      handle: (request) => get(api, definition, request),
    },
  ]
  return definition.traits.bulk ? [...routes, bulkRoute(api, principals, definition)] : routes
}

const write = async (
  api: Api,
  principals: Principals,
  definition: KindDefinition,
  type: 'Create' | 'Upsert',
  request: ApiRequest,
): Promise<Answer> => {
  const parsed = readRequest(definition, request.body, type === 'Create' ? 'create' : 'upsert')
  const cause = causeOf(request)
  const precondition = await writePrecondition(api, definition, request, type, parsed.values)
  const result = await submit(callerCommands(api, request), definition, type, parsed, cause, precondition).catch(
    (error: unknown) => {
      throw asWritten(definition, request.body, error)
    },
  )
  await principals(cause)
  const row = toShownRow(result.entity, definition)
  const created = result.changed && (result.before === undefined || result.before.status === 'gone')
  if (!created) return answerRow(api, request, row, { position: result.position })
  const headers = { Location: `${request.baseUrl}/v1/${definition.path}/${row.id}` }
  return answerRow(api, request, row, { status: 201, position: result.position, headers })
}

const get = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const shown = readFields(request.query, definition, 'get')
  const include = readInclude(request.query)
  const asOf = request.query.get('asOf')
  const row =
    asOf === undefined
      ? await mustFindRow(api, definition, request, include)
      : await rowAsOf(api, definition, request, asOf)
  if (asOf === undefined && notModified(request.headers, row.revision)) {
    return { status: 304, headers: { ETag: `"${row.revision}"` } }
  }
  return answerRow(api, request, row, { shown })
}

const list = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const shown = readFields(request.query, definition, 'list')
  await catchUp(api, request)
  const narrowed = await readListQuery(api, definition, request)
  if (narrowed === undefined) return { status: 200, body: { json: { data: [], paging: { total: 0 } } } }
  const query = { ...narrowed, more: showsMore(definition, shown) }
  const scope = listScope(definition, request.query)
  if (query.limit > streamPage) {
    return { status: 200, body: Readable.from(streamList(api, query, { shown, baseUrl: request.baseUrl }, scope)) }
  }
  const page = await api.readModels.list(query)
  const texts = await api.presenter.texts(page.rows, { shown, baseUrl: request.baseUrl })
  return { status: 200, body: `{"data":[${texts.join(',')}],"paging":${JSON.stringify(pagingOf(page, scope))}}` }
}

const itemProblem = z.object({ path: z.string().describe('JSON Pointer into the item'), message: z.string() })

const bulkShape = z.object({
  status: z.enum(['success', 'partialSuccess', 'failure']),
  numberOfRowsProcessed: z.int(),
  numberOfRowsPassed: z.int(),
  numberOfRowsFailed: z.int(),
  successRequest: z.array(z.object({ request: z.string(), status: z.int() })),
  failedRequest: z.array(
    z.object({
      request: z.string(),
      status: z.int(),
      code: z.string(),
      message: z.string(),
      errors: z.array(itemProblem),
    }),
  ),
})

const bulkAnswer = bulkShape.meta({ id: 'BulkResult', description: 'What became of each item of a bulk request.' })
/** What was is worked out from the log; what is only looked up. */
const ofThePast = ({ query }: ApiRequest): 'past' | undefined => (query.has('asOf') ? 'past' : undefined)

/** So many items are done at once, like single requests; more wait for their turn. */
const fewItems = 200

const bulkRoute = (api: Api, principals: Principals, definition: KindDefinition): Route => ({
  method: 'put',
  path: `/v1/${definition.path}/bulk`,
  id: `bulk_${definition.name}`,
  summary: `Create or update many entities of kind ${definition.name}`,
  tag: definition.path,
  permission: { operation: 'bulk', kind: definition.name },
  body: {
    contentTypes: ['application/json'],
    limit: limits.bulkBody.value,
    schema: z.array(createSchema(definition)).max(limits.bulkItems.value),
    example: [createExample(definition, api.kindNamed)],
    required: true,
    lenient: true,
  },
  lane: ({ body }) => (Array.isArray(body) && body.length > fewItems ? 'large' : undefined),
  answers: { 200: { description: 'What became of each item', schema: bulkAnswer, headers: ['Catalog-Position'] } },
  handle: async (request) => {
    const { body } = request
    const may = await mayWrite(api, definition, request, request.permission)
    if (!Array.isArray(body)) throw invalid([{ path: '', message: 'must be an array of create requests' }])
    if (body.length > limits.bulkItems.value)
      throw invalid([{ path: '', message: `must have at most ${limits.bulkItems.value} items` }])
    const items = body.map((item: unknown) => readItem(definition, item))
    const cause = causeOf(request)
    const { outcomes, position } = await submitBulk(callerCommands(api, request), definition, items, cause, may)
    if (outcomes.some((outcome) => outcome.ok)) await principals(cause)
    return {
      status: 200,
      ...(position !== undefined && { headers: { 'Catalog-Position': String(position) } }),
      body: {
        json: bulkResult(
          outcomes.map((outcome, index) =>
            outcome.ok ? outcome : { ...outcome, error: asWritten(definition, body[index], outcome.error) },
          ),
        ),
      },
    }
  },
})

/** An item that has no name that can be is reported by what stands there. */
const readItem = (definition: KindDefinition, item: unknown): ReadRequest => {
  if (item instanceof OversizedItem) {
    const message = `must have at most ${limits.body.value} bytes`
    return { name: '', values: {}, cleared: [], unreadable: new Set(), problems: [{ path: '', message }] }
  }
  const read = readRequest(definition, item, 'upsert')
  return read.name === '' && isObject(item) && typeof item['name'] === 'string' ? { ...read, name: item['name'] } : read
}

const bulkResult = (outcomes: readonly ItemOutcome[]): JsonObject => {
  const passed = outcomes.filter((outcome) => outcome.ok)
  const failed = outcomes.filter((outcome) => !outcome.ok)
  const status = failed.length === 0 ? 'success' : passed.length === 0 ? 'failure' : 'partialSuccess'
  return {
    status,
    numberOfRowsProcessed: outcomes.length,
    numberOfRowsPassed: passed.length,
    numberOfRowsFailed: failed.length,
    successRequest: passed.map(({ name, created }) => ({ request: name, status: created ? 201 : 200 })),
    failedRequest: failed.map(({ name, error }) => failedItem(name, error)),
  }
}

const failedItem = (request: string, error: unknown): Json => {
  const { problem } = problemOf(error)
  const { status, code, message, errors } = problem
  return { request, status, code, message, errors: errors as unknown as Json }
}
