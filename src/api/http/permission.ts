import type { Actor } from '../auth/actor.ts'
import type { Permission, Policies } from '../auth/policies.ts'
import { HttpError } from './problemDetails.ts'
import type { Operation, Route } from './route.ts'

export type PermissionSource = Pick<Policies, 'permits'>

/** What the caller is permitted of a route. @throws HttpError FORBIDDEN */
export const permissionOf = (
  { permission: asked }: Pick<Route, 'permission'>,
  actor: Actor | undefined,
  policies: PermissionSource,
): Exclude<Permission, 'no'> => {
  if (typeof asked === 'string') return 'yes'
  const { operation, or, kind } = asked
  const permissionTo = (wanted: Operation): Permission =>
    actor === undefined ? 'no' : policies.permits(actor, wanted, kind)
  const first = permissionTo(operation)
  const permission = first === 'no' && or !== undefined ? permissionTo(or) : first
  if (permission === 'no') {
    throw new HttpError('FORBIDDEN', `You are not allowed to ${operation}${kind === undefined ? '' : ` on ${kind}`}.`)
  }
  return permission
}
