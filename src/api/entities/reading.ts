import { isBehind, ProjectionBehind } from '../../projections/progress.ts'
import { invalid, notFound } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { principalKind } from '../../kinds/index.ts'
import { buildFqn, entityId, isUuid, splitFqn } from '../../kinds/names.ts'
import type { Reference } from '../../events/events.ts'
import { entityOf, lifeOf, presentLife } from '../../events/lives.ts'
import { onRequest, toRow, toShownRow, type ShownRow } from '../../projections/entities/entityRow.ts'
import type { Moment } from '../../projections/history.ts'
import type { EntityRow, ReferenceRow } from '../../projections/entities/row.ts'
import type { Api } from '../deps.ts'
import { etag } from '../http/preconditions.ts'
import { pastRelations } from './past/relations.ts'
import type { Past, PresentOptions, Shown } from './present.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { Answer, ApiRequest } from '../http/route.ts'
import { mapInChunks } from '../../shared/chunks.ts'
import { readInstant } from '../../shared/instant.ts'

export type Include = 'non-deleted' | 'deleted' | 'all'

const badQuery = (name: string, message: string) => invalid([{ path: `?${name}`, message }])

/** Reads `include`. @throws DomainError `invalid` */
export const readInclude = (query: ReadonlyMap<string, string>): Include => {
  const include = query.get('include') ?? 'non-deleted'
  if (include === 'non-deleted' || include === 'deleted' || include === 'all') return include
  throw badQuery('include', 'must be all, deleted or non-deleted')
}

/** Reads a boolean query parameter that is false when absent. @throws DomainError `invalid` */
export const readFlag = (query: ReadonlyMap<string, string>, name: string): boolean => {
  const text = query.get(name) ?? 'false'
  if (text === 'true' || text === '') return true
  if (text === 'false') return false
  throw badQuery(name, 'must be true or false')
}

/** The optional members that `fields` can name. */
export const optionalMembers = (definition: KindDefinition): string[] => [
  ...Object.entries(definition.fields)
    .filter(([name, field]) => onRequest(field) && !isVoters(name))
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, computed]) => computed.shown !== 'always')
    .map(([name]) => name),
  ...(definition.traits.votes ? ['votes'] : []),
]

const isVoters = (name: string): boolean => name === 'upVoters' || name === 'downVoters'

/** Reads `fields`: names of members, or `*`. @throws DomainError `invalid` that names the unknown ones */
export const readFields = (query: ReadonlyMap<string, string>, definition: KindDefinition, otherwise: Shown): Shown => {
  const text = query.get('fields')
  if (text === undefined || text.trim() === '') return otherwise
  const names = text.split(',').map((name) => memberNamed(definition, name.trim()))
  const unknown = names.filter((name) => name.member === undefined).map((name) => name.given)
  if (unknown.length === 0) return new Set(names.flatMap(({ given, member }) => [member as string, given]))
  throw badQuery('fields', `${unknown.join(', ')}: unknown; known: ${optionalMembers(definition).join(', ')} or *`)
}

const memberNamed = (definition: KindDefinition, given: string): { given: string; member: string | undefined } => {
  const aliased = Object.entries(definition.fields).find(([, field]) => field.aliases?.includes(given))
  const known =
    given === '*' ||
    Object.hasOwn(definition.fields, given) ||
    Object.hasOwn(definition.computed, given) ||
    optionalMembers(definition).includes(given)
  return { given, member: aliased?.[0] ?? (known ? given : undefined) }
}

/**
 * Waits until a projection shows what the entities show, as long as it comes on. @throws ProjectionBehind when it
 * stands still
 */
export const levelWithEntities = async ({ runner }: Pick<Api, 'runner'>, projection: string): Promise<void> => {
  const shown = await runner.shown()
  if (shown === undefined) return
  for (const begun = performance.now(); ;) {
    const before = runner.position(projection)
    try {
      return await runner.waitFor(shown, levelPatience, projection)
    } catch (error) {
      const comesOn = isBehind(before, runner.position(projection)) && performance.now() - begun < longestLevel
      if (!(error instanceof ProjectionBehind) || !comesOn) throw error
    }
  }
}

/** Milliseconds: without coming on, and at most before the last such wait. A request has 30 seconds. */
const levelPatience = 5000
const longestLevel = 20_000

/** Waits until the read models show what the client has seen: `Catalog-Position` of an earlier answer. */
export const catchUp = async ({ runner, log }: Api, request: ApiRequest): Promise<void> => {
  const header = request.headers['catalog-position']
  if (header === undefined) return
  if (typeof header !== 'string' || !/^\d{1,19}$/.test(header))
    throw badHeaderPosition('must be a position that an answer of this catalog gave')
  const position = BigInt(header)
  if ((runner.position() ?? -1n) >= position) return
  if (((await log.head()) ?? -1n) < position) throw badHeaderPosition('is beyond the end of this catalog’s log')
  await runner.waitFor(position)
}

const badHeaderPosition = (message: string) => new HttpError('BAD_REQUEST', `Catalog-Position ${message}.`)

const isIncluded = (status: EntityRow['status'], include: Include): boolean =>
  include === 'all' ? status !== 'gone' : status === (include === 'deleted' ? 'deleted' : 'live')

/** The row that `{id}` or `{fqn}` names, whatever its status; `gone` ones only by id. */
export const findRow = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<EntityRow | undefined> => {
  const { id, fqn } = request.params
  if (id !== undefined) {
    if (!isUuid(id)) return undefined
    const row = await api.readModels.get(id.toLowerCase())
    return row?.kind === definition.name ? row : undefined
  }
  const parts = splitFqn(fqn as string)
  const found = parts && (await api.readModels.getByFqn(definition.name, buildFqn(parts)))
  if (found !== undefined || definition.parents.length > 0) return found
  return api.readModels.getByFqn(definition.name, buildFqn([fqn as string]))
}

/** What the path calls the entity. */
export const nameIn = ({ params, query }: ApiRequest): string =>
  params['fqn'] ?? params['id'] ?? query.get('entityId') ?? ''

/** What is not there, and what the caller may not know of, look alike. */
export const noSuch = (kind: string, request: ApiRequest): Error => notFound(`There is no ${kind} ${nameIn(request)}.`)

/** The row that the path names and `include` lets be seen. @throws DomainError `not_found` */
export const mustFindRow = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  include: Include,
): Promise<EntityRow> => {
  await catchUp(api, request)
  const row = await findRow(api, definition, request)
  if (row === undefined || row.status === 'gone') throw noSuch(definition.name, request)
  await mustOwn(api, request, row)
  if (isIncluded(row.status, include)) return row
  const hint = row.status === 'deleted' ? ' It is soft-deleted: add ?include=deleted to see it.' : ''
  throw notFound(`There is no ${definition.name} ${nameIn(request)}.${hint}`)
}

/** Lives whose things are somebody's: his own, or the one that his first write begins, and those of his teams. */
export const ownLives = async (api: Pick<Api, 'readModels'>, name: string): Promise<string[]> => {
  const id = entityId(principalKind, buildFqn([name]))
  const row = await api.readModels.get(id)
  if (row === undefined) return [id]
  if (row.status === 'gone') return [presentLife({ id, born: row.revision + 1n })]
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

/** A version as clients write it (`1.3`, `v1.3`, `v1`, `1`), in tenths; `undefined` when it is none. */
export const readVersion = (text: string): number | undefined =>
  /^v?\d{1,9}(\.\d)?$/.test(text) ? Math.round(Number(text.replace('v', '')) * 10) : undefined

/** How a moment is written. A bare integer is a position, or a version where versions are what one compares. */
export const momentForms = {
  position: 'a version (v1.3, v1 or 1.3), a log position (@1200 or 1200) or an ISO 8601 instant',
  version: 'a version (v1.3, v1, 1.3 or 1), a log position (@1200) or an ISO 8601 instant',
} as const

/** Reads a moment, of which `integers` says what a bare integer means. @throws DomainError `invalid` */
export const readMoment = (text: string, name = 'asOf', integers: keyof typeof momentForms = 'position'): Moment => {
  const bare = /^\d{1,19}$/.test(text)
  if (/^@\d{1,19}$/.test(text)) return { position: BigInt(text.slice(1)) }
  if (bare && integers === 'position') return { position: BigInt(text) }
  const version = readVersion(text)
  if (version !== undefined) return { version }
  const time = readInstant(text)
  if (Number.isNaN(time)) throw badQuery(name, `must be ${momentForms[integers]}`)
  return { time }
}

/** The row of the entity as it was. @throws DomainError `not_found` when it did not exist then */
export const rowAsOf = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  asOf: string,
): Promise<PastRow> => {
  await catchUp(api, request)
  const moment = readMoment(asOf)
  if ('position' in moment && moment.position > ((await api.log.head()) ?? -1n)) {
    throw badQuery('asOf', 'is beyond the end of this catalog’s log')
  }
  const row = await findRow(api, definition, request)
  const id = row?.id ?? idIn(definition, request)
  const operation = row === undefined || row.status === 'gone' ? 'history' : 'versions'
  const limited = [request.permission, mustBeAllowed(api, request, operation, definition)].includes('ifOwner')
  if (limited && row === undefined) throw noSuch(definition.name, request)
  if (limited && row !== undefined) await mustOwn(api, request, row, 'ifOwner')
  const entity = id && (await api.history.asOf({ kind: definition.name, id }, moment))
  if (limited && entity && !(await ownedThen(api, request))(entity)) throw noSuch(definition.name, request)
  if (!entity) throw notFound(`There was no ${definition.name} ${nameIn(request)} at ${asOf}.`)
  const shown = 'version' in moment ? { position: entity.position } : moment
  const { row: then, past } = pastRow(api, entity, shown)
  return { row: then, past: { ...past, computed: pastRelations(api, () => positionOf(api, shown)) } }
}

/** The position of a moment, once the timeline shows it. */
export const positionOf = async (api: Api, moment: Exclude<Moment, { version: number }>): Promise<bigint> => {
  await levelWithEntities(api, 'timeline')
  if ('time' in moment) return (await api.readModels.positionAt(moment.time)) ?? -1n
  await api.runner.waitFor(moment.position, undefined, 'timeline')
  return moment.position
}

/** An entity as it was, and how what it refers to is found as it was then. */
export interface PastRow {
  readonly row: ShownRow
  readonly past: Past
}

/** References whose past is looked up at once. */
const pastAtOnce = 50

/** What lives that have ended since were at the moment. */
export const endedAt = (api: Api, moment: Moment): PastRow['past']['ended'] => {
  const wasThen = async (reference: Reference): Promise<ReferenceRow[]> => {
    const then = await api.history.asOf({ kind: reference.type, id: reference.id }, moment)
    return then !== undefined && presentLife(then) === lifeOf(reference) ? [toRow(then, api.kindNamed(then.kind))] : []
  }
  return async (ended) => (await mapInChunks(ended, pastAtOnce, wasThen)).flat()
}

/** @param moment at which its references are shown where their lives have ended since */
export const pastRow = (api: Api, entity: Entity, moment: Moment): PastRow => ({
  row: toShownRow(entity, api.kindNamed(entity.kind)),
  past: { ended: endedAt(api, moment) },
})

/** Was the caller, or a team of his, among the owners when the entity was so? */
export const ownedThen = async (api: Api, request: ApiRequest): Promise<(entity: Entity) => boolean> => {
  const own = new Set(await ownLives(api, request.actor.name))
  return ({ members }) => referencesIn(members, 'owners').some((owner) => own.has(lifeOf(owner)))
}

/** The kinds whose names answers may show to the caller. */
export const seesFor =
  (api: Pick<Api, 'permits'>, { actor }: Pick<ApiRequest, 'actor'>) =>
  (kind: string): boolean =>
    api.permits(actor, 'view', kind) === 'yes'

/** How an entity is shown to the caller. */
export const presented = (api: Pick<Api, 'permits'>, request: ApiRequest, shown: Shown = 'get'): PresentOptions => ({
  shown,
  baseUrl: request.baseUrl,
  sees: seesFor(api, request),
})

/** The id that the path names; a name that no row has is taken as the natural key. */
export const idIn = (definition: KindDefinition, request: ApiRequest): string | undefined => {
  const { id, fqn } = request.params
  if (id !== undefined) return isUuid(id) ? id.toLowerCase() : undefined
  return entityId(definition.name, buildFqn(splitFqn(fqn as string) ?? [fqn as string]))
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

/** An entity as an answer, with its `ETag`. */
export const answerRow = async (
  api: Api,
  request: ApiRequest,
  row: ShownRow,
  options: {
    status?: number
    shown?: Shown
    lists?: readonly string[]
    reached?: bigint
    past?: PresentOptions['past']
    headers?: Record<string, string>
  } = {},
): Promise<Answer> => ({
  status: options.status ?? 200,
  headers: {
    ETag: etag(row.revision),
    ...options.headers,
  },
  body: await api.presenter.text(row, {
    ...presented(api, request, options.shown),
    ...(options.lists && { lists: options.lists }),
    reached: options.reached,
    past: options.past,
  }),
})
