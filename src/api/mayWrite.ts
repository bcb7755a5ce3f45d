import { candidateIds } from '../commands/context.ts'
import { referencesIn } from '../commands/evolve.ts'
import type { Precondition } from '../commands/handleCommand.ts'
import type { JsonObject } from '../json.ts'
import type { KindDefinition, ReferenceInput } from '../kinds/defineKind.ts'
import type { Api } from './deps.ts'
import { HttpError } from './problemDetails.ts'
import { mustBeAllowed, ownIds, preconditionOf } from './reading.ts'
import type { ApiRequest } from './route.ts'

/**
 * What must hold of the entity that a POST or PUT meets: the preconditions of its headers, and that the caller may do this.
 * Changing what is there needs the permission to edit; who may create only what he owns must be among the owners.
 * @param values the parsed request
 */
export const writePrecondition = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  type: 'Create' | 'Upsert',
  values: JsonObject,
): Promise<Precondition> => {
  const demanded = preconditionOf(request)
  const limited = request.permission === 'ifOwner' || api.permits(request.actor, 'edit', definition.name) === 'ifOwner'
  const own = new Set(limited ? await ownIds(api, request) : [])
  const wanted = (): string[] => {
    const owners = Array.isArray(values['owners']) ? (values['owners'] as ReferenceInput[]) : []
    return owners.flatMap((owner) => candidateIds(owner, definition.fields['owners']?.references?.kinds ?? [], api.kindNamed))
  }
  return (entity) => {
    const present = entity === undefined || entity.status === 'gone' ? undefined : entity
    if (present === undefined) mustBeAmong(request.permission, own, wanted, `create this ${definition.name}`)
    else if (type === 'Upsert') {
      const permission = mustBeAllowed(api, request, 'edit', definition)
      mustBeAmong(permission, own, () => referencesIn(present.members, 'owners').map(({ id }) => id), `edit this ${definition.name}`)
    }
    demanded?.(entity)
  }
}

const mustBeAmong = (permission: 'yes' | 'ifOwner', own: ReadonlySet<string>, owners: () => string[], what: string): void => {
  if (permission === 'yes' || owners().some((id) => own.has(id))) return
  throw new HttpError('FORBIDDEN', `Only its owners may ${what}.`)
}
