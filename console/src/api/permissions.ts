import { useQuery } from '@tanstack/react-query'
import { meQuery } from './queries.ts'
import type { Entity, Me, Permission } from './types.ts'

/** Who is signed in; below the sign-in page there always is somebody. */
export const useMe = (): Me | undefined => useQuery(meQuery).data

const permissionOf = (me: Me | undefined, operation: string, kind?: string): Permission => {
  if (me === undefined) return 'no'
  return (kind === undefined ? me.may[operation] : me.kinds[kind]?.[operation]) ?? 'no'
}

/**
 * May I do this, to this entity? What depends on ownership is offered when I own it, or one of my teams may: the service
 * decides.
 */
export const mayDo = (me: Me | undefined, operation: string, kind?: string, entity?: Entity): boolean => {
  const permission = permissionOf(me, operation, kind)
  if (permission !== 'ifOwner' || entity === undefined) return permission !== 'no'
  return entity.owners?.some(({ type, name }) => type !== 'user' || name === me?.name) ?? false
}

/** Where I may view only what I own, lists are asked for that. */
export const ownFilter = (me: Me | undefined, kind: string): { readonly owner?: string } =>
  me !== undefined && permissionOf(me, 'view', kind) === 'ifOwner' ? { owner: me.name } : {}

/** May I view everything that there is? */
export const viewsAll = (me: Me | undefined): boolean =>
  Object.keys(me?.kinds ?? {}).every((kind) => permissionOf(me, 'view', kind) === 'yes')

export const useMay = (operation: string, kind?: string, entity?: Entity): boolean =>
  mayDo(useMe(), operation, kind, entity)
