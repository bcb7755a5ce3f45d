import { z } from 'zod'
import { verbs } from '../../events/verbs.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import { principalKind, proposalKind } from '../../kinds/registry/kinds.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import type { ActivityRow } from '../../projections/activity/port.ts'
import { keptInbox } from '../../projections/inbox/inbox.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { InboxEntry } from '../../subscriptions/inbox/messages.ts'
import type { InboxSource } from '../../subscriptions/inbox/deliveringInbox.ts'
import { concerns, type InboxReason, type Webhook } from '../../subscriptions/webhooks/webhook.ts'
import type { Api, ApiActor } from '../deps.ts'
import { waitForProjection, ownIncarnations } from '../entities/reads/callerReads.ts'
import { activityEntry, entriesOf } from '../feed/activityRoutes.ts'
import { ownerOf } from '../feed/feedQuery.ts'
import { shownProposals } from '../proposals/shownProposals.ts'

export const inboxEntry = activityEntry
  .extend({
    concern: z
      .enum(concerns)
      .describe(
        'Why it is told: the entity is owned, or followed; a change of it is proposed, or a proposal decided on; what ' +
          'it is tested or promised failed; it was to be confirmed by its owners, and was not',
      ),
    proposal: z.uuid().optional().describe('The proposal, of which `entity` is what it is about'),
  })
  .meta({ id: 'InboxEntry', description: 'An event that concerns the caller' })

/** What stands in an inbox, as its reader may view it. */
export type ShownEntry = InboxEntry & { readonly concern: InboxReason }

/** Waits until inboxes show what the entities show. */
export const levelInbox = async (api: Api): Promise<void> => {
  for (const name of [keptInbox.layout.name, activityProjection.name]) await waitForProjection(api, name)
}

const concernOf = ({ type, kind, owners }: ActivityRow, own: ReadonlySet<string>): InboxReason => {
  if (kind === proposalKind) return 'proposed'
  if (type === 'FellDue') return 'due'
  if (!verbs[type].makesVersion) return 'failed'
  return owners.some((owner) => own.has(owner)) ? 'owned' : 'followed'
}

/** Entries at these positions that the reader may view and has not brought about himself, in this order. */
export const shownEntries = async ({ api, actor }: ApiActor, positions: readonly bigint[]): Promise<ShownEntry[]> => {
  if (positions.length === 0) return []
  const own = new Set(await ownIncarnations(api, actor.name))
  const mayView = ({ kind, owners, user }: ActivityRow): boolean => {
    if (user === actor.name) return false
    if (kind === proposalKind) return true
    const permission = api.permits(actor, 'view', kind)
    return permission === 'yes' || (permission === 'ifOwner' && owners.some((owner) => own.has(owner)))
  }
  const rows = (await api.readModels.activityAt(positions)).filter(mayView)
  const texts = await entriesOf({ actor, api }, rows)
  const proposals = await proposalsIn({ actor, api }, rows)
  const entries = rows.flatMap((row, at): [bigint, ShownEntry][] => {
    const proposal = proposals.get(row.entityId)
    if (row.kind === proposalKind && proposal === undefined) return []
    const entry = { ...JSON.parse(texts[at] as string), ...proposal, concern: concernOf(row, own) } as ShownEntry
    return [[row.position, entry]]
  })
  const byPosition = new Map(entries)
  return positions.flatMap((position) => byPosition.get(position) ?? [])
}

/** What entries of proposals show beside what happened. */
const proposalsIn = async (asking: ApiActor, rows: readonly ActivityRow[]): Promise<Map<string, JsonObject>> => {
  const ids = rows.flatMap(({ kind, entityId }) => (kind === proposalKind ? [entityId] : []))
  if (ids.length === 0) return new Map()
  const shown = await shownProposals(asking, [...(await asking.api.readModels.getMany([...new Set(ids)])).values()])
  return new Map(
    shown.map(({ id, entity, members, status, proposer }) => {
      const names = (members as string[]).join(', ')
      const summary =
        status === 'open'
          ? `${String(proposer)} proposes to change ${names}.`
          : `The proposal of ${String(proposer)} to change ${names} is ${String(status)}.`
      return [String(id), { entity: entity as Json, summary, proposal: id as Json }]
    }),
  )
}

/** The inbox that a delivery sends. @param otherwise role of a reader whose roles are not known */
export const inboxSource = (api: Api, webhook: Webhook, otherwise: string): InboxSource => {
  const actor = ownerOf(webhook, otherwise)
  const { readModels, runner } = api
  const wanted = new Set<string>(webhook.inbox?.concerns)
  return {
    places: async (after, limit) => {
      const shown = await runner.shown()
      await levelInbox(api)
      const lives = await ownIncarnations(api, actor.name)
      const found = await readModels.inbox({ lives, after, limit, oldestFirst: true })
      const positions = found.filter((position) => shown !== undefined && position <= shown)
      const rows = await readModels.activityAt(positions)
      const times = new Map(rows.map(({ position, time }) => [position, time]))
      return { places: positions.map((position) => ({ position, time: times.get(position) ?? 0 })), shown }
    },
    entries: async (positions) =>
      (await shownEntries({ actor, api }, positions)).filter(({ concern }) => wanted.has(concern)),
    reader: async () => {
      const row = await readModels.get(entityId(principalKind, buildFqn([actor.name])))
      if (row === undefined || row.status !== 'live') return undefined
      const { email } = { ...JSON.parse(row.shownAlways), ...JSON.parse(row.shownOnRequest) } as { email?: string }
      return { email }
    },
  }
}
