import { streamName } from '../../events/events.ts'
import { forbidden, invalidAt, notFound } from '../../commands/errors.ts'
import { chunkSize } from '../../commands/requests/execute.ts'
import { joined, type StateChange, type Effect } from '../../commands/requests/undo.ts'
import { kindNamed, principalKind, proposalKind } from '../../kinds/registry/kinds.ts'
import { buildFqn } from '../../kinds/names.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import type { ActivityRow } from '../../projections/activity/port.ts'
import { chunksOf, mapInChunks } from '../../shared/bounds.ts'
import { limits } from '../../shared/limits.ts'
import type { Api, CatalogRequest } from '../deps.ts'
import { userId } from '../../commands/caller.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { approverMembers } from '../entities/changePolicies.ts'

/** Entities whose states are read concurrently. */
export const effectsAtOnce = 50

/** What a request did to an entity: where its events are, and what they changed. */
export interface EntityActivity {
  readonly id: string
  readonly kind: string
  /** Ascending. */
  readonly positions: bigint[]
  readonly changed: Set<string>
  forgets?: boolean
}

const isOwnCreation = ({ kind, user, type, fullyQualifiedName }: ActivityRow): boolean =>
  kind === principalKind && type === 'Created' && fullyQualifiedName === buildFqn([user])

/** Whether the caller did it, and not somebody who had the name before. */
const isByCaller = async ({ api, actor }: CatalogRequest, { user, position }: ActivityRow): Promise<boolean> => {
  const row = user === actor.name ? await api.readModels.get(userId(user)) : undefined
  if (row === undefined || row.status === 'gone') return false
  for await (const born of api.log.readStream(streamName(row.kind, row.id), { from: row.born, limit: 1 }))
    return born.position <= position
  return false
}

/**
 * All that a request did, oldest first. @throws DomainError `not_found`, `invalid` if there is too much or nothing that
 * can be undone; DomainError `forbidden` when the caller may see only some
 */
export const activitiesOf = async (request: CatalogRequest, correlationId: string): Promise<EntityActivity[]> => {
  const { api, access } = request
  const most = limits.revertedEvents.value
  await waitForProjection(api, activityProjection.name)
  const activities = new Map<string, EntityActivity>()
  let [count, seen] = [0, 0]
  let [first, isOwn]: [ActivityRow?, boolean?] = []
  for (let after: bigint | undefined; ;) {
    const page = await api.readModels.activity({ correlationId, oldestFirst: true, after, limit: 1000 })
    // The catalog's own events follow those of the user.
    first ??= page.rows[0]
    isOwn ??= first !== undefined && (await isByCaller(request, first))
    // Decisions on proposals are not reverted.
    const rows = page.rows.filter((row) => row.kind !== proposalKind && !isOwnCreation(row))
    count += rows.length
    if (count > most) throw invalidAt('', `the request has more than ${most} events: too many to undo`)
    for (const row of rows) {
      // Of what the caller did himself he sees what he may view.
      if (await access.holds(access.may(isOwn ? 'view' : 'history', row.kind), row)) seen++
      const { entityId: id, kind, position } = row
      const activity = activities.get(id) ?? { id, kind, positions: [], changed: new Set() }
      activities.set(id, activity)
      activity.positions.push(position)
      for (const name of row.changed) activity.changed.add(name)
      if (row.type === 'Forgotten') activity.forgets = true
    }
    if (page.next === undefined) break
    after = page.next
    request.progress()
  }
  if (count === 0 && first !== undefined && (isOwn || (await access.holds(access.may('history', first.kind), first))))
    throw invalidAt('', 'the request only made or decided proposals, or its user: nothing to undo')
  if (seen === 0) throw notFound(`No request ${correlationId} has done anything that you may see.`)
  if (seen === count) return [...activities.values()]
  throw forbidden(`Request ${correlationId} did things that you may not see, so you cannot undo it.`)
}

const effectOf = async (
  { history, commands }: Api,
  { id, kind, positions, changed, forgets = false }: EntityActivity,
): Promise<Effect> => {
  const definition = kindNamed(kind)
  let own: StateChange = { definition, before: undefined, after: undefined }
  for await (const transition of history.transitions({ kind, id }, positions)) own = joined(own, transition)
  const present = (await commands.lookup([id])).get(id)
  return { ...own, id, present, changed, forgets }
}

/** Reads effects, in groups that fit into memory: those of large entities alone, others as many as a chunk of requests. */
export async function* readEffects(
  { api, progress }: CatalogRequest,
  activities: readonly EntityActivity[],
): AsyncGenerator<readonly Effect[]> {
  for (const some of chunksOf(activities, chunkSize)) {
    const heads = await api.readModels.getHeads(some.map(({ id }) => id))
    const [small = [], large = []] = [false, true].map((isLarge) =>
      some.filter(({ id }) => (heads.get(id)?.isLarge !== false) === isLarge),
    )
    for (const together of [small, ...large.map((activity) => [activity])])
      yield await mapInChunks(together, effectsAtOnce, (activity) => effectOf(api, activity))
    progress()
  }
}

/**
 * The members whose users can do by approving what a request did to an entity: confirm it, or accept proposals.
 * @returns `undefined` if it did anything else
 */
export const approversOf = async (
  { log }: Pick<Api, 'log'>,
  { positions }: EntityActivity,
): Promise<readonly string[] | undefined> => {
  let approvers: readonly string[] | undefined
  for (const position of positions) {
    const event = await log.eventAt(position)
    if (event?.type === 'Confirmed') approvers = ['owners']
    else if (event?.metadata.proposal === undefined) return undefined
    else approvers ??= approverMembers
  }
  return approvers
}
