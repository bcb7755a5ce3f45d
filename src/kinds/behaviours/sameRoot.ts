import { isObject } from '../../shared/json.ts'
import type { Draft, Problem } from '../defineKind.ts'

/**
 * An entity below another of its kind names the same root as that one: a folder and the folder above it are of one
 * service.
 * @param member the member that names the root
 */
export const mustHaveRootOfParent = ({ members, parent }: Draft, member: string): Problem[] => {
  const own = members[member]
  const above = parent?.members[member]
  if (!isObject(own) || !isObject(above) || own['id'] === above['id']) return []
  const where = `${parent?.reference.type} ${parent?.reference.fullyQualifiedName}`
  return [{ path: `/${member}`, message: `must be ${String(above['fullyQualifiedName'])}, as ${where} is in that one` }]
}
