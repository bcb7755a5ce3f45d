import { jsonAnswer, ok, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { forget } from '../../commands/requests/forget.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import * as parameters from '../entities/parameters.ts'
import { mustFindRow } from '../entities/reads/callerReads.ts'
import { causeOf, contextOf } from '../entities/writeRequest.ts'

const forgottenSchema = z
  .object({
    id: z.uuid(),
    fullyQualifiedName: z.string(),
    erased: z
      .array(z.string())
      .describe('Names of the members of which nothing can be read any more, now and in the past'),
  })
  .meta({ id: 'Forgotten', description: 'What was erased of an entity' })

/** Erases personal values, for kinds with personal members. */
export const forgetRoutes = (definition: KindDefinition): KindRoute[] => {
  const members = [...personalMembers(definition)]
  if (members.length === 0) return []
  return [
    {
      ...parameters.kindRoute(definition, 'forget', '/{id}/forget'),
      method: 'post',
      id: `forget_${definition.name}`,
      summary: `Erase what says who a ${definition.name} is, now and in all its past`,
      description:
        `Of ${members.join(', ')} nothing can be read any more, in no version and no event: the keys are ` +
        'destroyed that they are sealed with. ' +
        'The name stays, and an event tells who did it and when. It cannot be undone. What was deleted, also for ' +
        'good, can be forgotten too.',
      parameters: [parameters.id],
      answers: ok('Erased', forgottenSchema, ['Catalog-Position']),
      problems: ['NOT_FOUND'],
      handle: (request) => handle(request, members),
    },
  ]
}

const handle = async (request: KindRequest, erased: readonly string[]): Promise<Answer> => {
  const id = request.params['id'] as string
  // Only an existing entity has owners.
  if (request.permission === 'ifOwner') await mustFindRow(request, 'all')
  const { entity, position } = await forget(
    contextOf(request),
    { definition: request.definition, id: id.toLowerCase() },
    causeOf(request),
  )
  return jsonAnswer({ id: entity.id, fullyQualifiedName: entity.fullyQualifiedName, erased: [...erased] }, position)
}
