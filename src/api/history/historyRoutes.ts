import { queryParameter, ok, pathParameter, jsonAnswer, type Answer, type Parameter } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import type { Json } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { versionsSchema } from '../../kinds/request/openApiSchemas.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import { toViewRow, type ViewRow } from '../../projections/entities/entityRow.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { diffOf, diffParameters, diffSchema, listsOnRequest, readDiff } from './diff.ts'
import { historyFilters, historyPage, listEvents } from './historyEvents.ts'
import { numberKey, readPage } from '../http/queryParameters.ts'
import * as parameters from '../entities/parameters.ts'
import {
  entityAt,
  currentEntity,
  momentForms,
  readMoment,
  readVersion,
  versionAt,
  waitForTimeline,
} from '../entities/reads/moment.ts'
import { pointInTime, type PointInTime } from '../entities/answers/pointInTime.ts'
import { findRow, mustOwn, missing, makePastCheck, nameIn } from '../entities/reads/addressed.ts'
import { answerRow, entityFor, textsFor } from '../entities/answers/present.ts'
import { doThenYield } from '../../shared/yieldToEventLoop.ts'
import { mapInChunks } from '../../shared/bounds.ts'

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
  return { kind: definition.name, id: row.id, maySee: await makePastCheck(request, row) }
}

const statesAtOnce = 50

/** Texts of an entity's states, newest first, each with references as of then. */
const textsOf = async (request: KindRequest, states: readonly Entity[]): Promise<string[]> => {
  const { api } = request
  await waitForTimeline(api, states[0]?.position ?? -1n)
  const stores = { ...api, timelineRows: api.timelineRows.forOneAnswer() }
  return mapInChunks(states, statesAtOnce, async (state) => {
    const at = pointInTime(stores, { position: state.position })
    const row = await doThenYield(() => toViewRow(state, request.definition))
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
  return answerRow(request, toViewRow(then.entity, definition), { at: then.at })
}

/** The compared form of an entity: an answer with all lists. */
const compared = async (request: KindRequest, lists: readonly string[], row: ViewRow, at: PointInTime) => {
  const answer = await entityFor(request, row, { at })
  if (lists.length === 0) return answer
  const listed = await entityFor(request, row, { at, shown: new Set(lists) })
  const filled = lists.filter((name) => (listed[name] as Json[]).length > 0)
  return { ...answer, ...Object.fromEntries(filled.map((name) => [name, listed[name] as Json])) }
}

const diff = async (request: KindRequest): Promise<Answer> => {
  const { api, definition } = request
  const requested = readDiff(definition, request.query)
  const identity = await findIdentity(request)
  const stateAt = async (name: string, text: string | undefined) => {
    const asOf = text === undefined ? undefined : readMoment(text, name, 'version')
    const then =
      asOf === undefined
        ? await currentEntity(api, identity)
        : 'version' in asOf
          ? await versionAt(api, identity, asOf.version)
          : await entityAt(api, identity, asOf, name)
    if (then === undefined || !identity.maySee(then.entity))
      throw notFound(
        text === undefined
          ? `There is no ${definition.name} ${nameIn(request)} now: give to as well.`
          : `There was no ${definition.name} ${nameIn(request)} at ${text}.`,
      )
    const lists = requested.isFullPatch ? [] : listsOnRequest(definition)
    return compared(request, lists, toViewRow(then.entity, definition), then.at)
  }
  const before = await stateAt('from', request.query.get('from'))
  const after = await stateAt('to', request.query.get('to'))
  return jsonAnswer(diffOf(before, after, requested))
}
