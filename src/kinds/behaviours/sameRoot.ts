import { isObject } from '../../shared/json.ts'
import type { Draft, Problem } from '../defineKind.ts'

/** An entity names the same root in `member` as its parent of the same kind: a folder the service of the one above. */
export const mustHaveRootOfParent = ({ members, parent }: Draft, member: string): Problem[] => {
  const own = members[member]
  const above = parent?.members[member]
  if (!isObject(own) || !isObject(above) || own['id'] === above['id']) return []
  const where = `${parent?.reference.type} ${parent?.reference.fullyQualifiedName}`
  return [{ path: `/${member}`, message: `must be ${String(above['fullyQualifiedName'])}, as ${where} is in that one` }]
}
