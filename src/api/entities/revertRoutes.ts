import { z } from 'zod'
import { invalid, notFound } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import { execute } from '../../commands/execute.ts'
import { change, changesBackTo } from '../../commands/requests/change.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import { parseBody } from '../http/body/parseBody.ts'
import type { Api } from '../deps.ts'
import * as parameters from './parameters.ts'
import { mustFindRow } from './reads/findRow.ts'
import { readVersion } from './reads/moment.ts'
import { answerResult, causeOf, contextOf, preconditionOf } from './writeRequest.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'

const revertBody = z
  .strictObject({ version: z.union([z.number(), z.string()]).describe('e.g. 0.3') })
  .meta({ id: 'RevertRequest', description: 'The version that the entity is taken back to.' })

/** Takes an entity back to a version, as an ordinary change. */
export const revertRoutes = (api: Api, definition: KindDefinition): Route[] =>
  parameters.addresses.map(({ at, suffix, parameter }) => ({
    method: 'post',
    path: `/v1/${definition.path}/${at}/revert`,
    id: `revert_${definition.name}${suffix}`,
    summary: `Make a ${definition.name} what it was in an earlier version`,
    tag: definition.path,
    permission: { operation: 'edit', kind: definition.name },
    lane: 'past',
    parameters: [parameter, parameters.ifMatch],
    body: {
      contentTypes: ['application/json'],
      limit: limits.body.value,
      required: true,
      schema: revertBody,
    },
    answers: {
      200: { description: 'Changed, or unchanged', schema: entitySchema(definition), headers: parameters.written },
    },
    handle: (request) => revert(api, definition, request),
  }))

const wantedVersion = (body: unknown): { text: string; version: number } => {
  const given = parseBody(revertBody, body).version
  const text = typeof given === 'number' ? given.toFixed(1) : given
  const exact = typeof given !== 'number' || Number(text) === given
  const version = exact ? readVersion(text) : undefined
  if (version === undefined) throw invalid([{ path: '/version', message: 'must be a version such as 0.3' }])
  return { text, version }
}

const revert = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const { text, version } = wantedVersion(request.body)
  const { id } = await mustFindRow(api, definition, request, 'non-deleted')
  const context = contextOf(api, request)
  const back = async (entity: Entity) => {
    const old = await api.history.asOf({ kind: definition.name, id }, { version })
    if (old === undefined) throw notFound(`${definition.name} ${id} has no version ${text}.`)
    return changesBackTo(context, definition, old, entity)
  }
  const wanted = change(context, definition, { id, read: back }, causeOf(request), preconditionOf(request))
  return answerResult(api, request, definition, await execute(context, wanted))
}
