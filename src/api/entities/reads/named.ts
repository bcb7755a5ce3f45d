import { notFound } from '../../../commands/errors.ts'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { buildFqn, entityId, isUuid, splitFqn } from '../../../kinds/names.ts'
import type { ApiRequest } from '../../http/route.ts'

/** What the path calls the entity. */
export const nameIn = ({ params, query }: ApiRequest): string =>
  params['fqn'] ?? params['id'] ?? query.get('entityId') ?? ''

/** What is not there, and what the caller may not know of, look alike. */
export const noSuch = (kind: string, request: ApiRequest): Error => notFound(`There is no ${kind} ${nameIn(request)}.`)

/** The id that the path names; a name that no row has is taken as the natural key. */
export const idIn = (definition: KindDefinition, request: ApiRequest): string | undefined => {
  const { id, fqn } = request.params
  if (id !== undefined) return isUuid(id) ? id.toLowerCase() : undefined
  return entityId(definition.name, buildFqn(splitFqn(fqn as string) ?? [fqn as string]))
}
