import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import type { WebhookStore } from '../../subscriptions/webhooks/webhookStore.ts'
import type { Json } from '../../shared/json.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { isOfTheLog, ownIncarnations } from '../entities/reads/callerReads.ts'
import { readFlag, makeCursor, readPage } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonAnswer, jsonBody, ok, queryParameter, route, type Answer, type ApiRequest } from '../http/route.ts'
import { inboxEntry, levelInbox, shownEntries, type ShownEntry } from './inboxEntries.ts'

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

export const inboxRoutes = (store: WebhookStore): CatalogRoute[] => [
  route('get', '/v1/inbox', 'read_inbox', {
    tag: 'inbox',
    summary: 'Events that concern the caller: changes to owned or followed entities, proposals, failures; newest first',
    permission: 'signedIn',
    parameters: [
      queryParameter('unread', 'Only unread entries', z.boolean().default(false)),
      queryParameter('limit', 'Page size', z.int().min(1).max(maxLimit).default(10)),
      queryParameter('after', 'Cursor `paging.after` of the previous page'),
    ],
    answers: ok(
      'One page. It may be shorter than `limit` before the end: the end is where `paging.after` is absent',
      inboxPage,
    ),
    handle: (request) => readInbox(store, request),
  }),
  route('put', '/v1/inbox/read', 'mark_read', {
    tag: 'inbox',
    summary: 'Mark inbox entries as read',
    permission: 'signedIn',
    body: jsonBody(readBody),
    answers: ok('What is left', z.object({ unread }).meta({ id: 'Unread' })),
    handle: (request) => markRead(store, request),
  }),
]

interface Read {
  /** All up to here are read. */
  readonly upTo: bigint
  readonly single: ReadonlySet<bigint>
}

const readBy = async (store: WebhookStore, { actor }: ApiRequest): Promise<Read> => {
  const marks = await store.readMarks(actor.name)
  const ends = marks.flatMap((mark) => (mark.upTo ? [mark.position] : []))
  const upTo = ends.reduce((last, each) => (each > last ? each : last), -1n)
  return { upTo, single: new Set(marks.map((mark) => mark.position)) }
}

/** Positions that one answer looks through. */
const lookedThrough = 1_000

interface Looking {
  readonly read: Read
  readonly unreadAlone: boolean
  readonly limit: number
  readonly before?: bigint | undefined
}

const isRead = ({ upTo, single }: Read, at: bigint): boolean => at <= upTo || single.has(at)

/** Entries until there are enough; and where to go on, where there may be more. */
const look = async (request: CatalogRequest, { read, unreadAlone, limit, before }: Looking) => {
  const { api } = request
  const lives = await ownIncarnations(api, request.actor.name)
  const entries: ShownEntry[] = []
  let next: bigint | undefined = before
  for (let looked = 0; looked < lookedThrough;) {
    const size = limit + 1
    const after = unreadAlone ? read.upTo : undefined
    const found = await api.readModels.inbox({ lives, before: next, after, limit: size })
    const wanted = unreadAlone ? found.filter((one) => !isRead(read, one)) : found
    entries.push(...(await shownEntries(request, wanted)))
    next = found.at(-1)
    looked += found.length
    if (entries.length > limit) return { entries: entries.slice(0, limit), next: positionOf(entries[limit - 1]) }
    if (found.length < size) return { entries, next: undefined }
  }
  return { entries, next }
}

const positionOf = (entry: ShownEntry | undefined): bigint => BigInt(entry?.position ?? 0)

const countUnread = async (request: CatalogRequest, read: Read): Promise<number> =>
  (await look(request, { read, unreadAlone: true, limit: maxUnread })).entries.length

const readInbox = async (store: WebhookStore, request: CatalogRequest): Promise<Answer> => {
  const unreadAlone = readFlag(request.query, 'unread')
  const scope = `inbox ${request.actor.name} ${unreadAlone}`
  const { limit, after } = readPage(request.query, scope)
  await levelInbox(request.api)
  const read = await readBy(store, request)
  const page = await look(request, { read, unreadAlone, limit, before: after && BigInt(after.id) })
  const data = page.entries.map((entry) => ({ ...entry, read: isRead(read, positionOf(entry)) }))
  const paging =
    page.next === undefined ? {} : { after: makeCursor({ fullyQualifiedName: '', id: String(page.next) }, scope) }
  return jsonAnswer({ data: data as Json[], paging, unread: await countUnread(request, read) })
}

const markRead = async (store: WebhookStore, request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const { upTo, positions = [] } = parseBody(readBody, request.body)
  if (upTo === undefined && positions.length === 0) throw invalid([{ path: '', message: 'give upTo or positions' }])
  const mark = (text: string, isEnd: boolean) => ({ position: BigInt(text), upTo: isEnd })
  const marks = [...positions.map((text) => mark(text, false)), ...(upTo === undefined ? [] : [mark(upTo, true)])]
  const last = marks.reduce((most, { position: at }) => (at > most ? at : most), 0n)
  if (!(await isOfTheLog(api, last))) throw invalid([{ path: '', message: `${last} is beyond the end of the log` }])
  await store.addReadMarks(request.actor.name, marks)
  await levelInbox(api)
  return jsonAnswer({ unread: await countUnread(request, await readBy(store, request)) })
}
