import { type Entity, referencesIn } from '../../../commands/evolve.ts'
import { entityOf, lifeOf, presentLife } from '../../../events/lives.ts'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { principalKind } from '../../../kinds/index.ts'
import { buildFqn, entityId } from '../../../kinds/names.ts'
import type { EntityRow } from '../../../projections/entities/row.ts'
import type { Api } from '../../deps.ts'
import { HttpError } from '../../http/problemDetails.ts'
import type { ApiRequest } from '../../http/route.ts'
import { noSuch } from './named.ts'

/** The life that an entity has, or that its next creation begins. */
export const lifeIn = (id: string, row: EntityRow | undefined): string =>
  row === undefined ? id : presentLife(row.status === 'gone' ? { id, born: row.revision + 1n } : row)

/** Lives whose things are somebody's: his own, or the one that his first write begins, and those of his teams. */
export const ownLives = async (api: Pick<Api, 'readModels'>, name: string): Promise<string[]> => {
  const id = entityId(principalKind, buildFqn([name]))
  const row = await api.readModels.get(id)
  if (row === undefined || row.status === 'gone') return [lifeIn(id, row)]
  const teams = row.edges.filter((edge) => edge.rel === 'teams').map(({ target }) => target)
  const found = await api.readModels.getReferences(teams.map(entityOf))
  const present = new Set([...found.values()].filter(({ status }) => status !== 'gone').map(presentLife))
  return [presentLife(row), ...teams.filter((team) => present.has(team))]
}

/** Is the caller, or a team of his, among the owners? */
export const owns = async (api: Api, request: ApiRequest, row: EntityRow): Promise<boolean> => {
  const own = await ownLives(api, request.actor.name)
  return row.edges.some((edge) => edge.rel === 'owners' && own.includes(edge.target))
}

/** @throws HttpError FORBIDDEN when the permission is for owners and the caller is none; DomainError `not_found` */
export const mustOwn = async (
  api: Api,
  request: ApiRequest,
  row: EntityRow,
  permission = request.permission,
): Promise<void> => {
  if (permission === 'yes' || (await owns(api, request, row))) return
  if (api.permits(request.actor, 'view', row.kind) !== 'yes') throw noSuch(row.kind, request)
  throw new HttpError('FORBIDDEN', `Only its owners may do this to ${row.kind} ${row.fullyQualifiedName}.`)
}

/** Was the caller, or a team of his, among the owners when the entity was so? */
export const ownedThen = async (api: Api, request: ApiRequest): Promise<(entity: Entity) => boolean> => {
  const own = new Set(await ownLives(api, request.actor.name))
  return ({ members }) => referencesIn(members, 'owners').some((owner) => own.has(lifeOf(owner)))
}

/** @throws HttpError FORBIDDEN */
export const mustBeAllowed = (
  api: Api,
  request: ApiRequest,
  operation: Parameters<Api['permits']>[1],
  definition: KindDefinition,
): 'yes' | 'ifOwner' => {
  const permission = api.permits(request.actor, operation, definition.name)
  if (permission === 'no')
    throw new HttpError('FORBIDDEN', `Your roles do not allow ${operation} on ${definition.name}.`)
  return permission
}
