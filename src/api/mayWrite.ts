import { referencesIn } from '../commands/evolve.ts'
import type { Precondition } from '../commands/handleCommand.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { buildFqn } from '../kinds/names.ts'
import type { Api } from './deps.ts'
import { HttpError } from './problemDetails.ts'
import { mustBeAllowed, ownIds, preconditionOf } from './reading.ts'
import type { ApiRequest } from './route.ts'

/**
 * What must hold of the entity that a POST or PUT meets: the preconditions of its headers, and that the caller may do this.
 * Changing what is there needs the permission to edit; who may create only what he owns must be among the owners.
 */
export const writePrecondition = async (api: Api, definition: KindDefinition, request: ApiRequest, values: JsonObject): Promise<Precondition> => {
  const demanded = preconditionOf(request)
  const limited = request.permission === 'ifOwner' || api.permits(request.actor, 'edit', definition.name) === 'ifOwner'
  const own = limited ? await ownIds(api, request) : []
  const isOwn = (reference: unknown): boolean =>
    isObject(reference) && (own.includes(String(reference['id'])) || reference['fullyQualifiedName'] === buildFqn([request.actor.name]))
  return (entity) => {
    const present = entity === undefined || entity.status === 'gone' ? undefined : entity
    const permission = present === undefined ? request.permission : mustBeAllowed(api, request, 'edit', definition)
    const owners = present === undefined ? values['owners'] : referencesIn(present.members, 'owners')
    if (permission === 'ifOwner' && !(Array.isArray(owners) && owners.some(isOwn))) {
      throw new HttpError('FORBIDDEN', `Only its owners may ${present === undefined ? 'create' : 'edit'} this ${definition.name}.`)
    }
    demanded?.(entity)
  }
}
