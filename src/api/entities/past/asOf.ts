import { notFound } from '../../../commands/errors.ts'
import type { Entity } from '../../../commands/evolve.ts'
import type { Reference } from '../../../events/events.ts'
import { lifeOf, presentLife } from '../../../events/lives.ts'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { type ShownRow, toRow, toShownRow } from '../../../projections/entities/entityRow.ts'
import type { ReferenceRow } from '../../../projections/entities/row.ts'
import type { Moment } from '../../../projections/past.ts'
import { mapInChunks } from '../../../shared/chunks.ts'
import type { Api } from '../../deps.ts'
import type { ApiRequest } from '../../http/route.ts'
import type { Past } from '../present.ts'
import { catchUp, isOfTheLog, levelWithEntities } from '../reads/catchUp.ts'
import { findRow } from '../reads/findRow.ts'
import { readMoment } from '../reads/moments.ts'
import { idIn, nameIn, noSuch } from '../reads/named.ts'
import { mustBeAllowed, mustOwn, ownedThen } from '../reads/owners.ts'
import { badQuery } from '../../http/queryParameters.ts'
import { pastRelations } from './relations.ts'

/** The row of the entity as it was. @throws DomainError `not_found` when it did not exist then */
export const rowAsOf = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  asOf: string,
): Promise<PastRow> => {
  await catchUp(api, request)
  const moment = readMoment(asOf)
  if ('position' in moment && !(await isOfTheLog(api, moment.position)))
    throw badQuery('asOf', 'is beyond the end of this catalog’s log')
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
