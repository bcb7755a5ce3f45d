import { userId } from '../commands/caller.ts'
import { forbidden } from '../commands/errors.ts'
import { referencesIn, type Entity } from '../commands/evolve.ts'
import { entityOf, incarnationKey, incarnationOf, lifeOf, type Members } from '../events/events.ts'
import type { ActivityRow } from '../projections/activity/port.ts'
import type { EntityReads } from '../projections/entities/port.ts'
import type { EntityRow } from '../projections/entities/row.ts'
import type { OpaqueIds } from '../shared/secrets/aesGcm.ts'
import type { Webhook } from '../subscriptions/webhooks/webhook.ts'
import type { Actor, Operation, Permission, PermissionPolicy } from './http/route.ts'

/** The policies, and the read models that say who owns what. */
interface Policed {
  readonly permits: PermissionPolicy
  readonly readModels: Pick<EntityReads, 'get' | 'getMany' | 'getReferences'>
  readonly commands: { readonly secretCodec: Pick<OpaqueIds, 'hideId'> }
}

/** What can have owners: an entity, now or then, or an event. */
export type Owned = Pick<EntityRow, 'edges'> | Pick<Entity, 'members'> | Pick<ActivityRow, 'owners'>

/** The incarnations of users and teams that these members name. */
const namedBy = (owned: Owned, members: readonly string[]): readonly string[] => {
  if ('owners' in owned) return owned.owners
  if ('edges' in owned) return owned.edges.flatMap(({ rel, target }) => (members.includes(rel) ? target : []))
  return members.flatMap((name) => referencesIn(owned.members, name).map(incarnationKey))
}

/** The present incarnation of an entity, or its next one. */
export const incarnationIn = (id: string, row: EntityRow | undefined): string =>
  row === undefined ? id : incarnationOf(row.status === 'gone' ? { id, born: row.revision + 1n } : row)

/** Whether a user with these members is a program. */
export const isProgram = (members: Members | undefined): boolean => members?.['isBot'] === true

/** Whose access it is; with a life, it owns nothing where another incarnation has the name. */
type Owner = Pick<Actor, 'name' | 'roles'> & Pick<Webhook, 'life'>

/** Incarnations that make a user an owner: the user's present or next one, and those of the user's teams, unless deleted. */
const ownIncarnations = async ({ readModels }: Policed, { name, life }: Owner): Promise<readonly string[]> => {
  const id = userId(name)
  const row = await readModels.get(id)
  const self = incarnationIn(id, row)
  if (life !== undefined && lifeOf(self) !== life) return []
  if (row === undefined || row.status === 'gone') return [self]
  const teams = row.edges.filter((edge) => edge.rel === 'teams').map(({ target }) => target)
  const found = await readModels.getReferences(teams.map(entityOf))
  const present = new Set([...found.values()].filter(({ status }) => status === 'live').map(incarnationOf))
  return [self, ...teams.filter((team) => present.has(team))]
}

/** The stricter of permissions that are both needed. */
export const stricter = (...needed: readonly Exclude<Permission, 'no'>[]): Exclude<Permission, 'no'> =>
  needed.includes('ifOwner') ? 'ifOwner' : 'yes'

/** What a caller may do, see and own. */
export type Access = ReturnType<typeof makeAccess>

/**
 * Makes the access of a caller. The caller's user and teams are read once, so a decision on a write makes a new one,
 * which sees the teams of that moment.
 */
export const makeAccess = (api: Policed, actor: Owner) => {
  let incarnations: Promise<readonly string[]> | undefined
  const own = () => (incarnations ??= ownIncarnations(api, actor))
  const may = (operation: Operation, kind: string): Permission => api.permits(actor, operation, kind)
  /** @param among permissions that are asked about */
  const makeCheck = async (...among: readonly Permission[]) => {
    const owners = among.includes('ifOwner') ? await own() : []
    return (permission: Permission, owned: Owned | undefined, members: readonly string[] = ['owners']): boolean =>
      permission === 'yes' ||
      (permission === 'ifOwner' &&
        owned !== undefined &&
        namedBy(owned, members).some((incarnation) => owners.includes(incarnation)))
  }
  return {
    may,
    own,
    /** Makes {@link holds} for many entities. */
    makeCheck,
    /** @throws DomainError `forbidden` */
    must: (operation: Operation, kind: string): Exclude<Permission, 'no'> => {
      const permission = may(operation, kind)
      const why = operation === 'view' || may('view', kind) !== 'no' ? '' : ', since they do not allow view on it'
      if (permission === 'no') throw forbidden(`Your roles do not allow ${operation} on ${kind}${why}.`)
      return permission
    },
    /** Whether a permission holds for an entity. @param members whose users count as its owners */
    holds: async (permission: Permission, owned: Owned | undefined, members?: readonly string[]): Promise<boolean> =>
      (await makeCheck(permission))(permission, owned, members),
    /** Those of some entities of a kind that the caller may view: others are handled as if they did not exist. */
    visible: async <K extends { readonly id: string }>(kind: string, keys: readonly K[]): Promise<readonly K[]> => {
      const permission = may('view', kind)
      if (permission === 'yes') return keys
      const [holds, rows] = [await makeCheck(permission), await api.readModels.getMany(keys.map(({ id }) => id))]
      return keys.filter(({ id }) => holds(permission, rows.get(id)))
    },
    /** Whether the caller may see all of a kind, now or in the past. */
    seesAll: (kind: string, inPast: boolean): boolean => may(inPast ? 'versions' : 'view', kind) === 'yes',
    /** The kinds whose names the caller may see. */
    sees: Object.assign((kind: string) => api.permits(actor, 'view', kind) === 'yes', {
      hideId: (id: string) => api.commands.secretCodec.hideId(id),
    }),
  }
}
