import { z } from 'zod'
import { invalidAt } from '../../commands/errors.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { CatalogRequest, CatalogRoute, Api, ApiActor } from '../deps.ts'
import { storedMembers } from '../entities/answers/entityText.ts'
import { userId } from '../../commands/caller.ts'
import { makeAccess } from '../access.ts'
import { pagingForwards } from '../entities/parameters.ts'
import { isLogPosition, waitForProjection } from '../entities/reads/catchUp.ts'
import { numberKey, readFlag, readPage } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonAnswer, jsonBody, ok, queryFlag, route, type Answer } from '../http/route.ts'
import type { EventType } from '../../events/events.ts'
import { verbs } from '../../events/verbs.ts'
import { incidentMember, proposalKind } from '../../kinds/registry/kinds.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import type { ActivityRow } from '../../projections/activity/port.ts'
import { inboxDocuments } from '../../projections/inbox/inbox.ts'
import type { InboxEntry } from '../../subscriptions/inbox/messages.ts'
import type { InboxSource } from '../../subscriptions/inbox/inboxOutlet.ts'
import { concerns, type InboxReason, type Webhook } from '../../subscriptions/webhooks/webhook.ts'
import { activityEntry, entryTexts } from '../feed/activityRoutes.ts'
import { ownerOf } from '../feed/feedQuery.ts'
import { presentProposals } from '../proposals/presentProposals.ts'

const inboxEntry = activityEntry
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
type InboxItem = InboxEntry & { readonly concern: InboxReason }

/** Waits until inboxes show what the entities show. */
const waitForInbox = async (api: Api): Promise<void> => {
  for (const name of [inboxDocuments.layout.name, activityProjection.name]) await waitForProjection(api, name)
}

const concernOf = ({ type, kind, owners, changed }: ActivityRow, own: ReadonlySet<string>): InboxReason => {
  if (kind === proposalKind) return 'proposed'
  if (type === 'FellDue') return 'due'
  if (!verbs[type].makesVersion || (type === 'Updated' && changed.includes(incidentMember))) return 'failed'
  return owners.some((owner) => own.has(owner)) ? 'owned' : 'followed'
}

/** Entries at these positions that the reader may view and has not brought about himself, in this order. */
const presentEntries = async (asking: ApiActor, positions: readonly bigint[]): Promise<InboxItem[]> => {
  if (positions.length === 0) return []
  const { api, actor, access } = asking
  const own = new Set(await access.own())
  const holds = await access.makeCheck('ifOwner')
  const mayView = (row: ActivityRow): boolean =>
    row.user !== actor.name && (row.kind === proposalKind || holds(access.may('view', row.kind), row))
  const rows = (await api.readModels.activityAt(positions)).filter(mayView)
  const texts = await entryTexts(asking, rows)
  const proposals = await proposalsIn(asking, rows)
  const entries = rows.flatMap((row, at): [bigint, InboxItem][] => {
    const proposal = proposals.get(row.entityId)?.(row.type)
    if (row.kind === proposalKind && proposal === undefined) return []
    const entry = { ...JSON.parse(texts[at] as string), ...proposal, concern: concernOf(row, own) } as InboxItem
    return [[row.position, entry]]
  })
  const byPosition = new Map(entries)
  return positions.flatMap((position) => byPosition.get(position) ?? [])
}

/** What entries of proposals show beside what happened: that they were made, or how they were decided. */
const proposalsIn = async (
  asking: ApiActor,
  rows: readonly ActivityRow[],
): Promise<Map<string, (type: EventType) => JsonObject>> => {
  const ids = rows.flatMap(({ kind, entityId }) => (kind === proposalKind ? [entityId] : []))
  if (ids.length === 0) return new Map()
  const shown = await presentProposals(asking, [...(await asking.api.readModels.getMany([...new Set(ids)])).values()])
  return new Map(
    shown.map(({ id, entity, members, status, proposer }) => {
      const names = (members as string[]).join(', ')
      const summaryOf = (type: EventType): string =>
        type === 'Created' || status === 'open'
          ? `${String(proposer)} proposes to change ${names}.`
          : `The proposal of ${String(proposer)} to change ${names} is ${String(status)}.`
      const shownFor = (type: EventType) => ({ entity: entity as Json, summary: summaryOf(type), proposal: id as Json })
      return [String(id), shownFor]
    }),
  )
}

/** The inbox that a delivery sends. @param otherwise role of a reader whose roles are not known */
export const inboxSource = (api: Api, webhook: Webhook, otherwise: string): InboxSource => {
  const actor = ownerOf(webhook, otherwise)
  const { readModels, runner } = api
  const askAnew = (): ApiActor => ({ api, actor, access: makeAccess(api, actor) })
  const wanted = new Set<string>(webhook.inbox?.concerns)
  return {
    places: async (after, limit) => {
      const reached = await runner.shownPosition()
      await waitForInbox(api)
      const incarnations = await askAnew().access.own()
      const found = await readModels.inbox({ incarnations, after, limit, oldestFirst: true })
      const positions = found.filter((position) => reached !== undefined && position <= reached)
      const rows = await readModels.activityAt(positions)
      const times = new Map(rows.map(({ position, time }) => [position, time]))
      return { places: positions.map((position) => ({ position, time: times.get(position) ?? 0 })), reached }
    },
    entries: async (positions) =>
      (await presentEntries(askAnew(), positions)).filter(({ concern }) => wanted.has(concern)),
    reader: async () => {
      const row = await readModels.get(userId(actor.name))
      if (row === undefined || row.status === 'gone' || row.born !== BigInt(webhook.life ?? 0)) return undefined
      const { email } = storedMembers(row) as { email?: string }
      return { email, isDeleted: row.status === 'deleted' }
    },
  }
}

const maxLimit = 100

/** Unread entries that are counted at most. */
const maxUnread = 100

const unread = z.int().max(maxUnread).describe(`Entries that are not read, at most ${maxUnread}`)

const inboxPage = z
  .object({
    data: z.array(inboxEntry.extend({ read: z.boolean() })),
    paging: z.object({ after: z.string().optional() }),
    unread,
  })
  .meta({ id: 'Inbox', description: 'One page of the inbox of the caller, newest first.' })

const position = z.string().regex(/^\d{1,19}$/, 'must be the position of an entry')

const readBody = z
  .strictObject({
    upTo: position.optional().describe('Mark all entries up to this position as read'),
    positions: z.array(position).max(maxLimit).optional().describe('Mark these entries as read'),
  })
  .meta({ id: 'ReadRequest', description: 'Inbox entries to mark as read.' })

export const inboxRoutes: CatalogRoute[] = [
  route('get', '/v1/inbox', 'read_inbox', {
    tag: 'inbox',
    summary: 'Events that concern the caller: changes to owned or followed entities, proposals, failures; newest first',
    permission: 'signedIn',
    parameters: [queryFlag('unread', 'Only unread entries'), ...pagingForwards(maxLimit, 1)],
    answers: ok(
      'One page. It may be shorter than `limit` before the end: the end is where `paging.after` is absent',
      inboxPage,
    ),
    handle: (request) => readInbox(request),
  }),
  route('put', '/v1/inbox/read', 'mark_read', {
    tag: 'inbox',
    summary: 'Mark inbox entries as read',
    permission: 'signedIn',
    body: jsonBody(readBody),
    answers: ok('What is left', z.object({ unread }).meta({ id: 'Unread' })),
    handle: (request) => markRead(request),
  }),
]

/** What is read: all up to a position, and single entries. */
const loadReadState = async ({ api, actor }: CatalogRequest) => {
  const marks = await api.inbox.readMarks(actor.name)
  const ends = marks.flatMap((mark) => (mark.upTo ? [mark.position] : []))
  const upTo = ends.reduce((last, each) => (each > last ? each : last), -1n)
  return { upTo, single: new Set(marks.map((mark) => mark.position)) }
}

type ReadState = Awaited<ReturnType<typeof loadReadState>>

/** Positions that one page looks through. */
const pageScanLimit = 1_000

const isRead = ({ upTo, single }: ReadState, at: bigint): boolean => at <= upTo || single.has(at)

/** Entries until there are enough; and where to go on, where there may be more. */
const scanInbox = async (
  request: CatalogRequest,
  read: ReadState,
  limit: number,
  { unreadAlone, before }: { readonly unreadAlone: boolean; readonly before?: bigint | undefined },
  scanLimit = pageScanLimit,
) => {
  const { api, access } = request
  const incarnations = await access.own()
  const entries: InboxItem[] = []
  let next: bigint | undefined = before
  for (let scanned = 0; scanned < scanLimit;) {
    const size = limit + 1
    const after = unreadAlone ? read.upTo : undefined
    const found = await api.readModels.inbox({ incarnations, before: next, after, limit: size })
    const wanted = unreadAlone ? found.filter((one) => !isRead(read, one)) : found
    entries.push(...(await presentEntries(request, wanted)))
    next = found.at(-1)
    scanned += found.length
    if (entries.length > limit) return { entries: entries.slice(0, limit), next: positionOf(entries[limit - 1]) }
    if (found.length < size) return { entries, next: undefined }
  }
  return { entries, next }
}

const positionOf = (entry: InboxItem | undefined): bigint => BigInt(entry?.position ?? 0)

/** Unlike a page, a count cannot say that it goes on elsewhere: it looks through all, until there are enough. */
const countUnread = async (request: CatalogRequest, read: ReadState): Promise<number> =>
  (await scanInbox(request, read, maxUnread, { unreadAlone: true }, Infinity)).entries.length

const readInbox = async (request: CatalogRequest): Promise<Answer> => {
  const unreadAlone = readFlag(request.query, 'unread')
  const { limit, after, cursorAt } = readPage(request, numberKey)
  await waitForInbox(request.api)
  const read = await loadReadState(request)
  const page = await scanInbox(request, read, limit, { unreadAlone, before: after })
  const data = page.entries.map((entry) => ({ ...entry, read: isRead(read, positionOf(entry)) }))
  const paging = page.next === undefined ? {} : { after: cursorAt(page.next) }
  return jsonAnswer({ data: data as Json[], paging, unread: await countUnread(request, read) })
}

const markRead = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const { upTo, positions = [] } = parseBody(readBody, request.body)
  if (upTo === undefined && positions.length === 0) throw invalidAt('', 'give upTo or positions')
  const mark = (text: string, isEnd: boolean) => ({ position: BigInt(text), upTo: isEnd })
  const marks = [...positions.map((text) => mark(text, false)), ...(upTo === undefined ? [] : [mark(upTo, true)])]
  const last = marks.reduce((most, { position: at }) => (at > most ? at : most), 0n)
  if (!(await isLogPosition(api, last))) throw invalidAt('', `${last} is beyond the end of the log`)
  await api.inbox.addReadMarks(request.actor.name, marks)
  await waitForInbox(api)
  return jsonAnswer({ unread: await countUnread(request, await loadReadState(request)) })
}
