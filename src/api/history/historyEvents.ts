import { numberKey, readPage } from '../http/queryParameters.ts'
import { z } from 'zod'
import { type EventMetadata, type RecordedEvent, streamName } from '../../events/events.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { makePageBudget } from '../../shared/bounds.ts'
import { maskSecrets } from '../../kinds/registry/kinds.ts'
import { statesAlong, type Entity } from '../../commands/evolve.ts'
import type { Identity } from '../../projections/history.ts'
import { makeLeafReader } from '../../projections/tree/leafReader.ts'
import { makeLabels } from '../../projections/labels.ts'
import { matchWithLabels } from '../../projections/activity/matching.ts'
import type { CatalogRequest } from '../deps.ts'
import { eventFilters, readRequestFilter, withVisibleDomains } from '../feed/feedQuery.ts'
import type { Answer } from '../http/route.ts'
import { maskEvent, type Visibility } from '../entities/answers/masking.ts'

export const historyFilters = eventFilters.filter(({ name }) => name !== 'kind' && name !== 'entityId')

const historyEvent = z
  .object({
    id: z.uuid(),
    type: z.string(),
    revision: z.string(),
    position: z.string(),
    time: z.iso.datetime(),
    user: z.string(),
    correlationId: z.string(),
    clientCorrelationId: z.string().optional(),
    machineTime: z.iso.datetime().optional().describe('The time of the machine, if the log was ahead of it'),
    causationId: z.string(),
    proposal: z
      .object({ id: z.uuid(), proposer: z.string(), amended: z.boolean().optional() })
      .optional()
      .describe('The proposal that was accepted with it, and its author'),
    hash: z.string().describe('SHA-256 of the event as stored, in hex: the entry of its leaf in the tree'),
    previousHash: z.string().optional().describe('`hash` of the event before it'),
    leafIndex: z
      .int()
      .optional()
      .describe(
        'The index of its leaf in the tree: the number of events before it in the log. Absent while the tree of a log ' +
          'in EventStoreDB is being built',
      ),
    version: z.number(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'HistoryEvent', description: 'Something that happened to an entity.' })

export const historyPage = z
  .object({
    data: z.array(historyEvent),
    paging: z.object({
      total: z.int().optional().describe('Number of events; absent with filters, and where only owners may see them'),
      after: z.string().optional(),
    }),
  })
  .meta({ id: 'History', description: 'One page of the events of an entity.' })

const scannedEvents = 20_000

/** Revisions of the events after which the caller may see the entity; a hard deletion counts as what it ended. */
const seenRevisions = async ({ api, signal }: CatalogRequest, { kind, id, maySee }: Past) => {
  const seen = new Set<bigint>()
  for await (const { event, before, after } of statesAlong(id, api.log.readStream(streamName(kind, id)), signal))
    if (maySee(event.type === 'HardDeleted' && before !== undefined ? before : after)) seen.add(event.revision)
  return seen
}

type Past = Identity & { readonly maySee: (state: Entity) => boolean }

/** A page of the events of an entity that the caller may see, oldest first, or newest first with `order=desc`. */
export const listEvents = async (request: CatalogRequest, identity: Past): Promise<Answer> => {
  const { api } = request
  const seen = request.permission === 'ifOwner' ? await seenRevisions(request, identity) : undefined
  const isFiltered = seen !== undefined || historyFilters.some(({ name }) => request.query.has(name))
  const requested = readRequestFilter(request.query)
  const filter = { ...withVisibleDomains(request.access, requested), entityId: identity.id }
  const match = matchWithLabels(filter, makeLabels(api.log))
  const backwards = request.query.get('order') === 'desc'
  const { limit, after, cursorAt } = readPage(request, numberKey)
  const stream = streamName(identity.kind, identity.id)
  const leafOf = makeLeafReader(api.log, api.readModels)
  const hasRoom = makePageBudget()
  const { sees } = request.access
  const texts: string[] = []
  const total = Number((await api.log.revisionOf(stream)) ?? -1n) + 1
  let next = -1n
  const wanted = {
    ...(after !== undefined && { from: after }),
    backwards,
    limit: isFiltered ? scannedEvents : limit + 1,
  }
  for await (const event of api.log.readStream(stream, wanted)) {
    if ((seen?.has(event.revision) ?? true) && (await match(event))) {
      const text = JSON.stringify(shownEvent(event, await leafOf(event.position), sees))
      if (texts.length === limit || !hasRoom(text.length)) break
      texts.push(text)
    }
    next = event.revision + (backwards ? -1n : 1n)
  }
  const hasMore = next >= 0n && next < BigInt(total)
  const paging = {
    ...(!isFiltered && { total }),
    ...(hasMore && { after: cursorAt(next) }),
  }
  return { status: 200, body: `{"data":[${texts.join(',')}],"paging":${JSON.stringify(paging)}}` }
}

/** The present ones of these members. */
const picked = (metadata: EventMetadata, names: readonly (keyof EventMetadata)[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]]])))

/** An event for auditors, with secrets and invisible names masked. */
const shownEvent = (event: RecordedEvent, leafIndex: number | undefined, sees: Visibility): JsonObject => ({
  id: event.id,
  type: event.type,
  revision: String(event.revision),
  position: String(event.position),
  ...picked(event.metadata, ['time', 'machineTime', 'correlationId', 'clientCorrelationId', 'causationId', 'proposal']),
  user: event.metadata.user,
  ...picked(event.metadata, ['hash', 'previousHash']),
  ...(leafIndex !== undefined && { leafIndex }),
  version: event.metadata.version / 10,
  data: maskEvent(event.type, maskSecrets(event.data as Json) as Json, sees),
})
