import { z } from 'zod'
import { queryParameter, type Actor, type Parameter } from '../http/route.ts'
import { forbidden, invalidAt } from '../../commands/errors.ts'
import { eventTypes, type EventType } from '../../events/verbs.ts'
import type { Webhook } from '../../subscriptions/webhooks/webhook.ts'
import { matchWithLabels } from '../../projections/activity/matching.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import { readFqn } from '../../kinds/names.ts'
import { kinds, proposalKind } from '../../kinds/registry/kinds.ts'
import { makeAccess, type Access } from '../access.ts'
import type { Api, CatalogRequest, RouteApi } from '../deps.ts'
import { badHeader } from '../http/problemDetails.ts'
import { unknownNames } from '../../shared/nearest.ts'
import { selectedNames, idText, instantText, readParameter, type SentQuery } from '../http/queryParameters.ts'
import { hasFingerprint, fingerprintOf, parseFingerprint, type LogFingerprint } from '../../events/events.ts'
import { DamagedLog } from '../../events/eventStore.ts'
import { makeFeedItem } from '../../subscriptions/feed/feedTail.ts'
import type { FeedPage, FeedView } from '../../subscriptions/feed/feed.ts'
import type { JsonObject } from '../../shared/json.ts'
import { maskEvent } from '../entities/answers/masking.ts'

const mustBeAmong = (known: readonly string[]) => (names: readonly string[], context: z.RefinementCtx) => {
  const problem = unknownNames(names, known)
  if (problem !== undefined) context.addIssue(problem)
}

const mustBeFqns = (names: readonly string[], context: z.RefinementCtx): void => {
  for (const name of names) if (readFqn(name) === undefined) context.addIssue(`${name} is not a fully qualified name`)
}

/** The lists of a filter of events. @param names a list @param domains one of FQNs, if that is written otherwise */
export const filterLists = <Names extends z.ZodType<string[]>>(names: Names, domains = names) => ({
  kinds: names.superRefine(mustBeAmong([...kinds.map(({ name }) => name), proposalKind])),
  types: names.superRefine(mustBeAmong(eventTypes)),
  domains: domains.superRefine(mustBeFqns),
})

const feedFilter = ({ kinds, types, domains }: Webhook['filter']): ActivityFilter => ({
  kinds: kinds && new Set(kinds),
  types: types && new Set(types as EventType[]),
  domains: domains && new Set(domains.flatMap((domain) => readFqn(domain) ?? [])),
})

/** A comma separates domains unless it is in double quotes. */
const domainsIn = (text: string): readonly string[] => text.match(/(?:"(?:[^"]|"")*(?:"|$)|[^,"])+/g) ?? []

const lists = filterLists(selectedNames(), selectedNames(domainsIn))
const kindNames = queryParameter('kind', 'Only of these kinds, comma-separated', lists.kinds)
const typeNames = queryParameter('type', 'Only of these event types, comma-separated', lists.types)
const changedNames = queryParameter(
  'changed',
  'Only where one of these members changed, comma-separated, e.g. description; a creation changes domains and owners ' +
    'alone, whatever else it sets: type=Created finds it',
  selectedNames(),
)
const domainNames = queryParameter(
  'domain',
  'Only of entities that had one of these domains (fully qualified names, comma-separated; a name with a comma stands ' +
    'in double quotes, e.g. `sales."EU, north"`) just before or just after the event',
  lists.domains,
)
const since = queryParameter('since', 'Not before this ISO 8601 instant', instantText)
const until = queryParameter('until', 'Not after this ISO 8601 instant', instantText)

/** Filter parameters for events; all must match. */
export const eventFilters: readonly Parameter[] = [
  queryParameter('user', 'Only what this user did'),
  since,
  until,
  kindNames,
  typeNames,
  changedNames,
  queryParameter('entityId', 'Only of this entity', idText),
  domainNames,
  queryParameter('correlationId', 'Only what belongs to this request, or to this recursive operation'),
  queryParameter('clientCorrelationId', 'Only what requests with this `X-Correlation-ID` did'),
]

/** The filter in a request, without the caller's permissions. */
export const readRequestFilter = (query: SentQuery): ActivityFilter => {
  const changed = readParameter(query, changedNames)
  return {
    ...feedFilter({
      kinds: readParameter(query, kindNames),
      types: readParameter(query, typeNames),
      domains: readParameter(query, domainNames),
    }),
    entityId: query.get('entityId')?.toLowerCase(),
    user: query.get('user'),
    correlationId: query.get('correlationId'),
    clientCorrelationId: query.get('clientCorrelationId'),
    changed: changed && new Set(changed),
    since: readParameter(query, since),
    until: readParameter(query, until),
  }
}

/**
 * The filter in a request, restricted to what the caller may see.
 * @param operation required
 * @throws DomainError `forbidden`
 */
export const readEventFilter = async (request: CatalogRequest, operation: 'feed' | 'history') => {
  const requested = readRequestFilter(request.query)
  const permitted = await permittedFilter(request.access, requested, operation)
  const hidden = [...(requested.kinds ?? [])].filter((kind) => permitted.kinds?.has(kind) !== true)
  if (hidden.length > 0) throw forbidden(`Your roles do not allow ${operation} on ${hidden.join(', ')}.`)
  return permitted
}

const permittedFilter = async (access: Access, requested: ActivityFilter, operation: 'feed' | 'history' | 'view') => {
  const { kinds: visible, owned } = visibleKinds(access, operation)
  const isOfAll = requested.kinds === undefined && visible.has(proposalKind)
  return {
    ...withVisibleDomains(access, requested),
    kinds: isOfAll ? undefined : new Set([...visible].filter((kind) => requested.kinds?.has(kind) ?? true)),
    ...(owned.size > 0 && { owned: { kinds: owned, owners: await access.own() } }),
  }
}

/** Whether the caller may view domains. */
export const seesDomains = (sees: (kind: string) => boolean): boolean =>
  kinds.every(({ fields }) => (fields['domains']?.references?.kinds ?? []).every(sees))

const unmatchableName = ''

/** The filter without domains whose names the caller may not know. */
export const withVisibleDomains = ({ sees }: Access, filter: ActivityFilter): ActivityFilter =>
  filter.domains === undefined || seesDomains(sees) ? filter : { ...filter, domains: new Set([unmatchableName]) }

/** The actor whose permissions a webhook has: the last editor, with the role `otherwise` if the roles are unknown. */
export const ownerOf = ({ updatedBy, roles, life }: Webhook, otherwise: string): Actor & Pick<Webhook, 'life'> => ({
  name: updatedBy,
  roles: roles ?? [otherwise],
  life,
})

/** What a webhook is sent: what its owner may view now. @param otherwise see {@link ownerOf} */
export const webhookSelection = async (api: Api & Pick<RouteApi, 'labels'>, webhook: Webhook, otherwise: string) => {
  const access = makeAccess(api, ownerOf(webhook, otherwise))
  const filter = await permittedFilter(access, feedFilter(webhook.filter), 'view')
  return { match: matchWithLabels(filter, api.labels), view: feedView(access) }
}

/** Whether the caller may read all events, of every entity of every kind. */
export const seesEverything = (access: Access): boolean =>
  (['history', 'feed'] as const).some((operation) => visibleKinds(access, operation).kinds.has(proposalKind))

const visibleKinds = ({ may }: Access, operation: 'feed' | 'history' | 'view') => {
  const visible = new Set<string>()
  const owned = new Set<string>()
  for (const { name } of kinds) {
    const permission = may(operation, name)
    if (permission !== 'no') visible.add(name)
    if (permission === 'ifOwner') owned.add(name)
  }
  // Proposals contain values of any kind: their events need permission to view everything.
  if (visible.size === kinds.length && owned.size === 0) visible.add(proposalKind)
  return { kinds: visible, owned }
}

const otherLog =
  'it belongs to another log, or to a part of this one that is gone (after a restored backup, for instance): ' +
  'decide whether to begin again from the beginning or with after=latest'

/**
 * The position to resume from: `<position>-<tag>` of an answer, a bare position, or `latest`. None is the beginning.
 * @param at a pointer into the body, `?name` of a parameter, or the name of a header
 * @throws DomainError `invalid`, or HttpError for a header, when it is malformed, in the future, or of another log
 */
export const readFeedPosition = async (
  { log }: Pick<Api, 'log'>,
  text: string | undefined,
  at: string,
): Promise<Pick<FeedPage, 'position' | 'newest'>> => {
  if (text === undefined) return { position: undefined, newest: undefined }
  const refused = (message: string): Error => (/^[?/]/.test(at) ? invalidAt(at, message) : badHeader(at, message))
  const head = await log.head()
  if (text === 'latest') return { position: head, newest: await fingerprintAt(log, head) }
  const newest = parseFingerprint(text)
  if (newest === undefined && !/^\d{1,19}$/.test(text))
    throw refused('must be a position that an answer of this catalog gave, or latest')
  const position = newest?.position ?? BigInt(text)
  if (position === 0n) return { position: undefined, newest }
  if (head === undefined || position > head) throw refused(`is beyond the end of this catalog’s log: ${otherLog}`)
  if (newest !== undefined && !(await hasFingerprint(log, newest)))
    throw refused(`is not of this catalog’s log: ${otherLog}`)
  return { position, newest: newest ?? (await fingerprintAt(log, position)) }
}

/** None of a damaged event: whoever goes on after it has its position alone. */
const fingerprintAt = async (log: Api['log'], position: bigint | undefined): Promise<LogFingerprint | undefined> => {
  try {
    const event = position === undefined ? undefined : await log.eventAt(position)
    return event && fingerprintOf(event)
  } catch (error) {
    if (error instanceof DamagedLog) return undefined
    throw error
  }
}

/** Masks names of kinds that the caller may not view in events; `undefined` if everything is visible. */
export const feedView = ({ sees }: Access): FeedView | undefined => {
  const hidden = kinds.filter(({ name }) => !sees(name)).map(({ name }) => `"${name}"`)
  if (hidden.length === 0) return undefined
  return (item) => {
    const { event, text } = item
    // References contain their kind, so most texts need no parsing; results name tests without it.
    if (event.type !== 'Validated' && !hidden.some((kind) => text.includes(kind))) return item
    const { data = null, ...attributes } = JSON.parse(text) as JsonObject
    return makeFeedItem(event, JSON.stringify({ ...attributes, data: maskEvent(event.type, data, sees) }))
  }
}
