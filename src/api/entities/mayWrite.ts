import { candidateIds } from '../../commands/requests/resolveRequest.ts'
import { entityOf, lifeOf } from '../../events/lives.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { KindDefinition, ReferenceInput } from '../../kinds/defineKind.ts'
import { descendantKinds } from '../../kinds/registry/kinds.ts'
import type { Api } from '../deps.ts'
import type { Permission, ApiRequest, Operation } from '../http/route.ts'
import { HttpError } from '../http/problemDetails.ts'
import { mustBeAllowed, ownLives } from './reads/callerReads.ts'

/** Throws HttpError FORBIDDEN when the caller may not do this to the entity that a write meets. */
export type MayWrite = (entity: Entity | undefined, values: JsonObject) => void

/**
 * Whether the caller may write entities of a kind: `create` or `edit`, which for one that is deleted also the kinds
 * below need, and ownership where the permission is for owners alone. A `Create` needs `create` also where the entity
 * is there. Who may not view it is refused in the same words, be it there or not.
 * @param also what else was asked of the caller, such as bulk
 * @throws HttpError FORBIDDEN
 */
export const mayWrite = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  type: 'Create' | 'Upsert',
  also: Permission = 'yes',
): Promise<MayWrite> => {
  const kind = definition.name
  const permissionTo = (operation: Operation, of = kind) => api.permits(request.actor, operation, of)
  if (permissionTo('create') === 'no') mustBeAllowed(api, request, 'edit', definition)
  const limited = [also, permissionTo('create'), permissionTo('edit')].includes('ifOwner')
  const own = new Set(limited ? await ownLives(api, request.actor.name) : [])
  const refused = (why: string): HttpError =>
    new HttpError(
      'FORBIDDEN',
      permissionTo('view') === 'yes' ? why : `You may not write this ${kind}: new ones need create, others edit.`,
    )
  const mustBe = (operation: 'create' | 'edit', owners: () => string[]): void => {
    const granted = [also, permissionTo(operation)]
    if (granted.includes('no')) throw refused(`Your roles do not allow ${operation} on ${kind}.`)
    if (!granted.includes('ifOwner') || owners().some((life) => own.has(life))) return
    throw refused(`Only its owners may ${operation} this ${kind}.`)
  }
  const mustBringBack = (): void => {
    const kept = descendantKinds(kind).find(({ name, dependent }) => !dependent && permissionTo('edit', name) === 'no')
    if (kept === undefined) return
    throw refused(`This would restore what was deleted with it, and your roles do not allow edit on ${kept.name}.`)
  }
  return (entity, values) => {
    if (type === 'Create' || !isThere(entity))
      return mustBe('create', () => [...own].filter((life) => ownersIn(api, definition, values).has(entityOf(life))))
    mustBe('edit', () => referencesIn(entity.members, 'owners').map(lifeOf))
    if (entity.status === 'deleted') mustBringBack()
  }
}

const isThere = (entity: Entity | undefined): entity is Entity => entity !== undefined && entity.status !== 'gone'

/** Ids of the owners that a request names, as far as it can be read. */
const ownersIn = (api: Api, definition: KindDefinition, values: JsonObject): ReadonlySet<string> => {
  const owners = Array.isArray(values['owners']) ? (values['owners'] as (ReferenceInput | null)[]) : []
  const kinds = definition.fields['owners']?.references?.kinds ?? []
  return new Set(owners.flatMap((owner) => (owner === null ? [] : candidateIds(owner, kinds, api.commands))))
}
