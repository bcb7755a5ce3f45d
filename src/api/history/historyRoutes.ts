import { queryParameter, ok, pathParameter, jsonAnswer, type Answer, type Parameter } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import { type Entity, statesAlong } from '../../commands/evolve.ts'
import { sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { entitySchema, versionsSchema } from '../../kinds/request/openApiSchemas.ts'
import { toRow, type ViewRow } from '../../projections/entities/entityRow.ts'
import type { KindRequest, KindRoute, CatalogRequest } from '../deps.ts'
import { diffOf, diffParameters, diffSchema, listsOnRequest, readDiff } from './diff.ts'
import { numberKey, readPage } from '../http/queryParameters.ts'
import * as parameters from '../entities/parameters.ts'
import { entityAt, momentForms, readMoment, readVersion, versionAt, waitForTimeline } from '../entities/reads/moment.ts'
import { pointInTime, type PointInTime } from '../entities/answers/pointInTime.ts'
import { findRow, mustOwn, missing, makePastCheck, nameIn } from '../entities/reads/addressed.ts'
import { answerRow, entityFor, textsFor } from '../entities/answers/present.ts'
import { doThenYield } from '../../shared/yieldToEventLoop.ts'
import { mapInChunks, makePageBudget } from '../../shared/bounds.ts'
import { type EventMetadata, type RecordedEvent, streamName } from '../../events/events.ts'
import { maskSecrets } from '../../shared/secrets/sealed.ts'
import type { Identity } from '../../projections/history.ts'
import { makeLeafReader } from '../../projections/tree/leafReader.ts'
import { makeLabels } from '../../projections/labels.ts'
import { matchWithLabels } from '../../projections/activity/matching.ts'
import { eventFilters, readRequestFilter, withVisibleDomains } from '../feed/feedQuery.ts'
import { maskEvent, type Visibility } from '../entities/answers/masking.ts'

const momentParameter = (name: string, description: string, required: boolean): Parameter =>
  queryParameter(name, `${description}: ${momentForms.version}`, z.string(), required)

const order = queryParameter('order', '`desc`: newest first', z.enum(['asc', 'desc']))

export const historyRoutes = (definition: KindDefinition): KindRoute[] => {
  const kind = definition.name
  return [
    ...parameters.entityRoutes(definition, 'versions', 'get /versions', `versions_${kind}`, {
      bulkhead: 'past',
      summary: `The versions of a ${kind}, newest first`,
      parameters: parameters.paging(1000),
      answers: ok('Versions of the present life', versionsSchema(definition)),
      handle: listVersions,
    }),
    ...parameters.entityRoutes(definition, 'versions', 'get /versions/{version}', `version_${kind}`, {
      bulkhead: 'past',
      summary: `One version of a ${kind}`,
      parameters: [pathParameter('version', 'e.g. 0.3'), parameters.ifNoneMatch],
      answers: parameters.validatedAnswers('The entity as it was', entitySchema(definition)),
      handle: oneVersion,
    }),
    ...parameters.entityRoutes(definition, 'versions', 'get /diff', `diff_${kind}`, {
      bulkhead: 'past',
      summary: `What changed in a ${kind} between two moments`,
      parameters: [
        momentParameter('from', 'The earlier state', true),
        momentParameter('to', 'The later state; left out, the present one', false),
        ...diffParameters(definition),
      ],
      answers: ok(
        'What somebody has changed, as `form` says. With `fields=*` the JSON Patch (RFC 6902) turns the one answer into the other',
        diffSchema,
      ),
      handle: diff,
    }),
    ...parameters.entityRoutes(definition, 'history', 'get /history', `history_${kind}`, {
      bulkhead: 'past',
      summary: `The events of a ${kind} in all its lives, oldest first`,
      parameters: [...historyFilters, ...parameters.pagingForwards(1000), order],
      answers: ok(
        'One page of events. Where it is narrowed it may be shorter than `limit`, and even empty, before the end: that is where `paging.after` is absent',
        historyPage,
      ),
      handle: async (request) => listEvents(request, await findIdentity(request)),
    }),
  ]
}

/** The entity in the path, and whether the caller may see a state of it. */
const findIdentity = async (request: KindRequest) => {
  const { definition } = request
  const row = await findRow(request)
  if (row === undefined) throw missing(definition.name, request)
  await mustOwn(request, row)
  if (row.status === 'gone' && request.access.may('history', definition.name) === 'no')
    throw missing(definition.name, request)
  return { kind: definition.name, id: row.id, row, maySee: await makePastCheck(request, row) }
}

const statesAtOnce = 50

/** Texts of an entity's states, newest first, each with references as of then. */
const textsOf = async (request: KindRequest, states: readonly Entity[]): Promise<string[]> => {
  const { api } = request
  await waitForTimeline(api, states[0]?.position ?? -1n)
  return mapInChunks(states, statesAtOnce, async (state) => {
    const at = pointInTime(api, { position: state.position })
    const row = await doThenYield(() => toRow(state, request.definition))
    return (await textsFor(request, [row], { at }))[0] as string
  })
}

const listVersions = async (request: KindRequest): Promise<Answer> => {
  const identity = await findIdentity(request)
  const { cursorAt, ...requested } = readPage(request, numberKey)
  const page = await request.api.history.versions(identity, requested)
  const texts = await textsOf(request, page.states.filter(identity.maySee))
  const [newest, oldest] = [page.states[0], page.states.at(-1)]
  const paging = {
    total: page.total,
    ...(page.hasNewer && newest && { before: cursorAt(newest.revision) }),
    ...(page.hasOlder && oldest && { after: cursorAt(oldest.revision) }),
  }
  return {
    status: 200,
    body: `{"entityType":${JSON.stringify(request.definition.name)},"versions":[${texts.join(',')}],"paging":${JSON.stringify(paging)}}`,
  }
}

const oneVersion = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const identity = await findIdentity(request)
  const text = request.params['version'] as string
  const version = readVersion(text)
  const then = version === undefined ? undefined : await versionAt(request.api, identity, version)
  if (then === undefined || !identity.maySee(then.entity))
    throw notFound(`${definition.name} ${identity.id} has no version ${text}.`)
  return answerRow(request, toRow(then.entity, definition), { at: then.at })
}

/** The compared form of an entity: an answer with all lists. */
const compared = async (request: KindRequest, lists: readonly string[], row: ViewRow, at: PointInTime) => {
  const answer = await entityFor(request, row, { at, named: new Set(lists) })
  return Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => !lists.includes(name) || !sameJson(value, [])),
  )
}

const diff = async (request: KindRequest): Promise<Answer> => {
  const { api, definition } = request
  const requested = readDiff(definition, request.query)
  const identity = await findIdentity(request)
  const named = `${definition.name} ${nameIn(request)}`
  const lists = requested.isFullPatch ? [] : listsOnRequest(definition)
  const stateAt = async (name: string, text: string) => {
    const asOf = readMoment(text, name, 'version')
    const then =
      'version' in asOf ? await versionAt(api, identity, asOf.version) : await entityAt(api, identity, asOf, name)
    if (then === undefined || !identity.maySee(then.entity)) throw notFound(`There was no ${named} at ${text}.`)
    return compared(request, lists, toRow(then.entity, definition), then.at)
  }
  const stateNow = async () => {
    if (identity.row.status === 'gone') throw notFound(`There is no ${named} now: give to as well.`)
    return compared(request, lists, identity.row, api.readModels)
  }
  const before = await stateAt('from', request.query.get('from') as string)
  const to = request.query.get('to')
  const after = to === undefined ? await stateNow() : await stateAt('to', to)
  return jsonAnswer(diffOf(before, after, requested))
}

const historyFilters = eventFilters.filter(({ name }) => name !== 'kind' && name !== 'entityId')

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

const historyPage = z
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
const listEvents = async (request: CatalogRequest, identity: Past): Promise<Answer> => {
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
