import type { KindDefinition } from '../../../kinds/defineKind.ts'
import type { StillSo } from '../../../projections/timeline/port.ts'
import type { Api } from '../../deps.ts'
import { HttpError } from '../../http/problemDetails.ts'
import type { ApiRequest } from '../../http/route.ts'
import { isOfTheLog, levelWithEntities } from '../reads/catchUp.ts'
import { mustBeAllowed, ownLives } from '../reads/owners.ts'
import { positionOf } from './asOf.ts'
import { badQuery } from '../../http/queryParameters.ts'
import { readFlag } from '../reads/queryValues.ts'
import { readMoment } from '../reads/moments.ts'

export interface PastMoment {
  /** Everything up to this position has happened; -1: nothing has. */
  readonly position: bigint
  readonly still: StillSo
}

/** What was is worked out from the log; what is only looked up. */
export const ofThePast = ({ query }: ApiRequest): 'past' | undefined =>
  query.has('asOf') || query.has('snapshot') ? 'past' : undefined

/** The position that `asOf` means for more than one entity. @throws DomainError `invalid` */
export const readPosition = async (api: Api, asOf: string): Promise<bigint> => {
  const moment = readMoment(asOf)
  if ('version' in moment)
    throw badQuery(
      'asOf',
      'must be a log position (@1200 or 1200) or an ISO 8601 instant: each entity has its own versions',
    )
  if ('time' in moment) return positionOf(api, moment)
  const isShown = (api.runner.position('timeline') ?? -1n) >= moment.position
  if (!isShown && !(await isOfTheLog(api, moment.position)))
    throw badQuery('asOf', 'is beyond the end of this catalog’s log')
  return moment.position
}

/** What must still be so today of what the caller sees of the past, as for one entity. @throws HttpError FORBIDDEN */
export const stillFor = async (api: Api, request: ApiRequest, definition: KindDefinition): Promise<StillSo> => {
  const limited = [request.permission, mustBeAllowed(api, request, 'versions', definition)].includes('ifOwner')
  const exists = api.permits(request.actor, 'history', definition.name) !== 'yes'
  const owners = limited ? await ownLives(api, request.actor.name) : undefined
  if (exists || limited) await levelWithEntities(api, 'timeline')
  return { exists, owners }
}

/** Waits until the timeline shows the position, which is one of the log. */
export const waitUntilShown = async (api: Pick<Api, 'runner' | 'log'>, position: bigint): Promise<void> => {
  const { runner } = api
  if ((runner.position('timeline') ?? -1n) >= position) return
  if (!(await isOfTheLog(api, position)))
    throw new HttpError('BAD_REQUEST', 'What the cursor remembers is beyond the end of this catalog’s log.')
  await runner.waitFor(position, undefined, 'timeline')
}

/** The moment of a list request, or what its cursor remembers; `undefined`: now. @throws DomainError, HttpError */
export const readPast = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  remembered: bigint | undefined,
): Promise<PastMoment | undefined> => {
  const asOf = request.query.get('asOf')
  const snapshot = readFlag(request.query, 'snapshot')
  if (remembered === undefined && asOf === undefined && !snapshot) return undefined
  const still = await stillFor(api, request, definition)
  const asked = remembered ?? (asOf === undefined ? undefined : await readPosition(api, asOf))
  const position = asked ?? (await api.runner.shown()) ?? -1n
  await waitUntilShown(api, position)
  return { position, still }
}
