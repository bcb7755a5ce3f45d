import { notFound, DomainError } from '../../../commands/errors.ts'
import type { ProposedChange } from '../../../commands/requests/acceptProposal.ts'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { placedDifference, nestedRelation } from '../../../kinds/edges.ts'
import { buildFqn, entityId, isUuid, splitFqn, possibleIds } from '../../../kinds/names.ts'
import type { ApiRequest, Answer, Permission, Route } from '../../http/route.ts'
import { ProjectionBehind } from '../../../projections/errors.ts'
import {
  isBehind,
  entityOf,
  incarnationKey,
  incarnationOf,
  type Members,
  type Reference,
} from '../../../events/events.ts'
import type { Api, ApiActor, CatalogRequest, KindRequest } from '../../deps.ts'
import { HttpError } from '../../http/problemDetails.ts'
import { type Entity, referencesIn } from '../../../commands/evolve.ts'
import { kindNamed, lineageKind, principalKind } from '../../../kinds/registry/kinds.ts'
import type { EntityRow, ListRow } from '../../../projections/entities/row.ts'
import type { Include, Visibility } from '../answers/shape.ts'
import { fromRow, type ViewRow } from '../../../projections/entities/entityRow.ts'
import { entityTexts, type PresenterOptions } from '../answers/present.ts'
import type { JsonObject } from '../../../shared/json.ts'

/** The name of the entity in the path. */
export const nameIn = ({ params, query }: ApiRequest): string =>
  params['fqn'] ?? params['id'] ?? query.get('entityId') ?? ''

/** The 404 for an entity that does not exist or that the caller may not know of. */
export const missing = (kind: string, request: ApiRequest): Error => notFound(`There is no ${kind} ${nameIn(request)}.`)

/** The names that the path may mean: where nothing stands above, also the whole text. */
const namesIn = ({ definition: { parents }, params: { fqn = '' } }: KindRequest): string[] => {
  const parts = splitFqn(fqn)
  return [...(parts ? [buildFqn(parts)] : []), ...(parents.length > 0 ? [] : [buildFqn([fqn])])]
}

/** Whether what has this FQN is what the path means, if that is a name. */
export const isNamedBy = (request: KindRequest): ((entity: Pick<Owned, 'fullyQualifiedName'>) => boolean) => {
  const names = request.params['id'] === undefined ? namesIn(request) : undefined
  return ({ fullyQualifiedName }) => names?.includes(fullyQualifiedName) ?? true
}

/** The rows, of any status, of what the path means at some time: of a name all that can have it. */
export const findCandidates = async (request: KindRequest): Promise<EntityRow[]> => {
  const { api, definition, params } = request
  const { id } = params
  const ids = id === undefined ? namesIn(request).flatMap((name) => possibleIds(definition, name)) : [id.toLowerCase()]
  const rows = await api.readModels.getMany(ids.filter(isUuid))
  return [...rows.values()].filter(({ kind }) => kind === definition.name)
}

/** Waits until a projection has caught up with the entities. @throws ProjectionBehind when it makes no progress */
export const waitForProjection = async ({ runner }: Pick<Api, 'runner'>, projection: string): Promise<void> => {
  const shown = await runner.shown()
  if (shown === undefined) return
  for (const begun = performance.now(); ;) {
    const before = runner.position(projection)
    try {
      return await runner.waitFor(shown, undefined, projection)
    } catch (error) {
      const comesOn = isBehind(before, runner.position(projection)) && performance.now() - begun < longestLevel
      if (!(error instanceof ProjectionBehind) || !comesOn) throw error
    }
  }
}

/** Longest wait in milliseconds. A request has 30 seconds. */
const longestLevel = 20_000

/**
 * Whether this is a valid position. If others append to the same store, positions after the newest event of this
 * catalog can be valid too.
 */
export const isLogPosition = async (
  { runner, log }: { readonly runner: Api['runner']; readonly log: Pick<Api['log'], 'head'> },
  position: bigint,
): Promise<boolean> => position <= (runner.position() ?? -1n) || position <= ((await log.head()) ?? -1n)

/** Routes whose requests have what they work with, which shows the client's `Catalog-Position` by then. */
export const bind = <R extends CatalogRequest>(own: Omit<R, keyof ApiRequest>, routes: readonly Route<R>[]): Route[] =>
  routes.map((route) => ({
    ...route,
    handle: async (request) => {
      const bound = { ...request, ...own } as R
      const position = request.headers['catalog-position']
      if (position !== undefined) await catchUp(bound.api, position)
      return route.handle(bound)
    },
  }))

const catchUp = async (api: Api, header: string | string[]): Promise<void> => {
  const { runner } = api
  if (typeof header !== 'string' || !/^\d{1,19}$/.test(header))
    throw badHeaderPosition('must be a position that an answer of this catalog gave')
  const position = BigInt(header)
  if ((runner.position() ?? -1n) >= position) return
  if (!(await isLogPosition(api, position))) throw badHeaderPosition('is beyond the end of this catalog’s log')
  await runner.waitFor(position)
}

const badHeaderPosition = (message: string) => new HttpError('BAD_REQUEST', `Catalog-Position ${message}.`)

/** The present incarnation of an entity, or its next one. */
export const incarnationIn = (id: string, row: EntityRow | undefined): string =>
  row === undefined ? id : incarnationOf(row.status === 'gone' ? { id, born: row.revision + 1n } : row)

/** Whether the life that a state belongs to has ended: it is shown only with permission for the history. */
export const hasEnded = (then: Pick<EntityRow, 'born'>, now: Pick<EntityRow, 'born' | 'status'> | undefined): boolean =>
  now === undefined || now.status === 'gone' || now.born !== then.born

/** The id of a user's entity, whether it exists yet or not. */
export const userId = (name: string): string => entityId(principalKind, buildFqn([name]))

/** Whether a user with these members is a program. */
export const isProgram = (members: Members | undefined): boolean => members?.['isBot'] === true

/** Incarnations that make a user an owner: the user's present or next one, and those of the user's teams, unless deleted. */
export const ownIncarnations = async (api: Pick<Api, 'readModels'>, name: string): Promise<string[]> => {
  const id = userId(name)
  const row = await api.readModels.get(id)
  if (row === undefined || row.status === 'gone') return [incarnationIn(id, row)]
  const teams = row.edges.filter((edge) => edge.rel === 'teams').map(({ target }) => target)
  const found = await api.readModels.getReferences(teams.map(entityOf))
  const present = new Set([...found.values()].filter(({ status }) => status === 'live').map(incarnationOf))
  return [incarnationOf(row), ...teams.filter((team) => present.has(team))]
}

type Owned = Pick<EntityRow, 'edges' | 'kind' | 'fullyQualifiedName'>

/**
 * Whether a permission holds for an entity, by whom its members name.
 * @param own the caller's incarnation and those of the caller's teams
 */
export const isGranted = (
  permission: Permission,
  entity: Pick<EntityRow, 'edges'> | Pick<Entity, 'members'> | undefined,
  own: readonly string[],
  members: readonly string[] = ['owners'],
): boolean => {
  if (permission !== 'ifOwner' || entity === undefined) return permission === 'yes'
  return 'edges' in entity
    ? entity.edges.some(({ rel, target }) => members.includes(rel) && own.includes(target))
    : members.some((name) => referencesIn(entity.members, name).some((one) => own.includes(incarnationKey(one))))
}

/** As {@link isGranted}, for the caller of a request. */
export const isAllowed = async (
  { api, actor }: ApiActor,
  permission: Permission,
  entity: Parameters<typeof isGranted>[1],
  members?: readonly string[],
): Promise<boolean> =>
  isGranted(permission, entity, permission === 'ifOwner' ? await ownIncarnations(api, actor.name) : [], members)

/**
 * Makes the check whether the caller owns an entity, if the permission is for owners only. It throws DomainError
 * `forbidden`, or `not_found` where the caller may not view the entity either.
 */
export const makeOwnerCheck = async (request: CatalogRequest, permission: Permission = request.permission) => {
  const { api, actor } = request
  const own = permission === 'ifOwner' ? await ownIncarnations(api, actor.name) : []
  return (entity: Owned | Entity): void => {
    if (isGranted(permission, entity, own)) return
    const { kind, fullyQualifiedName } = entity
    if (api.permits(actor, 'view', kind) !== 'yes')
      throw notFound(`There is no ${kind} ${nameIn(request) || fullyQualifiedName}.`)
    throw new DomainError('forbidden', `Only its owners may do this to ${kind} ${fullyQualifiedName}.`)
  }
}

/** Makes this check of entities as they are now. @throws DomainError `forbidden`, `not_found` */
export const mustOwn = async (
  request: CatalogRequest,
  rows: Owned | readonly Owned[],
  permission = request.permission,
): Promise<void> => {
  if (permission === 'yes') return
  const mustOwnIt = await makeOwnerCheck(request, permission)
  for (const row of [rows].flat()) mustOwnIt(row)
}

/** @throws DomainError `forbidden` when the caller may not read the lineage of this asset */
export const mustReadLineageOf = async (
  request: CatalogRequest,
  id: string,
  operation: 'view' | 'history' = 'view',
): Promise<void> => {
  const permission = mustBeAllowed(request, operation, kindNamed(lineageKind))
  const row = permission === 'yes' ? undefined : await request.api.readModels.get(id)
  if (row !== undefined) await mustOwn(request, row, permission)
}

/** Those of some entities of a kind that the caller may view: any others are to be handled as if they did not exist. */
export const filterViewable = async <K extends { readonly id: string }>(
  { api, actor, definition }: ApiActor & Pick<KindRequest, 'definition'>,
  keys: readonly K[],
): Promise<readonly K[]> => {
  const permission = api.permits(actor, 'view', definition.name)
  if (permission === 'yes') return keys
  const [own, rows] = [await ownIncarnations(api, actor.name), await api.readModels.getMany(keys.map(({ id }) => id))]
  return keys.filter(({ id }) => isGranted(permission, rows.get(id), own))
}

/** @throws DomainError `forbidden` */
export const mustBeAllowed = (
  request: CatalogRequest,
  operation: Parameters<Api['permits']>[1],
  definition: KindDefinition,
): 'yes' | 'ifOwner' => {
  const permission = request.api.permits(request.actor, operation, definition.name)
  if (permission === 'no')
    throw new DomainError('forbidden', `Your roles do not allow ${operation} on ${definition.name}.`)
  return permission
}

export const isIncluded = (status: EntityRow['status'], include: Include): boolean =>
  include === 'all' ? status !== 'gone' : status === (include === 'deleted' ? 'deleted' : 'live')

/** The row addressed by `{id}` or `{fqn}`, of any status; `gone` ones only by id. @throws DomainError `conflict` */
export const findRow = async (request: KindRequest): Promise<EntityRow | undefined> => {
  const rows = await findCandidates(request)
  return request.params['id'] === undefined ? mustBeUnambiguous(request, namedNow(request, rows)) : rows[0]
}

/** Those that have the name in the path now. */
export const namedNow = (request: KindRequest, rows: readonly EntityRow[]): EntityRow[] => {
  const isNamed = isNamedBy(request)
  return rows.filter((row) => row.status !== 'gone' && isNamed(row))
}

/** What has the name in the path. @throws DomainError `conflict` when several have it, which old logs allowed */
export const mustBeUnambiguous = async (
  request: KindRequest,
  rows: readonly EntityRow[],
): Promise<EntityRow | undefined> => {
  if (rows.length < 2) return rows[0]
  await mustOwn(request, rows)
  const ids = rows.map(({ id }) => id).join(', ')
  const message = `Several entities of ${request.definition.name} are named ${nameIn(request)}: ask by id (${ids}).`
  throw new DomainError('conflict', message)
}

/** The row addressed by the path, subject to `include`. @throws DomainError `not_found` */
export const mustFindRow = async (request: KindRequest, include: Include): Promise<EntityRow> => {
  const { definition } = request
  const row = await findRow(request)
  if (row === undefined || row.status === 'gone') throw missing(definition.name, request)
  await mustOwn(request, row)
  if (isIncluded(row.status, include)) return row
  const named = `${definition.name} ${nameIn(request)}`
  if (row.status === 'live') throw notFound(`There is no deleted ${named}: it is live, so leave include=deleted out.`)
  const ways = `GET shows it with ?include=deleted, PUT /v1/${definition.path}/restore with its id ${row.id} restores it`
  throw notFound(`There is no ${named}. It is soft-deleted: ${ways}.`)
}

/** The kinds whose names the caller may see. */
export const visibilityFor = ({ api, actor }: ApiActor): Visibility =>
  Object.assign((kind: string) => api.permits(actor, 'view', kind) === 'yes', {
    hideId: api.commands.secretCodec.hideId,
  })

type ShownOptions = { readonly [Name in 'shown' | 'lists' | 'at']?: PresenterOptions[Name] | undefined }

/** The JSON texts of entities as the caller sees them, by default present ones, as a get of one shows them. */
export const textsFor = (
  request: CatalogRequest,
  rows: readonly ListRow[],
  { shown = 'get', at = request.api.readModels, lists = [] }: ShownOptions = {},
): Promise<string[]> => entityTexts(rows, { shown, at, lists, baseUrl: request.baseUrl, sees: visibilityFor(request) })

/** One such entity. */
export const entityFor = async (request: CatalogRequest, row: ListRow, options?: ShownOptions): Promise<JsonObject> =>
  JSON.parse((await textsFor(request, [row], options))[0] as string) as JsonObject

/** An entity as an answer. */
export const answerRow = async (
  request: CatalogRequest,
  row: ViewRow,
  { status = 200, headers = {}, ...options }: ShownOptions & Partial<Pick<Answer, 'status' | 'headers'>> = {},
): Promise<Answer & { body: string }> => ({
  status,
  revision: row.revision,
  headers,
  body: (await textsFor(request, [row], options))[0] as string,
})

/** Members whose users may decide on an entity's changes, with `isOwner` permission. */
export const approverMembers: readonly string[] = ['owners', 'reviewers']

const domainsOf = ({ references }: EntityRow): string[] =>
  ((JSON.parse(references) as Record<string, Reference[]>)['domains'] ?? []).map((domain) => domain.fullyQualifiedName)

/** Makes the check who may decide on changes: users who may make them, and approvers; never on their own proposals. */
export const makeApprovalCheck = async ({ api, actor }: ApiActor) => {
  const own = await ownIncarnations(api, actor.name)
  const needsApproval = (row: EntityRow, { set, unset }: ProposedChange): boolean => {
    const needs = (names: readonly string[]) => (api.needsApproval?.(row.kind, domainsOf(row), names) ?? []).length > 0
    const changed = [...Object.keys(set), ...unset]
    if (needs(changed) || !needs([nestedRelation])) return needs(changed)
    const definition = kindNamed(row.kind)
    const { lost, added } = placedDifference(definition, changed, fromRow(row, definition).members, set)
    return lost.length + added.length > 0
  }
  return (row: EntityRow, proposer: string, change: ProposedChange): boolean =>
    proposer !== actor.name &&
    (isGranted(api.permits(actor, 'approve', row.kind), row, own, approverMembers) ||
      (isGranted(api.permits(actor, 'edit', row.kind), row, own) && !needsApproval(row, change)))
}
