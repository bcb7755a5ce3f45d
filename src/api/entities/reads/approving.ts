import { incarnationKey } from '../../../events/events.ts'
import { tell } from '../../../events/verbs.ts'
import { referencesIn, type Entity } from '../../../commands/evolve.ts'
import { DomainError } from '../../../commands/errors.ts'
import type { Context } from '../../../commands/caller.ts'
import type { EntityRow } from '../../../projections/entities/row.ts'
import type { Api } from '../../deps.ts'
import type { ApiRequest, Permission } from '../../http/route.ts'
import { ownLives } from './callerReads.ts'

/** Members whose users may decide on an entity's changes, with `isOwner` permission. */
const deciding = ['owners', 'reviewers'] as const

type Asking = Pick<ApiRequest, 'actor'>

/** Makes the check who may decide on changes: users who may make them, and approvers; never on their own proposals. */
export const decider = async (api: Api, { actor }: Asking) => {
  const own = new Set(await ownLives(api, actor.name))
  const isAmong = ({ edges }: Pick<EntityRow, 'edges'>, members: readonly string[]): boolean =>
    edges.some(({ rel, target }) => members.includes(rel) && own.has(target))
  const granted = (permission: Permission, row: EntityRow, members: readonly string[]): boolean =>
    permission === 'yes' || (permission === 'ifOwner' && isAmong(row, members))
  const permissionTo = (operation: 'edit' | 'approve', kind: string) => api.permits(actor, operation, kind)
  return (row: EntityRow, proposer: string): boolean =>
    proposer !== actor.name &&
    (granted(permissionTo('approve', row.kind), row, deciding) ||
      granted(permissionTo('edit', row.kind), row, ['owners']))
}

/** Whether the caller may approve changes of this entity. */
const approves = async (api: Api, { actor }: Asking, { kind, members }: Entity): Promise<boolean> => {
  const permission = api.permits(actor, 'approve', kind)
  if (permission !== 'ifOwner') return permission === 'yes'
  const own = new Set(await ownLives(api, actor.name))
  return deciding.flatMap((name) => referencesIn(members, name)).some((one) => own.has(incarnationKey(one)))
}

/** Refuses changes of members that need approval, unless the caller may approve them. */
export const needsSecondPerson = (api: Api, request: Asking): Context['mayChange'] => {
  const { needsApproval } = api
  if (needsApproval === undefined) return undefined
  return async (definition, entity, events) => {
    const domains = referencesIn(entity.members, 'domains').map(({ fullyQualifiedName }) => fullyQualifiedName)
    const updates = events.filter(({ type }) => type === 'Updated')
    const changed = [...new Set(updates.flatMap((event) => tell(event).changed))]
    const needing = needsApproval(definition.name, domains, changed)
    if (needing.length === 0 || (await approves(api, request, entity))) return
    throw new DomainError(
      'forbidden',
      `Changes of ${needing.join(', ')} of ${definition.name} ${entity.fullyQualifiedName} need a second person: ` +
        `propose it with POST /v1/${definition.path}/${entity.id}/proposals.`,
    )
  }
}
