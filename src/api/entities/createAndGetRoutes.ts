import { jsonBody, type Answer } from '../http/route.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { execute } from '../../commands/requests/execute.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { createExample, createSchema, entitySchema } from '../../kinds/request/openApiSchemas.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import { bulkRoute, absentMembersNote } from './bulkRoute.ts'
import { makeWriteGuard, answerResult, causeOf, contextOf, headerPrecondition } from './writeRequest.ts'
import { mustOwn, findAddressed } from './reads/addressed.ts'
import { answerRow, withMembers } from './answers/present.ts'
import { withDependencies } from './reads/answerDependencies.ts'
import type { ViewRow } from '../../projections/entities/entityRow.ts'
import { readFlag, readParameter } from '../http/queryParameters.ts'
import { readAuthors } from './changePolicies.ts'
import { readFields } from './answers/shape.ts'
import * as parameters from './parameters.ts'

export const createAndGetRoutes = (definition: KindDefinition): KindRoute[] => {
  const kind = definition.name
  const entity = entitySchema(definition)
  const example = createExample(definition)
  const body = jsonBody(createSchema(definition), { example, flaws: 'keep' })
  const shared = { parameters: parameters.preconditions, body }
  const created = { description: 'Created', schema: entity, headers: parameters.createHeaders }
  return [
    parameters.kindRoute(definition, 'create', 'post', `create_${kind}`, {
      ...shared,
      summary: `Create a ${kind}`,
      answers: { 201: created },
      handle: (request) => make('Create', request),
    }),
    parameters.kindRoute(definition, 'create', 'put', `upsert_${kind}`, {
      ...shared,
      summary: `Create or update a ${kind}`,
      description: absentMembersNote,
      permission: { operation: 'create', or: 'edit', kind },
      answers: { ...parameters.entityAnswers(definition, 'Updated, or unchanged'), 201: created },
      handle: (request) => make('Upsert', request),
    }),
    ...parameters.entityRoutes(definition, 'view', 'get', `get_${kind}`, {
      summary: `Get a ${kind} by {address}`,
      parameters: parameters.get(definition),
      answers: parameters.validatedAnswers('The entity', entity),
      handle: (request) => withDependencies(request, get),
    }),
    ...(definition.traits.bulk ? [bulkRoute(definition)] : []),
  ]
}

const make = async (type: 'Create' | 'Upsert', request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const yieldWhenDue = makeYielder()
  const parsed = await readRequestInSlices(definition, request.body, type === 'Create' ? 'create' : 'upsert')
  const context = contextOf(request)
  const input = { type, definition, parsed, mayWrite: makeWriteGuard(request, type) }
  const wanted = write(context, input, causeOf(request), headerPrecondition(request))
  await yieldWhenDue()
  return answerResult(request, await execute(context, wanted))
}

const get = async (request: KindRequest): Promise<Answer> => {
  const shown = readFields(request.query, request.definition, 'get')
  const asOf = request.query.get('asOf')
  const include = readParameter(request.query, parameters.include)
  const { row, ...found } = await findAddressed(request, { include, asOf })
  if (!readFlag(request.query, 'provenance')) return answerRow(request, row, { shown, ...found })
  await mustSeeAuthors(request, row.id)
  return withMembers(await answerRow(request, row, { shown, ...found }), {
    provenance: await provenanceOf(request, row),
  })
}

/** @throws DomainError `forbidden` when the caller may neither edit an entity nor see its history */
const mustSeeAuthors = async (request: KindRequest, id: string): Promise<void> => {
  const { api, access, definition } = request
  const mayEdit = access.may('edit', definition.name)
  const row = mayEdit === 'yes' ? undefined : await api.readModels.get(id)
  if (await access.holds(mayEdit, row)) return
  const permission = access.must('history', definition.name)
  if (row !== undefined) await mustOwn(request, row, permission)
}

/** The author of each of its values, from the log. */
const provenanceOf = async (request: KindRequest, row: ViewRow): Promise<object> => {
  const { authors } = await readAuthors(request, row)
  return Object.fromEntries([...authors].map(([name, author]) => [name, { ...author, position: `${author.position}` }]))
}
