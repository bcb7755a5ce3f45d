import { invalid, notFound } from '../../commands/errors.ts'
import type { Deed } from '../../commands/requests/undo.ts'
import { principalKind } from '../../kinds/index.ts'
import { buildFqn } from '../../kinds/names.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import type { ActivityRow } from '../../projections/activity/port.ts'
import { mapInChunks } from '../../shared/chunks.ts'
import { limits } from '../../shared/limits.ts'
import type { Api } from '../deps.ts'
import { catchUp, levelWithEntities } from '../entities/reads/catchUp.ts'
import { ownLives } from '../entities/reads/owners.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { ApiRequest } from '../http/route.ts'

/** Histories that are read side by side. */
const atOnce = 50

/** Everything that a request did, oldest first. @throws DomainError `invalid` when that is too much */
const rowsOf = async (api: Api, correlationId: string): Promise<ActivityRow[]> => {
  const most = limits.bulkItems.value
  const rows: ActivityRow[] = []
  for (let after: bigint | undefined; ;) {
    const page = await api.readModels.activity({ correlationId, oldestFirst: true, after, limit: 1000 })
    rows.push(...page.rows)
    if (rows.length > most)
      throw invalid([{ path: '', message: `the request did more than ${most} things: they are not taken back as one` }])
    if (page.next === undefined) return rows
    after = page.next
  }
}

/** Everybody is given an entity with his first write. */
const isCaller = ({ kind, user, type, fullyQualifiedName }: ActivityRow): boolean =>
  kind === principalKind && type === 'Created' && fullyQualifiedName === buildFqn([user])

/** May the caller see that this happened? */
const seer = async (api: Api, request: ApiRequest): Promise<(row: ActivityRow) => boolean> => {
  const own = await ownLives(api, request.actor.name)
  return ({ kind, owners }) => {
    const permissions = (['history', 'view'] as const).map((operation) => api.permits(request.actor, operation, kind))
    if (permissions.includes('no')) return false
    return !permissions.includes('ifOwner') || owners.some((owner) => own.includes(owner))
  }
}

/**
 * What a request did to each entity. @throws DomainError `not_found`; HttpError FORBIDDEN when only some may be seen
 */
export const deedsOf = async (api: Api, request: ApiRequest, correlationId: string): Promise<Deed[]> => {
  await catchUp(api, request)
  await levelWithEntities(api, activityProjection.name)
  const rows = (await rowsOf(api, correlationId)).filter((row) => !isCaller(row))
  const sees = await seer(api, request)
  const seen = rows.filter(sees).length
  if (seen === 0) throw notFound(`No request ${correlationId} has done anything that you may see.`)
  if (seen < rows.length)
    throw new HttpError(
      'FORBIDDEN',
      `Request ${correlationId} did things that you may not see: it cannot be taken back.`,
    )
  const byEntity = [...Map.groupBy(rows, ({ entityId }) => entityId)]
  const present = await api.commands.lookup(byEntity.map(([id]) => id))
  return mapInChunks(byEntity, atOnce, async ([id, own]): Promise<Deed> => {
    const [first, last] = [own[0], own.at(-1)] as [ActivityRow, ActivityRow]
    const identity = { kind: first.kind, id }
    const [before, after] = await Promise.all([
      first.position === 0n ? undefined : api.history.asOf(identity, { position: first.position - 1n }),
      api.history.asOf(identity, { position: last.position }),
    ])
    const changed = new Set(own.flatMap((row) => row.changed))
    return { definition: api.kindNamed(first.kind), id, before, after, present: present.get(id), changed }
  })
}
