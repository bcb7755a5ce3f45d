import { candidateIds } from '../../commands/context.ts'
import { entityOf, lifeOf } from '../../events/lives.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import type { Precondition } from '../../commands/unitOfWork/request.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { KindDefinition, ReferenceInput } from '../../kinds/defineKind.ts'
import { descendantKinds } from '../../kinds/index.ts'
import type { Api } from '../deps.ts'
import type { Permission } from './policies.ts'
import { HttpError } from '../http/problemDetails.ts'
import { mustBeAllowed, ownLives } from '../entities/reads/owners.ts'
import { preconditionOf } from '../entities/writeRequest.ts'
import type { ApiRequest } from '../http/route.ts'

/** Throws HttpError FORBIDDEN when the caller may not do this to the entity that a write meets. */
export type MayWrite = (entity: Entity | undefined, values: JsonObject) => void

/**
 * Whether the caller may write entities of a kind: `create` or `edit`, which for one that is deleted also the kinds
 * below need, and ownership where the permission is for owners alone.
 * @param also what else was asked of the caller, such as bulk
 * @throws HttpError FORBIDDEN
 */
export const mayWrite = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  also: Permission = 'yes',
): Promise<MayWrite> => {
  const kind = definition.name
  const permissionTo = (operation: 'create' | 'edit') => api.permits(request.actor, operation, kind)
  if (permissionTo('create') === 'no') mustBeAllowed(api, request, 'edit', definition)
  const limited = [also, permissionTo('create'), permissionTo('edit')].includes('ifOwner')
  const own = new Set(limited ? await ownLives(api, request.actor.name) : [])
  const mustOwn = (operation: 'create' | 'edit', owners: () => string[]): void => {
    const granted = [also, mustBeAllowed(api, request, operation, definition)]
    if (!granted.includes('ifOwner') || owners().some((life) => own.has(life))) return
    throw new HttpError('FORBIDDEN', `Only its owners may ${operation} this ${kind}.`)
  }
  const mustBringBack = (): void => {
    const kept = descendantKinds(kind).find(
      ({ name, dependent }) => !dependent && api.permits(request.actor, 'edit', name) === 'no',
    )
    if (kept === undefined) return
    throw new HttpError(
      'FORBIDDEN',
      `This would restore what was deleted with it, and your roles do not allow edit on ${kept.name}.`,
    )
  }
  return (entity, values) => {
    if (entity?.status === 'deleted') mustBringBack()
    if (isThere(entity)) mustOwn('edit', () => referencesIn(entity.members, 'owners').map(lifeOf))
    else mustOwn('create', () => [...own].filter((life) => ownersIn(api, definition, values).includes(entityOf(life))))
  }
}

const isThere = (entity: Entity | undefined): entity is Entity => entity !== undefined && entity.status !== 'gone'

const ownersIn = (api: Api, definition: KindDefinition, values: JsonObject): string[] => {
  const owners = Array.isArray(values['owners']) ? (values['owners'] as ReferenceInput[]) : []
  return owners.flatMap((owner) =>
    candidateIds(owner, definition.fields['owners']?.references?.kinds ?? [], api.kindNamed),
  )
}

/** What must hold of the entity that a POST or PUT meets: preconditions of its headers, and {@link mayWrite}. */
export const writePrecondition = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  type: 'Create' | 'Upsert',
  values: JsonObject,
): Promise<Precondition> => {
  const demanded = preconditionOf(request)
  const may = await mayWrite(api, definition, request)
  return (entity) => {
    if (type === 'Upsert' || !isThere(entity)) may(entity, values)
    demanded?.(entity)
  }
}
