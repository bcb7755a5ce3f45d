import { route, ok } from '../http/route.ts'
import { z } from 'zod'
import { eventTypes, voteTypes, type EventType } from '../../events/events.ts'
import { enumerate } from '../../events/verbs.ts'
import { lastName } from '../../kinds/names.ts'
import { activityProjection } from '../../projections/activity/activityProjection.ts'
import type { ActivityRow } from '../../projections/activity/port.ts'
import type { Access } from '../access.ts'
import type { ApiActor, CatalogRequest, CatalogRoute } from '../deps.ts'
import { numberKey, readPage } from '../http/queryParameters.ts'
import { fullView, referenceText, seenRow } from '../entities/answers/masking.ts'
import { pagingForwards } from '../entities/parameters.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { kinds, principalKind } from '../../kinds/registry/kinds.ts'
import { mask } from '../../shared/secrets/shownText.ts'
import { eventFilters, readEventFilter, seesDomains } from './feedQuery.ts'
import { entityReference } from '../../kinds/members/shapes.ts'

/** Paging of activity, which is not counted. */
export const activityPaging = pagingForwards(1000, 1)

/** The schema of {@link entryTexts}. */
export const activityEntry = z
  .object({
    position: z.string().describe('Log position'),
    time: z.iso.datetime(),
    user: z.string().describe('Who did it'),
    type: z.enum(eventTypes as [EventType, ...EventType[]]),
    entity: z
      .object(entityReference.shape)
      .describe(
        'What it was done to, as it is now (`deleted` also when it was hard-deleted); where the caller may no longer ' +
          'view it, as the event says',
      ),
    version: z.number().describe('Version of the entity after it'),
    domains: z.array(z.string()).describe('FQNs of the domains that the entity had just before or just after'),
    correlationId: z.string().describe('Id of the request or recursive operation'),
    clientCorrelationId: z.string().optional().describe('`X-Correlation-ID` of the request, where it had one'),
    changed: z.array(z.string()).describe('Names of the members that changed; of a creation domains and owners alone'),
    summary: z.string().describe('The change in a sentence'),
    follower: z
      .string()
      .optional()
      .describe(
        'Name of the user who follows the entity from then on (`FollowerAdded`), or no more (`FollowerRemoved`)',
      ),
    vote: z.enum(voteTypes).optional().describe('The vote that the user has from then on (`Voted`)'),
  })
  .meta({ id: 'ActivityEntry', description: 'One thing that somebody did' })

/** A page of what the caller may see. @param ofRequest only what this request did, the oldest first */
export const activityPage = async (request: CatalogRequest, ofRequest?: string) => {
  const { api } = request
  const filter = await readEventFilter(request, 'history')
  const { limit, after, cursorAt } = readPage(request, numberKey)
  await waitForProjection(api, activityProjection.name)
  const direction = ofRequest === undefined ? { before: after } : { correlationId: ofRequest, oldestFirst: true, after }
  const { rows, next } = await api.readModels.activity({ ...filter, ...direction, limit })
  const texts = await entryTexts(request, rows)
  const paging = next === undefined ? {} : { after: cursorAt(next) }
  const isEmpty = rows.length === 0 && after === undefined && next === undefined
  return { isEmpty, text: `"data":[${texts.join(',')}],"paging":${JSON.stringify(paging)}` }
}

/** Events whose summary names no other entity; callers who may not see all kinds get other summaries by member only. */
const selfContainedTypes: ReadonlySet<EventType> = new Set<EventType>([
  'Created',
  'Updated',
  'SoftDeleted',
  'Restored',
  'HardDeleted',
  'Voted',
  'Validated',
  'FellDue',
  'RunReported',
  'Forgotten',
  'KeyChanged',
  'PoliciesChanged',
])

/** Activity entries as JSON texts. */
export const entryTexts = async (request: ApiActor, rows: readonly ActivityRow[]): Promise<string[]> => {
  const { api, access } = request
  const { sees } = access
  const seesAllKinds = kinds.every(({ name }) => sees(name))
  const showsDomains = seesDomains(sees)
  const seen = (row: ActivityRow): ActivityRow => ({
    ...row,
    domains: showsDomains ? row.domains : [],
    summary: seesAllKinds || selfContainedTypes.has(row.type) ? row.summary : `Changed ${enumerate(row.changed)}.`,
    ...(row.follower !== undefined && !sees(principalKind) && { follower: mask }),
  })
  const viewable = await viewableIds(access, rows)
  const references = await api.readModels.getReferences([...viewable])
  return rows.map((row) => {
    const reference = references.get(row.entityId)
    const isThere = reference !== undefined && reference.status !== 'gone'
    return entryText(seen(row), isThere ? referenceText(seenRow(reference, fullView)) : recordedText(row, viewable))
  })
}

/** The entity of an event as the event has it: one that could be viewed, if it were there, was hard-deleted. */
const recordedText = ({ entityId: id, kind, fullyQualifiedName, type }: ActivityRow, viewable: ReadonlySet<string>) => {
  const deleted = viewable.has(id) || type === 'SoftDeleted' || type === 'HardDeleted'
  return JSON.stringify({ id, type: kind, name: lastName(fullyQualifiedName), fullyQualifiedName, deleted })
}

/** Ids of the entities of these rows that the caller may view now. */
const viewableIds = async (access: Access, rows: readonly ActivityRow[]): Promise<ReadonlySet<string>> => {
  const viewable = new Set<string>()
  for (const [kind, some] of Map.groupBy(rows, (row) => row.kind)) {
    const keys = some.map(({ entityId }) => ({ id: entityId }))
    for (const { id } of await access.visible(kind, keys)) viewable.add(id)
  }
  return viewable
}

/** Masks names in an entry; entries about invisible entities were left out before. */
const entryText = (row: ActivityRow, entity: string): string => {
  const { position, time, user, type } = row
  const { version, domains, correlationId, clientCorrelationId, changed, summary, follower, vote } = row
  const before = { position: String(position), time: new Date(time).toISOString(), user, type }
  const after = { version: version / 10, domains, correlationId, clientCorrelationId, changed, summary, follower, vote }
  return `${JSON.stringify(before).slice(0, -1)},"entity":${entity},${JSON.stringify(after).slice(1)}`
}

export const activityRoutes: CatalogRoute[] = [
  route('get', '/v1/activity', 'listActivity', {
    summary: 'Who did what and when, newest first',
    tag: 'activity',
    permission: { operation: 'history' },
    parameters: [...eventFilters, ...activityPaging],
    answers: ok(
      'One page. It may be shorter than `limit`, and even empty, before the end: the end is where ' +
        '`paging.after` is absent',
      z
        .object({ data: z.array(activityEntry), paging: z.object({ after: z.string().optional() }) })
        .meta({ id: 'ActivityList' }),
    ),
    handle: async (request) => ({ status: 200, body: `{${(await activityPage(request)).text}}` }),
  }),
]
