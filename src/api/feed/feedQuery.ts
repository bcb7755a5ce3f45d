import { invalid } from '../../commands/errors.ts'
import { holds, markOf, readMark, type Mark } from '../../events/mark.ts'
import { eventTypes, type EventType } from '../../events/verbs.ts'
import type { Webhook } from '../../subscriptions/webhooks/webhook.ts'
import type { Actor } from '../auth/actor.ts'
import type { FeedFilter } from '../../subscriptions/feed/filter.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { buildFqn, isUuid, splitFqn } from '../../kinds/names.ts'
import type { Api } from '../deps.ts'
import { badHeader, HttpError } from '../http/problemDetails.ts'
import { ownLives } from '../entities/reading.ts'
import type { ApiRequest } from '../http/route.ts'

const bad = (path: string, message: string) => invalid([{ path, message }])

/** A filter as clients write it: lists of names. */
export interface WrittenFilter {
  readonly kinds?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  readonly domains?: readonly string[] | undefined
}

/** Everything wrong with a filter. @param path where each list stands, e.g. `?kind` or `/filter/kinds` */
export const filterProblems = (
  kinds: Api['kinds'],
  filter: WrittenFilter,
  path: (list: keyof WrittenFilter) => string,
): Problem[] => [
  ...unknownIn(
    filter.kinds,
    kinds.map((kind) => kind.name),
    path('kinds'),
  ),
  ...unknownIn(filter.types, eventTypes, path('types')),
  ...(filter.domains ?? [])
    .filter((domain) => splitFqn(domain) === undefined)
    .map((domain) => ({ path: path('domains'), message: `${domain} is no fully qualified name` })),
]

const unknownIn = (given: readonly string[] | undefined, known: readonly string[], path: string): Problem[] => {
  const unknown = given?.filter((name) => !known.includes(name)) ?? []
  return unknown.length === 0 ? [] : [{ path, message: `${unknown.join(', ')}: unknown; known: ${known.join(', ')}` }]
}

/** A checked filter as the feed takes it. */
export const feedFilter = ({ kinds, types, domains }: WrittenFilter): FeedFilter => ({
  kinds: kinds && new Set(kinds),
  types: types && new Set(types as EventType[]),
  domains: domains && new Set(domains.map((domain) => buildFqn(splitFqn(domain) ?? []))),
})

const listIn = (text: string | undefined): string[] | undefined => {
  const names = text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return names === undefined || names.length === 0 ? undefined : names
}

/** What a request asks of events: a filter for some of the kinds that its caller may see. */
export interface AskedEvents extends FeedFilter {
  readonly entityId: string | undefined
}

/**
 * What a request asks of events and may see.
 * @param operation that must be permitted for a kind, beside viewing it
 * @throws DomainError `invalid`; HttpError FORBIDDEN for a kind that it names and may not see
 */
export const readEventFilter = async (
  api: Api,
  request: ApiRequest,
  operation: 'feed' | 'history',
): Promise<AskedEvents> => {
  const { query } = request
  const written = { kinds: listIn(query.get('kind')), types: listIn(query.get('type')), domains: domainsIn(query) }
  const names = { kinds: '?kind', types: '?type', domains: '?domain' }
  const problems = filterProblems(api.kinds, written, (list) => names[list])
  const entityId = query.get('entityId')
  if (entityId !== undefined && !isUuid(entityId)) problems.push({ path: '?entityId', message: 'must be a UUID' })
  if (problems.length > 0) throw invalid(problems)
  const visible = visibleKinds(api, request.actor, [operation, 'view'])
  const hidden = written.kinds?.filter((kind) => !visible.kinds.has(kind)) ?? []
  if (hidden.length > 0)
    throw new HttpError('FORBIDDEN', `You are not allowed to see what happens to ${hidden.join(', ')}.`)
  const all = visible.kinds.size === api.kinds.length
  return {
    ...feedFilter(written),
    ...(written.kinds === undefined && !all && { kinds: visible.kinds }),
    entityId: entityId?.toLowerCase(),
    ...(visible.owned.size > 0 && { owned: { kinds: visible.owned, owners: await ownLives(api, request.actor.name) } }),
  }
}

/** One domain for each `domain`; a comma may be part of a name, so only whole names in double quotes hold one. */
const domainsIn = (query: ReadonlyMap<string, string>): string[] | undefined => {
  const text = query.get('domain')
  if (text === undefined || text.trim() === '') return undefined
  return text.match(/(?:"(?:[^"]|"")*"|[^,"])+/g)?.map((name) => name.trim()) ?? [text]
}

/**
 * What a webhook is sent: what it asks for and its owner, who changed it last, may view now.
 * @param otherwise role of an owner whose roles are not known
 */
export const webhookFilter = async (
  api: Pick<Api, 'kinds' | 'permits' | 'kindNamed' | 'readModels'>,
  { filter, updatedBy, roles }: Webhook,
  otherwise: string,
): Promise<FeedFilter> => {
  const asked = feedFilter(filter)
  const { kinds, owned } = visibleKinds(api, { name: updatedBy, roles: roles ?? [otherwise] }, ['view'])
  return {
    ...asked,
    kinds: new Set([...kinds].filter((kind) => asked.kinds?.has(kind) ?? true)),
    ...(owned.size > 0 && { owned: { kinds: owned, owners: await ownLives(api, updatedBy) } }),
  }
}

const visibleKinds = (
  api: Pick<Api, 'kinds' | 'permits'>,
  actor: Actor,
  operations: readonly ('feed' | 'history' | 'view')[],
) => {
  const kinds = new Set<string>()
  const owned = new Set<string>()
  for (const { name } of api.kinds) {
    const permissions = operations.map((operation) => api.permits(actor, operation, name))
    if (permissions.includes('no')) continue
    kinds.add(name)
    if (permissions.includes('ifOwner')) owned.add(name)
  }
  return { kinds, owned }
}

/** Where a client goes on in the log. */
export interface Place {
  /** `undefined`: the beginning. */
  readonly position: bigint | undefined
  /** The event that stands there, when it is known. */
  readonly newest: Mark | undefined
}

const otherLog =
  'it belongs to another log, or to a part of this one that is gone (after a restored backup, for instance): ' +
  'decide whether to begin again from the beginning or with after=latest'

/**
 * The place that a client goes on from: what an answer gave (`<position>-<tag>`), a bare position, or `latest`.
 * @param at where it stands: a pointer into the body, `?name` of a parameter, or the name of a header
 * @throws DomainError `invalid`, or HttpError for a header, when it is malformed, of the future, or of another log
 */
export const readPlace = async ({ log }: Pick<Api, 'log'>, text: string | undefined, at: string): Promise<Place> => {
  if (text === undefined) return { position: undefined, newest: undefined }
  const refused = (message: string): Error => (/^[?/]/.test(at) ? bad(at, message) : badHeader(at, message))
  const head = await log.head()
  if (text === 'latest') {
    const last = head === undefined ? undefined : await log.eventAt(head)
    return { position: head, newest: last && markOf(last) }
  }
  const newest = readMark(text)
  if (newest === undefined && !/^\d{1,19}$/.test(text))
    throw refused('must be a position that an answer of this catalog gave, or latest')
  const position = newest?.position ?? BigInt(text)
  if (position === 0n) return { position: undefined, newest }
  if (head === undefined || position > head) throw refused(`is beyond the end of this catalog’s log: ${otherLog}`)
  if (newest !== undefined && !(await holds(log, newest))) throw refused(`is not of this catalog’s log: ${otherLog}`)
  return { position, newest }
}

/** Reads a whole number. @throws DomainError `invalid` */
export const readNumber = (
  query: ReadonlyMap<string, string>,
  name: string,
  low: number,
  high: number,
  fallback: number,
): number => {
  const text = query.get(name)
  if (text === undefined) return fallback
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= low && number <= high)) throw bad(`?${name}`, `must be a whole number from ${low} to ${high}`)
  return number
}
