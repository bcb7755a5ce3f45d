import { conflict, forbidden, notFound } from '../../../commands/errors.ts'
import type { Entity } from '../../../commands/evolve.ts'
import { buildFqn, isUuid, possibleIds, readFqn } from '../../../kinds/names.ts'
import { lineageKind } from '../../../kinds/registry/kinds.ts'
import { toRow, type ViewRow } from '../../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../../projections/entities/row.ts'
import type { Owned } from '../../access.ts'
import type { CatalogRequest, KindRequest } from '../../deps.ts'
import type { ApiRequest, Permission } from '../../http/route.ts'
import type { PointInTime } from '../answers/pointInTime.ts'
import type { ListQuery } from '../../../projections/entities/port.ts'
import { entityAt, hasEnded, readMoment, type EntityAt } from './moment.ts'

type Include = ListQuery['include']

/** What can have owners, with its name. */
type Named = Owned & Pick<EntityRow, 'kind' | 'fullyQualifiedName'>

/** What the path or the query calls the entity. */
export const nameIn = ({ params, query }: ApiRequest): string =>
  params['fqn'] ?? params['id'] ?? query.get('entityId') ?? ''

/** The 404 for an entity that does not exist or that the caller may not know of. */
export const missing = (kind: string, request: ApiRequest): Error => notFound(`There is no ${kind} ${nameIn(request)}.`)

/** The names that the path may mean: where nothing stands above, also the whole text. */
const namesIn = ({ definition: { parents }, params: { fqn = '' } }: KindRequest): string[] => {
  return [readFqn(fqn) ?? [], parents.length > 0 ? [] : buildFqn([fqn])].flat()
}

/** Whether what has this FQN is what the path means, if that is a name. */
const isNamedBy = (request: KindRequest): ((entity: Pick<EntityRow, 'fullyQualifiedName'>) => boolean) => {
  const names = request.params['id'] === undefined ? namesIn(request) : undefined
  return ({ fullyQualifiedName }) => names?.includes(fullyQualifiedName) ?? true
}

/** The rows, of any status, of what the path means at some time: of a name all that can have it. */
const findCandidates = async (request: KindRequest): Promise<EntityRow[]> => {
  const { api, definition, params } = request
  const { id } = params
  const ids = id === undefined ? namesIn(request).flatMap((name) => possibleIds(definition, name)) : [id.toLowerCase()]
  const rows = await api.readModels.getMany(ids.filter(isUuid))
  return [...rows.values()].filter(({ kind }) => kind === definition.name)
}

/**
 * Checks that the caller owns these, if the permission is for owners only.
 * @param members whose users count as owners
 * @throws DomainError `forbidden`, or `not_found` where the caller may not view it either
 */
export const mustOwn = async (
  request: CatalogRequest,
  rows: Named | readonly Named[],
  permission: Permission = request.permission,
  members?: readonly string[],
): Promise<void> => {
  if (permission === 'yes') return
  const { makeCheck, may } = request.access
  const holds = await makeCheck(permission)
  for (const row of [rows].flat()) {
    if (holds(permission, row, members)) continue
    const { kind, fullyQualifiedName } = row
    if (may('view', kind) !== 'yes') throw notFound(`There is no ${kind} ${nameIn(request) || fullyQualifiedName}.`)
    throw forbidden(`Only its owners may do this to ${kind} ${fullyQualifiedName}.`)
  }
}

/** @throws DomainError `forbidden` when the caller may not read the lineage of this asset */
export const mustReadLineageOf = async (
  request: CatalogRequest,
  id: string,
  operation: 'view' | 'history' = 'view',
): Promise<void> => {
  const permission = request.access.must(operation, lineageKind)
  const row = permission === 'yes' ? undefined : await request.api.readModels.get(id)
  if (row !== undefined) await mustOwn(request, row, permission)
}

const isIncluded = (status: EntityRow['status'], include: Include): boolean =>
  include === 'all' ? status !== 'gone' : status === (include === 'deleted' ? 'deleted' : 'live')

/**
 * The row addressed by `{id}` or `{fqn}`, of any status: what has the name, or the last that had it.
 * @throws DomainError `conflict`
 */
export const findRow = async (request: KindRequest): Promise<EntityRow | undefined> => {
  const rows = await findCandidates(request)
  const [last] = rows.filter(isNamedBy(request)).toSorted((a, b) => Number(b.position - a.position))
  return (await mustBeUnambiguous(request, namedNow(request, rows))) ?? last
}

/** Those that have the name in the path now. */
const namedNow = (request: KindRequest, rows: readonly EntityRow[]): EntityRow[] => {
  const isNamed = isNamedBy(request)
  return rows.filter((row) => row.status !== 'gone' && isNamed(row))
}

/** What has the name in the path. @throws DomainError `conflict` when several have it, which old logs allowed */
const mustBeUnambiguous = async (request: KindRequest, rows: readonly EntityRow[]): Promise<EntityRow | undefined> => {
  if (rows.length < 2) return rows[0]
  await mustOwn(request, rows)
  const ids = rows.map(({ id }) => id).join(', ')
  const message = `Several entities of ${request.definition.name} are named ${nameIn(request)}: ask by id (${ids}).`
  throw conflict(message)
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

/**
 * What had the id or name in the path at a point in time; versions are of what has the name now, if anything has.
 * @throws DomainError `conflict`
 */
const findHolder = async (request: KindRequest, moment: ReturnType<typeof readMoment>, rows: readonly EntityRow[]) => {
  const isNamed = isNamedBy(request)
  const now = 'version' in moment ? namedNow(request, rows) : []
  const held = new Map<EntityRow, EntityAt>()
  for (const row of now.length > 0 ? now : rows) {
    const shown = await entityAt(request.api, row, moment)
    if (shown !== undefined && isNamed(shown.entity)) held.set(row, shown)
  }
  const row = await mustBeUnambiguous(request, [...held.keys()])
  return row && { row, shown: held.get(row) as EntityAt }
}

/** The addressed entity as of a point in time. @throws DomainError `not_found`, `invalid` */
export const findAsOf = async (request: KindRequest, asOf: string, include: Include): Promise<EntityAt> => {
  const { access, definition } = request
  const rows = await findCandidates(request)
  const { row = rows.find(({ status }) => status !== 'gone'), shown } =
    (await findHolder(request, readMoment(asOf), rows)) ?? {}
  const operation = row === undefined || hasEnded(shown?.entity ?? row, row) ? 'history' : 'versions'
  const limited = [request.permission, access.must(operation, definition.name)].includes('ifOwner')
  if (limited && row === undefined) throw missing(definition.name, request)
  if (limited && row !== undefined) await mustOwn(request, row, 'ifOwner')
  if (!shown) throw notFound(`There was no ${definition.name} ${nameIn(request)} at ${asOf}.`)
  if (limited && !(await access.holds('ifOwner', shown.entity))) throw missing(definition.name, request)
  if (!isIncluded(shown.entity.status, include)) {
    const state = shown.entity.status === 'live' ? 'live' : 'soft-deleted'
    throw notFound(`${definition.name} ${nameIn(request)} was ${state} at ${asOf}: GET shows it with ?include=all.`)
  }
  return shown
}

/** Which past states of an entity the caller may see: what he owned then, and of ended lives only with `history`. */
export const makePastCheck = async (request: KindRequest, now: EntityRow): Promise<(state: Entity) => boolean> => {
  const { access, definition, permission } = request
  const history = access.may('history', definition.name)
  const holds = await access.makeCheck(permission, history)
  return (state) => holds(permission, state) && (!hasEnded(state, now) || holds(history, state))
}

/** The addressed entity, now or as of a point in time. @throws DomainError `not_found`, `invalid` */
export const findAddressed = async (
  request: KindRequest,
  { include, asOf }: { readonly include: Include; readonly asOf: string | undefined },
): Promise<{ readonly row: ViewRow; readonly at: PointInTime }> => {
  if (asOf === undefined) return { row: await mustFindRow(request, include), at: request.api.readModels }
  const { entity, at } = await findAsOf(request, asOf, include)
  return { row: toRow(entity, request.definition), at }
}
