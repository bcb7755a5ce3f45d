import { z } from 'zod'
import { invalid, notFound } from '../commands/errors.ts'
import { eventData, type RecordedEvent } from '../events/events.ts'
import { streamName } from '../events/streamName.ts'
import type { Json, JsonObject } from '../json.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { maskSecrets } from '../kinds/index.ts'
import { entitySchema } from '../kinds/requestSchema.ts'
import { toRow } from '../projections/entityRow.ts'
import { versionsOf } from '../projections/history.ts'
import type { Api } from './deps.ts'
import { makeCursor, readPage } from './paging.ts'
import * as parameters from './parameters.ts'
import { answerRow, catchUp, findRow, idIn, mustBeAllowed, mustOwn } from './reading.ts'
import type { Answer, ApiRequest, Route } from './route.ts'

/** What an entity was: its versions and its events. */
export const historyRoutes = (api: Api, definition: KindDefinition): Route[] => {
  const path = `/v1/${definition.path}/{id}`
  const kind = definition.name
  const tag = definition.path
  const entity = entitySchema(definition)
  return [
    {
      method: 'get', path: `${path}/versions`, id: `versions_${kind}`, summary: `The versions of a ${kind}, newest first`, tag,
      permission: { operation: 'versions', kind }, parameters: [parameters.id, ...parameters.paging(1000)],
      answers: {
        200: {
          description: 'Versions of the present life',
          schema: z.object({ entityType: z.string(), versions: z.array(entity), paging: parameters.pagingSchema }),
        },
      },
      handle: (request) => listVersions(api, definition, request),
    },
    {
      method: 'get', path: `${path}/versions/{version}`, id: `version_${kind}`, summary: `One version of a ${kind}`, tag,
      permission: { operation: 'versions', kind },
      parameters: [parameters.id, { name: 'version', in: 'path', required: true, description: 'e.g. 0.3', schema: z.string() }],
      answers: { 200: { description: 'The entity as it was', schema: entity } },
      handle: (request) => oneVersion(api, definition, request),
    },
    {
      method: 'get', path: `${path}/history`, id: `history_${kind}`, summary: `The events of a ${kind}, of all its lives, oldest first`, tag,
      permission: { operation: 'history', kind }, parameters: [parameters.id, ...parameters.paging(1000)],
      answers: { 200: { description: 'One page of events', schema: z.object({ data: z.array(historyEvent), paging: parameters.pagingSchema }) } },
      handle: (request) => listHistory(api, definition, request),
    },
  ]
}

const historyEvent = z.object({
  id: z.uuid(), type: z.string(), revision: z.string(), position: z.string(), time: z.iso.datetime(), user: z.string(),
  correlationId: z.string(), causationId: z.string(), version: z.number(), data: z.record(z.string(), z.unknown()),
})

/** The identity in the path; whoever reads of an ended life needs the history permission. */
const identify = async (api: Api, definition: KindDefinition, request: ApiRequest) => {
  await catchUp(api, request)
  const row = await findRow(api, definition, request)
  if (row !== undefined) mustOwn(api, request, row)
  const id = idIn(definition, request)
  if (row === undefined || id === undefined) throw notFound(`There is no ${definition.name} ${request.params['id']}.`)
  if (row.status === 'gone') mustBeAllowed(api, request, 'history', definition)
  return { kind: definition.name, id }
}

const listVersions = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const identity = await identify(api, definition, request)
  const scope = `${identity.id} versions`
  const { limit, after, before } = readPage(request.query, scope, 1000)
  const versions = (await versionsOf(api.log, identity)).toReversed()
  const at = after ?? before
  const place = at === undefined ? 0 : versions.findIndex(({ revision }) => revision <= BigInt(at.id))
  const start = before !== undefined ? Math.max(0, place - limit) : place + (after === undefined ? 0 : 1)
  const page = versions.slice(start, before !== undefined ? place : start + limit)
  const rows = page.map((version) => toRow(version, definition))
  const texts = await api.presenter.texts(rows, { shown: 'get', baseUrl: request.baseUrl })
  const cursor = (state: { revision: bigint } | undefined) => makeCursor({ fullyQualifiedName: '', id: String(state?.revision) }, scope)
  const paging = {
    total: versions.length,
    ...(start > 0 && page.length > 0 && { before: cursor(page[0]) }),
    ...(start + page.length < versions.length && page.length > 0 && { after: cursor(page.at(-1)) }),
  }
  return { status: 200, body: `{"entityType":${JSON.stringify(definition.name)},"versions":[${texts.join(',')}],"paging":${JSON.stringify(paging)}}` }
}

const oneVersion = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const identity = await identify(api, definition, request)
  const text = request.params['version'] as string
  const version = /^\d{1,9}\.\d$/.test(text) ? Math.round(Number(text) * 10) : Number.NaN
  const state = (await versionsOf(api.log, identity)).findLast((candidate) => candidate.version === version)
  if (state === undefined) throw notFound(`${definition.name} ${identity.id} has no version ${text}.`)
  return answerRow(api, request, toRow(state, definition))
}

const listHistory = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const identity = await identify(api, definition, request)
  const scope = `${identity.id} history`
  const { limit, after, before } = readPage(request.query, scope, 1000)
  if (before !== undefined) throw invalid([{ path: '?before', message: 'history is read forwards: use after' }])
  const from = after === undefined ? 0n : BigInt(after.id) + 1n
  const events: RecordedEvent[] = []
  const stream = streamName(identity.kind, identity.id)
  for await (const event of api.log.readStream(stream, { from, limit: limit + 1 })) events.push(event)
  const page = events.slice(0, limit)
  const last = page.at(-1)
  let total = 0n
  for await (const event of api.log.readStream(stream, { backwards: true, limit: 1 })) total = event.revision + 1n
  const paging = {
    total: Number(total),
    ...(events.length > limit && last && { after: makeCursor({ fullyQualifiedName: '', id: String(last.revision) }, scope) }),
  }
  return { status: 200, body: { json: { data: page.map(shownEvent), paging } } }
}

/** An event as auditors see it: secrets masked, numbers as they are told outside. */
export const shownEvent = (event: RecordedEvent): JsonObject => ({
  id: event.id,
  type: event.type,
  revision: String(event.revision),
  position: String(event.position),
  time: event.metadata.time,
  user: event.metadata.user,
  correlationId: event.metadata.correlationId,
  causationId: event.metadata.causationId,
  version: event.metadata.version / 10,
  data: maskSecrets(eventData(event)) as Json,
})
