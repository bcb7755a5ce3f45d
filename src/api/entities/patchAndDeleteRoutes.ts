import { queryFlag, queryParameter, jsonBody, type Answer, type ApiRequest, type Route } from '../http/route.ts'
import { z } from 'zod'
import type { Context } from '../../commands/caller.ts'
import { invalidAt, notFound } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import { execute } from '../../commands/requests/execute.ts'
import { change, type Changes, pathsToGone, revertingChanges } from '../../commands/requests/change.ts'
import { remove, restore } from '../../commands/requests/remove.ts'
import { isRedacted } from '../../shared/secrets/sealed.ts'
import { runInSlices, makeYielder } from '../../shared/yieldToEventLoop.ts'
import { isObject, type JsonObject } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { jsonPatchSchema, mergePatchSchema } from '../../kinds/request/openApiSchemas.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import { toRow } from '../../projections/entities/entityRow.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import * as parameters from './parameters.ts'
import { applyPatch, changedMembers, membersOfPatch, readOnlyProblems, referenceProblems } from './patch.ts'
import { mustFindRow, makePastCheck } from './reads/addressed.ts'
import { entityFor, withMembers, type PresenterOptions } from './answers/present.ts'
import { idText, readFlag } from '../http/queryParameters.ts'
import { acceptedAnswer, executeCascading, preferParameter } from './operationRoutes.ts'
import { answerResult, causeOf, contextOf, forbiddenBelow, preconditionOf, removalPermission } from './writeRequest.ts'
import { parseBody } from '../http/readBody.ts'
import { fieldsParameter, readFields, type FieldSet } from './answers/shape.ts'
import { readVersion } from './reads/moment.ts'

const deleteParameters = [
  queryFlag('recursive', 'Delete the children too'),
  queryFlag('hardDelete', 'Hard-delete: it cannot be restored, and only its history stays'),
  parameters.ifMatchHeader,
  preferParameter,
]

const restoreRequest = z
  .strictObject({ id: idText })
  .meta({ id: 'RestoreRequest', description: 'The deleted entity to restore.' })

const patchTypes = ['application/json-patch+json', 'application/merge-patch+json']

/** The request body of a patch, in two formats. */
export const patchBody = (definition: KindDefinition): NonNullable<Route['body']> =>
  jsonBody(mergePatchSchema(definition), {
    contentTypes: patchTypes,
    schemas: { 'application/json-patch+json': jsonPatchSchema },
  })

export const patchAndDeleteRoutes = (definition: KindDefinition): KindRoute[] => {
  const { name: kind } = definition
  return [
    ...parameters.entityRoutes(definition, 'edit', 'patch', `patch_${kind}`, {
      summary: `Change a ${kind}`,
      parameters: [parameters.ifMatchHeader],
      body: patchBody(definition),
      answers: parameters.entityAnswers(definition, 'Changed, or unchanged'),
      handle: async (request) => answerResult(request, await patch(request, contextOf(request))),
    }),
    ...parameters.entityRoutes(definition, 'delete', 'delete', `delete_${kind}`, {
      summary: `Delete a ${kind}`,
      parameters: deleteParameters,
      answers: {
        ...parameters.entityAnswers(definition, 'Soft-deleted'),
        202: acceptedAnswer,
        204: { description: 'Hard-deleted', headers: ['Catalog-Position'] },
      },
      handle: removeEntity,
    }),
    parameters.kindRoute(definition, 'restore', 'put /restore', `restore_${kind}`, {
      summary: `Restore a soft-deleted ${kind}`,
      parameters: [
        queryParameter('id', 'UUID; can be in the body instead', idText),
        parameters.ifMatchHeader,
        preferParameter,
      ],
      body: jsonBody(restoreRequest, { required: false }),
      answers: { ...parameters.entityAnswers(definition, 'Restored, or live already'), 202: acceptedAnswer },
      handle: restoreEntity,
    }),
  ]
}

type PatchFunction = (before: JsonObject, entity: Entity) => Promise<JsonObject> | JsonObject

/** Applies a patch to the entity as the caller sees it, since a patch can compare and copy values. */
export const makePatchReader = (
  request: KindRequest,
  patching: PatchFunction,
  shown: Pick<PresenterOptions, 'named'> & { shown?: FieldSet },
) => {
  const { definition } = request
  return async (entity: Entity): Promise<Changes> => {
    const yieldWhenDue = makeYielder()
    const row = toRow(entity, definition)
    const before = await entityFor(request, row, shown)
    await yieldWhenDue()
    const after = await patching(before, entity)
    await yieldWhenDue()
    const written = changedMembers(definition, before, after)
    const changes = await readRequestInSlices(definition, written, 'patch')
    await yieldWhenDue()
    const refused = readOnlyProblems(definition, before, after)
    await yieldWhenDue()
    refused.push(...referenceProblems(definition, before, written, changes.unreadable))
    return { ...changes, problems: [...refused, ...changes.problems] }
  }
}

/** Applies a patch in one of its two formats to what a read whose `fields` name its members shows. */
export const patchReaderOf = (request: KindRequest, patch: unknown, contentType: string) =>
  makePatchReader(request, (before) => runInSlices(applyPatch(before, patch, contentType, request.definition)), {
    named: membersOfPatch(patch),
  })

/** Applies the patch in a request's body. */
export const patch = async (request: KindRequest, context: Context) => {
  const { id } = await mustFindRow(request, 'non-deleted')
  const precondition = preconditionOf(request)
  const read = patchReaderOf(request, request.body, request.contentType as string)
  const wanted = change(context, { definition: request.definition, id, read }, causeOf(request), precondition)
  return execute(context, wanted)
}

const removeEntity = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const hard = readFlag(request.query, 'hardDelete')
  const recursive = readFlag(request.query, 'recursive')
  const permission = removalPermission(request, hard)
  const row = await mustFindRow({ ...request, permission }, hard ? 'all' : 'non-deleted')
  const precondition = preconditionOf(request, permission)
  const forbiddenKinds = forbiddenBelow(request, hard ? 'hardDelete' : 'delete', definition.name)
  const removal = { definition, id: row.id, hard, recursive, forbiddenKinds }
  return executeCascading(
    request,
    (context) => remove(context, removal, causeOf(request), precondition),
    (result) => (hard ? { status: 204, position: result.position } : answerResult(request, result)),
  )
}

const restoreEntity = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const found = { ...request, params: { id: restoreId(request) } }
  const { id } = await mustFindRow(found, 'all')
  const precondition = preconditionOf(found)
  const forbiddenKinds = forbiddenBelow(request, 'restore', definition.name)
  return executeCascading(
    request,
    (context) => restore(context, { definition, id, forbiddenKinds }, causeOf(request), precondition),
    (result) => answerResult(request, result),
  )
}

/** The id is in the body or in the query. @throws DomainError `invalid`, also where they differ */
const restoreId = ({ body, query }: ApiRequest): string => {
  const named = query.get('id')
  const { id } = parseBody(restoreRequest, body === undefined || isObject(body) ? { id: named, ...body } : body)
  if (named !== undefined && named.toLowerCase() !== id.toLowerCase())
    throw invalidAt('/id', `differs from ?id=${named}: give one of them`)
  return id
}

const revertBody = z
  .strictObject({ version: z.union([z.number(), z.string()]).describe('e.g. 0.3') })
  .meta({ id: 'RevertRequest', description: 'The version to revert to.' })

/** Reverts an entity to a version, as an ordinary change. */
export const revertRoutes = (definition: KindDefinition): KindRoute[] =>
  parameters.entityRoutes(definition, 'edit', 'post /revert', `revert_${definition.name}`, {
    summary: `Revert a ${definition.name} to an earlier version`,
    bulkhead: 'past',
    parameters: [
      queryFlag('dryRun', 'Answers what it would become, and writes nothing'),
      fieldsParameter(definition),
      parameters.ifMatchHeader,
    ],
    body: jsonBody(revertBody),
    answers: parameters.entityAnswers(
      definition,
      'Changed, or unchanged; `unreadable` names members that stayed as they are, since what they were was erased, and ' +
        '`hardDeleted` says where references are left out, since they were to what has been hard-deleted',
    ),
    handle: revert,
  })

const wantedVersion = (body: unknown): { text: string; version: number } => {
  const given = parseBody(revertBody, body).version
  const text = typeof given === 'number' ? given.toFixed(1) : given
  const exact = typeof given !== 'number' || Number(text) === given
  const version = exact ? readVersion(text) : undefined
  if (version === undefined) throw invalidAt('/version', 'must be a version such as 0.3')
  return { text, version }
}

const revert = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const { text, version } = wantedVersion(request.body)
  const row = await mustFindRow(request, 'non-deleted')
  const { id } = row
  const maySee = await makePastCheck(request, row)
  const fields = readFields(request.query, definition, 'get')
  const dryRun = readFlag(request.query, 'dryRun')
  const context = contextOf(request, dryRun)
  let unreadable: string[] = []
  let hardDeleted: string[] = []
  const back = async (entity: Entity) => {
    const old = await request.api.history.asOf({ kind: definition.name, id }, { version })
    // The decided state may be ahead of the read log, and of another incarnation.
    if (old?.born !== entity.born || !maySee(old)) throw notFound(`${definition.name} ${id} has no version ${text}.`)
    unreadable = [...personalMembers(definition)].filter((name) => isRedacted(old.members[name]))
    hardDeleted = await pathsToGone(context, definition, old, entity)
    return revertingChanges(context, { definition, old, entity })
  }
  const wanted = change(context, { definition, id, read: back }, causeOf(request), preconditionOf(request))
  const result = await execute(context, wanted)
  const reverted = await answerResult(request, result, typeof fields === 'string' ? undefined : fields)
  // What would be written has no position and no revision yet.
  const answer = dryRun ? { ...reverted, position: undefined, revision: undefined } : reverted
  const left = Object.entries({ unreadable, hardDeleted }).filter(([, paths]) => paths.length > 0)
  return left.length === 0 ? answer : withMembers(answer, Object.fromEntries(left))
}
