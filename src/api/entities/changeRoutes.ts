import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import type { Result } from '../../commands/handleCommand.ts'
import { onLatest, unmoved } from '../../commands/onLatest.ts'
import type { Cause } from '../../commands/recording.ts'
import { deleteEntity, replaceMembers, restoreEntity } from '../../commands/submit.ts'
import { isObject, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { jsonPointer } from '../../shared/jsonPointer.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'
import { jsonPatchSchema, mergePatchSchema } from '../../kinds/request/openApiSchemas.ts'
import { entitySchema, readRequest } from '../../kinds/request/requestSchema.ts'
import { descendantKinds } from '../../kinds/index.ts'
import { isUuid } from '../../kinds/names.ts'
import { fromRow, toShownRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { ListKey } from '../../projections/entities/port.ts'
import { asWritten } from './asWritten.ts'
import type { Api } from '../deps.ts'
import type { Principals } from './kindRoutes.ts'
import * as parameters from './parameters.ts'
import { HttpError } from '../http/problemDetails.ts'
import { applyPatch, readOnlyProblems, settableMembers } from '../patch/patch.ts'
import {
  answerRow,
  callerCommands,
  causeOf,
  mustBeAllowed,
  mustFindRow,
  mustOwn,
  preconditionOf,
  readFlag,
} from './reading.ts'
import type { Answer, ApiRequest, Parameter, Route } from '../http/route.ts'

const deleteParameters: Parameter[] = [
  { name: 'recursive', in: 'query', description: 'Delete the children too', schema: z.boolean().default(false) },
  { name: 'hardDelete', in: 'query', description: 'Delete for good', schema: z.boolean().default(false) },
  parameters.ifMatch,
]

const patchTypes = ['application/json-patch+json', 'application/merge-patch+json']

/** Patch, delete and restore: the same for every kind. */
export const changeRoutes = (api: Api, principals: Principals, definition: KindDefinition): Route[] => {
  const path = `/v1/${definition.path}`
  const kind = definition.name
  const tag = definition.path
  const entity = entitySchema(definition)
  const both = parameters.addresses.map(({ at, ...address }) => ({ ...address, path: `${path}/${at}` }))
  const patches = both.map(({ path: at, suffix, parameter }): Route => ({
    method: 'patch',
    path: at,
    id: `patch_${kind}${suffix}`,
    summary: `Change a ${kind}`,
    tag,
    permission: { operation: 'edit', kind },
    parameters: [parameter, parameters.ifMatch],
    body: {
      contentTypes: patchTypes,
      limit: limits.body.value,
      schema: mergePatchSchema(definition),
      schemas: { 'application/json-patch+json': jsonPatchSchema },
      required: true,
    },
    answers: { 200: { description: 'Changed, or unchanged', schema: entity, headers: parameters.written } },
    handle: (request) => patch(api, principals, definition, request),
  }))
  const deletes = both.map(({ path: at, suffix, parameter }): Route => ({
    method: 'delete',
    path: at,
    id: `delete_${kind}${suffix}`,
    summary: `Delete a ${kind}`,
    tag,
    permission: { operation: 'delete', kind },
    parameters: [parameter, ...deleteParameters],
    answers: {
      200: { description: 'Soft-deleted', schema: entity, headers: parameters.written },
      204: { description: 'Deleted for good', headers: ['Catalog-Position'] },
    },
    handle: (request) => remove(api, principals, definition, request),
  }))
  const restore: Route = {
    method: 'put',
    path: `${path}/restore`,
    id: `restore_${kind}`,
    summary: `Restore a soft-deleted ${kind}`,
    tag,
    permission: { operation: 'restore', kind },
    parameters: [
      { name: 'id', in: 'query', description: 'UUID; may stand in the body instead', schema: z.uuid() },
      parameters.ifMatch,
    ],
    body: {
      contentTypes: ['application/json'],
      limit: limits.body.value,
      schema: z.strictObject({ id: z.uuid() }),
      required: false,
    },
    answers: { 200: { description: 'Restored, or live already', schema: entity, headers: parameters.written } },
    problems: ['NOT_FOUND'],
    handle: (request) => bringBack(api, principals, definition, request),
  }
  return [...patches, ...deletes, restore]
}

const answerResult = (api: Api, request: ApiRequest, definition: KindDefinition, result: Result): Promise<Answer> =>
  answerRow(api, request, toShownRow(result.entity, definition), { position: result.position })

/**
 * Patches of one entity are taken one after the other, so that none fails for its neighbour, and worked out again where
 * another request or process came first, so that none is lost.
 */
const patch = async (
  api: Api,
  principals: Principals,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<Answer> => {
  const { id } = await mustFindRow(api, definition, request, 'non-deleted')
  const cause = causeOf(request)
  const result = await api.commands.inTurn(`patch ${id}`, () =>
    onLatest(api.commands, 'conflict', () => patchOnce(api, definition, request, cause)),
  )
  await principals(cause)
  return answerResult(api, request, definition, result)
}

const patchOnce = async (api: Api, definition: KindDefinition, request: ApiRequest, cause: Cause): Promise<Result> => {
  const row = await mustFindRow(api, definition, request, 'non-deleted')
  const entity = fromRow(row, definition)
  const precondition = unmoved(entity, preconditionOf(request))
  precondition(entity)
  const before = JSON.parse(await api.presenter.text(row, { shown: 'get', baseUrl: request.baseUrl })) as JsonObject
  const after = applyPatch(before, request.body, request.contentType as string)
  const members = settableMembers(definition, before, after)
  const read = readRequest(definition, members, 'replace', before)
  const problems = [...readOnlyProblems(definition, before, after), ...read.problems]
  return replaceMembers(
    callerCommands(api, request),
    definition,
    entity,
    { ...read, problems },
    cause,
    precondition,
  ).catch((error: unknown) => {
    throw asWritten(definition, members, error)
  })
}

const remove = async (
  api: Api,
  principals: Principals,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<Answer> => {
  const hard = readFlag(request.query, 'hardDelete')
  const recursive = readFlag(request.query, 'recursive')
  const permission = hard ? mustBeAllowed(api, request, 'hardDelete', definition) : request.permission
  const row = await mustFindRow(api, definition, request, hard ? 'all' : 'non-deleted')
  await mustOwn(api, request, row, permission)
  if (recursive) await mustBeAllowedBelow(api, request, hard ? 'hardDelete' : 'delete', row)
  const childKinds = api.kinds.filter((kind) => kind.parents.some((parent) => parent.kinds.includes(definition.name)))
  const entity = fromRow(row, definition)
  const cause = causeOf(request)
  const result = await deleteEntity(
    api.commands,
    definition,
    entity,
    { hard, recursive, childKinds },
    cause,
    preconditionOf(request),
  )
  await principals(cause)
  if (hard) return { status: 204, headers: { 'Catalog-Position': String(result.position) } }
  return answerResult(api, request, definition, result)
}

/** Whoever deletes or restores what stands below must be allowed to, whatever its kind; dependents go with what they are about. */
const mustBeAllowedBelow = async (
  api: Api,
  request: ApiRequest,
  operation: 'delete' | 'hardDelete' | 'restore',
  row: EntityRow,
): Promise<void> => {
  for (const kind of descendantKinds(row.kind)) {
    if (kind.dependent || api.permits(request.actor, operation, kind.name) === 'yes') continue
    const affected = operation === 'restore' ? await comesBack(api, kind, row) : await stands(api, kind, row, operation)
    if (affected)
      throw new HttpError(
        'FORBIDDEN',
        `Your roles do not allow ${operation} on ${kind.name}, and there are some below it.`,
      )
  }
}

const stands = async (
  api: Api,
  kind: KindDefinition,
  row: EntityRow,
  operation: 'delete' | 'hardDelete',
): Promise<boolean> => {
  const include = operation === 'hardDelete' ? 'all' : 'non-deleted'
  const { total } = await api.readModels.list({
    kind: kind.name,
    include,
    scopes: [row.fullyQualifiedName],
    edges: [],
    limit: 0,
  })
  return total > 0
}

/** Did the deletion of the row take something of this kind below it? */
const comesBack = async (
  api: Api,
  kind: KindDefinition,
  { deletion, fullyQualifiedName }: EntityRow,
): Promise<boolean> => {
  for (let after: ListKey | undefined; ;) {
    const page = await api.readModels.list({
      kind: kind.name,
      include: 'deleted',
      scopes: [fullyQualifiedName],
      edges: [],
      limit: 1000,
      after,
    })
    const rows = await api.readModels.getMany(page.rows.map(({ id }) => id))
    if ([...rows.values()].some((below) => below.deletion === deletion)) return true
    if (!page.hasAfter) return false
    after = page.rows.at(-1)
  }
}

const bringBack = async (
  api: Api,
  principals: Principals,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<Answer> => {
  const id = restoreId(request)
  const found = { ...request, params: { id } }
  const row = await mustFindRow(api, definition, found, 'all')
  if (row.status === 'deleted') await mustBeAllowedBelow(api, request, 'restore', row)
  const entity = fromRow(row, definition)
  const cause = causeOf(request)
  const result = await restoreEntity(api.commands, definition, entity, cause, preconditionOf(request))
  await principals(cause)
  return answerResult(api, request, definition, result)
}

const restoreId = ({ body, query }: ApiRequest): string => {
  const given = isObject(body) ? body['id'] : undefined
  const problems: Problem[] = []
  if (body !== undefined && !isObject(body)) problems.push({ path: '', message: 'must be an object {"id": …}' })
  const unknown = isObject(body) ? Object.keys(body).filter((name) => name !== 'id') : []
  for (const name of unknown) problems.push({ path: jsonPointer(name), message: 'unknown member' })
  const id = given ?? query.get('id')
  if (typeof id !== 'string' || !isUuid(id))
    problems.push({ path: '/id', message: 'must be the UUID of the entity to restore' })
  if (problems.length > 0) throw invalid(problems)
  return id as string
}
