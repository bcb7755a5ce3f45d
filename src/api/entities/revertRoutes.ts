import { z } from 'zod'
import { invalid, notFound } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import { replaceMembers } from '../../commands/submit.ts'
import type { Reference } from '../../events/events.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import { parseBody } from '../http/body/parseBody.ts'
import { fromRow, toShownRow } from '../../projections/entities/entityRow.ts'
import type { Api } from '../deps.ts'
import type { Principals } from './kindRoutes.ts'
import * as parameters from './parameters.ts'
import { answerRow, causeOf, mustFindRow, preconditionOf, readVersion } from './reading.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'

const revertBody = z
  .strictObject({ version: z.union([z.number(), z.string()]).describe('e.g. 0.3') })
  .meta({ id: 'RevertRequest', description: 'The version that the entity is taken back to.' })

/** Takes an entity back to a version, as an ordinary change. */
export const revertRoutes = (api: Api, principals: Principals, definition: KindDefinition): Route[] =>
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
    handle: (request) => revert(api, principals, definition, request),
  }))

const wantedVersion = (body: unknown): { text: string; version: number } => {
  const given = parseBody(revertBody, body).version
  const text = typeof given === 'number' ? given.toFixed(1) : given
  const exact = typeof given !== 'number' || Number(text) === given
  const version = exact ? readVersion(text) : undefined
  if (version === undefined) throw invalid([{ path: '/version', message: 'must be a version such as 0.3' }])
  return { text, version }
}

const revert = async (
  api: Api,
  principals: Principals,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<Answer> => {
  const { text, version } = wantedVersion(request.body)
  const { id } = await mustFindRow(api, definition, request, 'non-deleted')
  const cause = causeOf(request)
  const result = await api.commands.inTurn(`patch ${id}`, async () => {
    const entity = fromRow(await mustFindRow(api, definition, request, 'non-deleted'), definition)
    const precondition = preconditionOf(request)
    precondition?.(entity)
    const old = await api.history.asOf({ kind: definition.name, id }, { version })
    if (old === undefined) throw notFound(`${definition.name} ${id} has no version ${text}.`)
    const values = await settableValues(api, definition, old)
    return replaceMembers(api.commands, definition, entity, { values }, cause, precondition)
  })
  await principals(cause)
  return answerRow(api, request, toShownRow(result.entity, definition), { position: result.position })
}

/**
 * The members of an old version that a request could set, secrets as they were sealed. References to what has been
 * deleted for good are left out, as answers leave them out.
 */
const settableValues = async (api: Api, definition: KindDefinition, old: Entity): Promise<JsonObject> => {
  const settable = Object.entries(old.members).filter(([name]) => {
    const field = definition.fields[name]
    return field !== undefined && field.readOnly !== true && field.fixed !== true
  }) as [string, Json][]
  const ids: string[] = []
  const note = (reference: Reference): boolean => {
    ids.push(reference.id)
    return true
  }
  for (const [name, value] of settable) keepReferences(definition, name, value, note)
  const found = await api.readModels.getReferences(ids)
  const isThere = ({ id }: Reference): boolean => {
    const row = found.get(id)
    return row !== undefined && row.status !== 'gone'
  }
  return Object.fromEntries(
    settable.flatMap(([name, value]) => {
      const kept = keepReferences(definition, name, value, isThere)
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

/** The value with only those references that `keep` says. */
const keepReferences = (
  definition: KindDefinition,
  name: string,
  value: Json,
  keep: (reference: Reference) => boolean,
): Json | undefined => {
  const field = definition.fields[name]
  if (field?.references === undefined) {
    return (
      field?.nested?.(value, (reference) => (keep(reference as unknown as Reference) ? reference : undefined)) ?? value
    )
  }
  if (!Array.isArray(value)) return keep(value as unknown as Reference) ? value : undefined
  return value.filter((item) => keep(item as unknown as Reference))
}
