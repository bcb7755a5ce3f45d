import { invalid, notFound } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import type { Effect } from '../../commands/requests/undo.ts'
import { kindNamed, principalKind, proposalKind } from '../../kinds/registry/kinds.ts'
import { buildFqn } from '../../kinds/names.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import type { ActivityRow } from '../../projections/activity/port.ts'
import { chunksOf, mapInChunks } from '../../shared/bounds.ts'
import { jsonLength } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Api, CatalogRequest } from '../deps.ts'
import { holdsFor, waitForProjection, ownIncarnations } from '../entities/reads/callerReads.ts'
import { HttpError } from '../http/problemDetails.ts'

/** Number of histories read concurrently. */
const atOnce = 50

/** Largest total length of former, resulting and present states in memory. */
const mostHeld = 32 * 1024 * 1024

/** All activity of a request, oldest first. @throws DomainError `invalid` if there is too much */
const rowsOf = async (api: Api, correlationId: string): Promise<ActivityRow[]> => {
  const most = limits.bulkItems.value
  const rows: ActivityRow[] = []
  for (let after: bigint | undefined; ;) {
    const page = await api.readModels.activity({ correlationId, oldestFirst: true, after, limit: 1000 })
    rows.push(...page.rows)
    if (rows.length > most)
      throw invalid([{ path: '', message: `the request has more than ${most} events: too many to take back` }])
    if (page.next === undefined) return rows
    after = page.next
  }
}

/** Whether a row is the automatic creation of the caller's entity. */
const isCaller = ({ kind, user, type, fullyQualifiedName }: ActivityRow): boolean =>
  kind === principalKind && type === 'Created' && fullyQualifiedName === buildFqn([user])

/** Makes the check whether the caller may see a row. */
const makeRowFilter = async (request: CatalogRequest): Promise<(row: ActivityRow) => boolean> => {
  const { api } = request
  const own = await ownIncarnations(api, request.actor.name)
  return ({ kind, owners }) => {
    const edges = owners.map((target) => ({ rel: 'owners', target }))
    return holdsFor(api.permits(request.actor, 'history', kind), { edges }, own)
  }
}

/**
 * The effects of a request by entity. @throws DomainError `not_found`; HttpError FORBIDDEN when the caller may see only
 * some
 */
export const effectsOf = async (request: CatalogRequest, correlationId: string): Promise<Effect[]> => {
  const { api } = request
  await waitForProjection(api, activityProjection.name)
  // Decisions on proposals are not reverted.
  const rows = (await rowsOf(api, correlationId)).filter((row) => row.kind !== proposalKind && !isCaller(row))
  const sees = await makeRowFilter(request)
  const seen = rows.filter(sees).length
  if (seen === 0) throw notFound(`No request ${correlationId} has done anything that you may see.`)
  if (seen < rows.length)
    throw new HttpError(
      'FORBIDDEN',
      `Request ${correlationId} did things that you may not see: it cannot be taken back.`,
    )
  const byEntity = [...Map.groupBy(rows, ({ entityId }) => entityId)]
  const effectOf = makeEffectOf(api)
  const effects = await mapInChunks(chunksOf(byEntity, atOnce), 1, async (some) => {
    const heads = await api.readModels.getHeads(some.map(([id]) => id))
    const [large = [], small = []] = [true, false].map((size) =>
      some.filter(([id]) => (heads.get(id)?.isLarge !== false) === size),
    )
    return [...(await mapInChunks(small, atOnce, effectOf)), ...(await mapInChunks(large, 1, effectOf))]
  })
  const byId = new Map(effects.flat().map((effect) => [effect.id, effect]))
  return byEntity.flatMap(([id]) => byId.get(id) ?? [])
}

/** @throws DomainError `invalid` if the changes are too large for memory */
const makeEffectOf = (api: Api) => {
  let held = 0
  const hold = (entity: Entity | undefined): void => {
    held += entity === undefined ? 0 : jsonLength(entity.members)
    if (held > mostHeld)
      throw invalid([
        { path: '', message: 'the changes of the request are too large to be taken back at once: revert the entities' },
      ])
  }
  return async ([id, own]: [string, ActivityRow[]]): Promise<Effect> => {
    const [first, last] = [own[0], own.at(-1)] as [ActivityRow, ActivityRow]
    const identity = { kind: first.kind, id }
    const [before, after] = await Promise.all([
      first.position === 0n ? undefined : api.history.asOf(identity, { position: first.position - 1n }),
      api.history.asOf(identity, { position: last.position }),
    ])
    const present = (await api.commands.lookup([id])).get(id)
    for (const each of [before, after, present]) hold(each)
    const changed = new Set(own.flatMap((row) => row.changed))
    return { definition: kindNamed(first.kind), id, before, after, present, changed }
  }
}
