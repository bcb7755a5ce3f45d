import { notFound } from '../../../commands/errors.ts'
import type { Entity } from '../../../commands/evolve.ts'
import { activityProjection } from '../../../projections/activity/activityProjection.ts'
import type { EntityRow } from '../../../projections/entities/row.ts'
import type { Identity, Moment } from '../../../projections/history.ts'
import type { CurrentFilter } from '../../../projections/timeline/port.ts'
import type { Api, CatalogRequest, KindRequest } from '../../deps.ts'
import { HttpError } from '../../http/problemDetails.ts'
import { badQuery, readFlag, readSentInstant } from '../../http/queryParameters.ts'
import { listAt, pointInTime, settledAt, type TimelineMoment, type PointInTime } from '../answers/pointInTime.ts'
import { isLogPosition, waitForProjection } from './catchUp.ts'

/** A requested point in time of the catalog; may be an instant in epoch milliseconds. */
type CatalogMoment = Exclude<Moment, { version: number }> | { readonly time: number }

type AskedMoment = Moment | CatalogMoment

/** Parses a version (`1.3`, `v1.3`, `v1`, `1`) to tenths; `undefined` if invalid. */
export const readVersion = (text: string): number | undefined =>
  /^v?\d{1,9}(\.\d)?$/.test(text) ? Math.round(Number(text.replace('v', '')) * 10) : undefined

/** Formats of a point in time. A bare integer is a position, or a version where versions are compared. */
export const momentForms = {
  position: 'a version (v1.3, v1 or 1.3), a log position (@1200 or 1200) or an ISO 8601 instant',
  version: 'a version (v1.3, v1, 1.3 or 1), a log position (@1200) or an ISO 8601 instant',
  catalog: 'a log position (@1200 or 1200) or an ISO 8601 instant: each entity has its own versions',
} as const

type Forms = keyof typeof momentForms

/** Parses a point in time. @throws DomainError `invalid` */
export const readMoment = (text: string, name = 'asOf', forms: Exclude<Forms, 'catalog'> = 'position'): AskedMoment => {
  const version = forms === 'position' && /^\d+$/.test(text) ? undefined : readVersion(text)
  return version === undefined ? readCatalogMoment(text, name, forms) : { version }
}

const readCatalogMoment = (text: string, name: string, forms: Forms): CatalogMoment => {
  if (/^@?\d{1,19}$/.test(text)) return { position: BigInt(text.replace('@', '')) }
  const time = readSentInstant(text)
  if (Number.isNaN(time)) throw badQuery(name, `must be ${momentForms[forms]}`)
  return { time }
}

/** Waits until the timeline shows a position and the cascades of everything before it. @param name of its parameter */
export const waitForTimeline = async (api: Api, position: bigint, name?: string): Promise<void> => {
  const { runner } = api
  const isShown = (at: bigint): boolean => (runner.position('timeline') ?? -1n) >= at
  if (!isShown(position) && !(await isLogPosition(api, position)))
    throw name === undefined
      ? new HttpError('BAD_REQUEST', 'What the cursor remembers is beyond the end of this catalog’s log.')
      : badQuery(name, 'is beyond the end of this catalog’s log')
  const settled = (await api.commands.waitForCascadesUpTo(position)) ?? position
  const all = settled > position ? settled : position
  if (isShown(all)) return
  const head = (await api.log.head()) ?? all
  await runner.waitFor(all > head ? head : all, undefined, 'timeline')
}

/** The position of a point in time, after the timeline shows it. @throws DomainError `invalid` */
export const positionOf = async (api: Api, moment: CatalogMoment, name: string): Promise<bigint> => {
  if ('time' in moment) await waitForProjection(api, activityProjection.name)
  const position = 'time' in moment ? ((await api.readModels.positionAt(moment.time)) ?? -1n) : moment.position
  await waitForTimeline(api, position, name)
  return position
}

/** The position of the moment of the catalog in a parameter, if it is sent. @throws DomainError `invalid` */
export const readPosition = async ({ api, query }: CatalogRequest, name = 'asOf'): Promise<bigint | undefined> => {
  const text = query.get(name)
  return text === undefined ? undefined : positionOf(api, readCatalogMoment(text, name, 'catalog'), name)
}

/** An entity at a point in time, and the catalog then. */
export interface EntityAt {
  readonly entity: Entity
  readonly at: PointInTime
}

/** A version of an entity as its own events made it, and the catalog then; `undefined` if there is none. */
export const versionAt = async (api: Api, identity: Identity, version: number): Promise<EntityAt | undefined> => {
  const entity = await api.history.asOf(identity, { version })
  if (entity === undefined) return undefined
  await waitForTimeline(api, entity.position)
  return { entity, at: pointInTime(api, entity) }
}

/** The entity at a point in time; `undefined` if it did not exist. @param name name of the parameter */
export const entityAt = async (
  api: Api,
  identity: Identity,
  moment: AskedMoment,
  name = 'asOf',
): Promise<EntityAt | undefined> => {
  const made = 'version' in moment ? await versionAt(api, identity, moment.version) : undefined
  const position = 'version' in moment ? made?.entity.position : await positionOf(api, moment, name)
  if (position === undefined) return undefined
  const own = made?.entity ?? (await api.history.asOf(identity, { position }))
  const [entity] = await settledAt(api.readModels, own ? [own] : [], position)
  return entity && { entity, at: pointInTime(api, { position }) }
}

/** Whether the life that a state belongs to has ended: it is shown only with permission for the history. */
export const hasEnded = (then: Pick<EntityRow, 'born'>, now: Pick<EntityRow, 'born' | 'status'> | undefined): boolean =>
  now === undefined || now.status === 'gone' || now.born !== then.born

/** A position as a parameter takes it: nothing is before 0. */
export const positionParameter = (position: bigint): string => `@${position < 0n ? 0n : position}`

/** The `asOf` of a position. @throws DomainError `not_found` before the first event */
export const asOfPosition = (position: bigint | undefined): string | undefined => {
  if (position !== undefined && position < 0n) throw notFound('There was nothing in the catalog yet.')
  return position === undefined ? undefined : positionParameter(position)
}

/** Present conditions for what the caller sees of the past. @throws DomainError `forbidden` */
export const currentFilter = async (request: KindRequest): Promise<CurrentFilter> => {
  const { api, access, definition } = request
  const limited = [request.permission, access.must('versions', definition.name)].includes('ifOwner')
  const exists = access.may('history', definition.name) !== 'yes'
  const owners = limited ? await access.own() : undefined
  if (exists || limited) await waitForProjection(api, 'timeline')
  return { exists, owners }
}

/** What the keys in a cursor may say of the point in time of its list. */
type CursorMoments = Partial<Record<'after' | 'before', { readonly position?: bigint | undefined } | undefined>>

/** The point in time of a list request or its cursor; `undefined` for now. @throws DomainError, HttpError */
export const readListMoment = async (
  request: KindRequest,
  { after, before }: CursorMoments = {},
): Promise<Required<TimelineMoment> | undefined> => {
  const { api } = request
  const remembered = (after ?? before)?.position
  const snapshot = readFlag(request.query, 'snapshot')
  if (remembered === undefined && !request.query.has('asOf') && !snapshot) return undefined
  const current = await currentFilter(request)
  const position = remembered ?? (await readPosition(request)) ?? (await api.runner.shownPosition()) ?? -1n
  await waitForTimeline(api, position)
  return { position, current }
}

/** The catalog now or at a position; lists of the past have only what is still there for the caller. */
export const catalogFor = (
  { api, access }: Pick<CatalogRequest, 'api' | 'access'>,
  position: bigint | undefined,
): PointInTime => {
  if (position === undefined) return api.readModels
  const list: PointInTime['list'] = (query) =>
    listAt(api, { ...query, position, current: { exists: access.may('history', query.kind) !== 'yes' } })
  return { ...pointInTime(api, { position }), list }
}
