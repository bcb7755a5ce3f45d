import { readInstant } from '../../shared/instant.ts'
import { sameJson } from '../../shared/json.ts'
import { readCustom, setCustom } from '../model/customProperties.ts'
import {
  isObject,
  itemsIn,
  objectsIn,
  toPlainJson,
  textOf,
  withoutUndefined,
  type Json,
  type JsonObject,
} from '../model/types.ts'

type TeamRole = 'owner' | 'reviewer'

const membersOf = ({ team }: JsonObject): Json[] => itemsIn(isObject(team) ? team['members'] : team)

const hasRole = (member: Json, role: TeamRole): member is JsonObject =>
  isObject(member) && textOf(member['role'])?.trim().toLowerCase() === role && textOf(member['username']) !== undefined

/** Whether a member leaves after a time or never. Who left on a day that cannot be read has left. */
const hasActiveRole = (member: Json, role: TeamRole, time: number): member is JsonObject => {
  if (!hasRole(member, role)) return false
  const left = member['dateOut'] ?? readCustom(member, 'dateOut') ?? null
  return left === null || readInstant(textOf(left) ?? '') > time
}

/**
 * @param time in epoch milliseconds
 * @returns user names with a role in the team, without those who had left by then
 */
export const peopleIn = (document: JsonObject, role: TeamRole, time: number): string[] => {
  const found = membersOf(document).filter((member) => hasActiveRole(member, role, time))
  return [...new Set(found.map(({ username }) => String(username)))]
}

/**
 * Applies the catalog's people to the team: only additions and removals since the import change it.
 * @param time when they were the last time others, in epoch milliseconds
 */
export const applyPeople = (
  document: JsonObject,
  role: TeamRole,
  { known, now, time }: { known: readonly string[]; now: readonly string[]; time: number },
): void => {
  const candidates = peopleIn(document, role, time)
  const added = now.filter((name) => !candidates.includes(name) && !known.includes(name))
  const removed = known.filter((name) => !now.includes(name))
  if (added.length === 0 && !removed.some((name) => candidates.includes(name))) return
  const kept = membersOf(document).filter(
    (member) => !(hasActiveRole(member, role, time) && removed.includes(String(member['username']))),
  )
  writeMembers(document, [...kept, ...added.map((username) => ({ username, role }))])
}

/** Removes everyone with a role from the team. */
export const withoutPeople = (document: JsonObject, role: TeamRole): void => {
  const members = membersOf(document)
  const kept = members.filter((member) => !hasRole(member, role))
  if (kept.length !== members.length) writeMembers(document, kept)
}

const writeMembers = (document: JsonObject, members: Json[]): void => {
  const { team } = document
  if (Array.isArray(team)) document['team'] = members
  else document['team'] = { ...(isObject(team) ? team : {}), members }
  if (members.length === 0 && (Array.isArray(team) || Object.keys(isObject(team) ? team : {}).length <= 1))
    delete document['team']
}

/**
 * The security member for the roles of a document: one policy per role. What the custom property `security` says more
 * exactly holds as long as the roles say what they were given by it.
 */
export const toSecurity = (document: JsonObject): JsonObject | undefined => {
  const kept = readCustom(document, 'security')
  const { policies: exact, ...rest } = (isObject(kept) ? toPlainJson(kept) : {}) as JsonObject
  const policies = objectsIn(document['roles']).filter(hasText('role')).map(toPolicy)
  const holds = exact !== undefined && (document['roles'] === undefined || sameJson(policies, roughly(exact)))
  const stated = holds ? exact : policies.length > 0 ? policies : undefined
  const security: JsonObject = { ...rest, ...(stated !== undefined && { policies: stated }) }
  return Object.keys(security).length > 0 || isObject(kept) ? security : undefined
}

const hasText =
  (member: string) =>
  (object: JsonObject): boolean =>
    textOf(object[member]) !== undefined

/** The policies as roles can say them. */
const roughly = (policies: Json): JsonObject[] => applyRoles([], policies).map(toPolicy)

const toPolicy = (role: JsonObject): JsonObject => {
  const approver = textOf(role['firstLevelApprovers'])
  return withoutUndefined<JsonObject>({
    accessPolicy: role['role'] ?? '',
    identities: approver === undefined ? undefined : [approver],
    access: textOf(role['access']),
    description: textOf(role['description']),
  })
}

/** Applies a changed security member to the roles; the rest is kept as the custom property `security`. */
export const applySecurity = (
  document: JsonObject,
  base: JsonObject | undefined,
  now: JsonObject | undefined,
): void => {
  if (sameJson(base, now)) return
  const { policies = [], ...rest } = now ?? {}
  const laid = applyRoles(objectsIn(document['roles']), policies)
  if (laid.length > 0) document['roles'] = laid
  else delete document['roles']
  const isExact = laid.length > 0 ? sameJson(laid.map(toPolicy), policies) : now?.['policies'] === undefined
  const bare = now !== undefined && laid.length === 0
  setCustom(document, 'security', isExact ? (Object.keys(rest).length > 0 || bare ? rest : undefined) : now)
}

// Of several roles with one name, each policy takes the one that it equals, else the next.
const applyRoles = (roles: readonly JsonObject[], written: Json): JsonObject[] => {
  const policies = objectsIn(written).filter(hasText('accessPolicy'))
  const named = Map.groupBy(roles, (role) => role['role'])
  const take = (policy: JsonObject, fits: (role: JsonObject) => boolean): JsonObject | undefined => {
    const some = named.get(policy['accessPolicy']) ?? []
    const at = some.findIndex(fits)
    return at === -1 ? undefined : some.splice(at, 1)[0]
  }
  const equal = policies.map((policy) => take(policy, (role) => sameJson(toPolicy(role), policy)))
  return policies.map((policy, at) => equal[at] ?? applyRole(take(policy, () => true) ?? {}, policy))
}

const applyRole = (old: JsonObject, policy: JsonObject): JsonObject => {
  const approvers = itemsIn(policy['identities']).filter((each) => typeof each === 'string')
  return withoutUndefined<JsonObject>({
    ...old,
    role: policy['accessPolicy'] ?? '',
    access: textOf(policy['access']),
    firstLevelApprovers: approvers.length > 0 ? approvers.join(', ') : undefined,
    description: textOf(policy['description']),
  })
}
