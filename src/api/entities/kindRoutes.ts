import { jsonBody, ok, type Answer, type ApiRequest, type Route } from '../http/route.ts'
import type { ListedRow } from '../../projections/entities/row.ts'
import type { ListPage, ListQuery } from '../../projections/entities/port.ts'
import type { Api } from '../deps.ts'
import { pagingOf, readPage } from '../http/paging.ts'
import { type PointInTime, pointInTime } from './answers/pointInTime.ts'
import type { PresentOptions } from './answers/present.ts'
import { Readable } from 'node:stream'
import { execute } from '../../commands/requests/execute.ts'
import type { Entity } from '../../commands/evolve.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { createExample, listSchema } from '../../kinds/request/openApiSchemas.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { createSchema, entitySchema, readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import { bulkRoute, whatStays } from './bulkRoute.ts'
import { listScope, readListQuery } from './listQuery.ts'
import { mayWrite, answerResult, withPathsAsSent, causeOf, contextOf, preconditionOf } from './writeRequest.ts'
import { findShown, ofThePast, readPast } from './reads/moment.ts'
import { shapeOf } from './answers/shape.ts'
import { answerRow, presented, catchUp } from './reads/callerReads.ts'
import { withDependencies } from './reads/recordedReads.ts'
import { readFields, readInclude } from './reads/queryValues.ts'
import * as parameters from './parameters.ts'

/** Rows that are read at a time when a long list is streamed. */
const streamPage = 1000

type Lists = Pick<PointInTime, 'list'>

/** The pages that make up one long page, in the order of the list. */
export const pagesOf = (lists: Lists, query: ListQuery): AsyncGenerator<ListPage> =>
  query.before === undefined ? pagesAfter(lists, query) : pagesBefore(lists, query)

async function* pagesAfter(lists: Lists, query: ListQuery): AsyncGenerator<ListPage> {
  let { after } = query
  for (let left = query.limit; left > 0;) {
    const page = await lists.list({ ...query, after, limit: Math.min(left, streamPage) })
    yield page
    const last = page.rows.at(-1)
    if (!page.hasAfter || last === undefined) return
    left -= page.rows.length
    after = last
  }
}

/** The way back is walked first, since what comes first in the list is found last. */
async function* pagesBefore(lists: Lists, query: ListQuery): AsyncGenerator<ListPage> {
  const steps: Pick<ListQuery, 'before' | 'limit'>[] = []
  let { before } = query
  for (let left = query.limit; left > 0;) {
    const step = { before, limit: Math.min(left, streamPage) }
    steps.push(step)
    const page = await lists.list({ ...query, ...step })
    const [first] = page.rows
    if (!page.hasBefore || first === undefined) break
    left -= page.rows.length
    before = first
  }
  for (const step of steps.toReversed()) yield await lists.list({ ...query, ...step })
}

interface LongList {
  readonly options: PresentOptions
  /** What its cursors belong to, and the moment that they remember. */
  readonly scope: string
  readonly position: bigint | undefined
}

/** The text of a list answer, page by page. */
async function* streamList(
  presenter: Api['presenter'],
  query: ListQuery,
  { options, scope, position }: LongList,
): AsyncGenerator<string> {
  const ends: ListedRow[] = []
  let whole = { total: 0, hasBefore: false, hasAfter: false }
  let separator = '{"data":['
  let begun = false
  for await (const { rows, total, hasBefore, hasAfter } of pagesOf(options.at, query)) {
    whole = { total, hasAfter, hasBefore: begun ? whole.hasBefore : hasBefore }
    begun = true
    const [first, last] = [rows[0], rows.at(-1)]
    if (first === undefined || last === undefined) continue
    ends.splice(0, 2, ends[0] ?? first, last)
    yield separator + (await presenter.texts(rows, options)).join(',')
    separator = ','
  }
  if (ends.length === 0) yield separator
  yield `],"paging":${JSON.stringify(pagingOf({ ...whole, rows: ends }, scope, position))}}`
}

export const kindRoutes = (api: Api, definition: KindDefinition): Route[] => [
  ...creatingRoutes(api, definition),
  ...readingRoutes(api, definition),
  ...(definition.traits.bulk ? [bulkRoute(api, definition)] : []),
]

const creatingRoutes = (api: Api, definition: KindDefinition): Route[] => {
  const kind = definition.name
  const entity = entitySchema(definition)
  const example = createExample(definition, api.kindNamed)
  const body = jsonBody(createSchema(definition), { example, lenient: true })
  const shared = { ...parameters.kindRoute(definition, 'create'), parameters: parameters.preconditions, body }
  const created = { description: 'Created', schema: entity, headers: parameters.made }
  return [
    {
      ...shared,
      method: 'post',
      id: `create_${kind}`,
      summary: `Create a ${kind}`,
      answers: { 201: created },
      handle: (request) => make(api, definition, 'Create', request),
    },
    {
      ...shared,
      method: 'put',
      id: `upsert_${kind}`,
      summary: `Create or update a ${kind}`,
      description: whatStays,
      permission: { operation: 'create', or: 'edit', kind },
      answers: { ...parameters.entityAnswers(definition, 'Updated, or unchanged'), 201: created },
      handle: (request) => make(api, definition, 'Upsert', request),
    },
  ]
}

const readingRoutes = (api: Api, definition: KindDefinition): Route[] => [
  {
    ...parameters.kindRoute(definition, 'view'),
    method: 'get',
    id: `list_${definition.name}`,
    summary: `List the entities of kind ${definition.name}`,
    parameters: parameters.list(definition),
    lane: ofThePast,
    answers: ok('One page', listSchema(definition)),
    handle: (request) => withDependencies(api, request, (own) => list(own, definition, request)),
  },
  ...parameters.entityRoutes(definition, 'view', '', {
    method: 'get',
    id: `get_${definition.name}`,
    summary: `Get a ${definition.name} by {address}`,
    parameters: parameters.get(definition),
    lane: ofThePast,
    answers: parameters.validatedAnswers('The entity', entitySchema(definition)),
    handle: (request) => withDependencies(api, request, (own) => get(own, definition, request)),
  }),
]

const make = async (
  api: Api,
  definition: KindDefinition,
  type: 'Create' | 'Upsert',
  request: ApiRequest,
): Promise<Answer> => {
  const yieldWhenDue = makeYielder()
  const parsed = await readRequestInSlices(definition, request.body, type === 'Create' ? 'create' : 'upsert')
  await yieldWhenDue()
  const context = contextOf(api, request)
  await yieldWhenDue()
  const may = await mayWrite(api, definition, request, type)
  const asked = { type, definition, parsed, mayWrite: (entity?: Entity): void => may(entity, parsed.values) }
  const wanted = write(context, asked, causeOf(request), preconditionOf(request))
  await yieldWhenDue()
  const result = await execute(context, wanted).catch((error: unknown) => {
    throw withPathsAsSent(definition, request.body, error)
  })
  return answerResult(api, request, definition, result)
}

const get = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const shown = readFields(request.query, definition, 'get')
  const [include, asOf] = [readInclude(request.query), request.query.get('asOf')]
  const { row, ...found } = await findShown(api, definition, request, { include, asOf })
  return answerRow(api, request, row, { shown, ...found })
}

const list = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const shown = readFields(request.query, definition, 'list')
  await catchUp(api, request)
  const scope = listScope(definition, request.query)
  const asked = readPage(request.query, scope, definition.maxLimit)
  const past = await readPast(api, definition, request, asked.position)
  const narrowed = await readListQuery(api, definition, request, { ...asked, past })
  const position = past?.position
  if (narrowed === undefined) return { status: 200, body: listText([], pagingOf(noPage, scope, position)) }
  const query = { ...narrowed, withRequested: shapeOf(definition, shown).onRequest !== 'nothing' }
  const at = past === undefined ? api.readModels : pointInTime(api, past)
  const options = { ...presented(api, request, shown), at }
  if (query.limit > streamPage)
    return { status: 200, body: Readable.from(streamList(api.presenter, query, { options, scope, position })) }
  const page = await at.list(query)
  const texts = await api.presenter.texts(page.rows, options)
  return { status: 200, body: listText(texts, pagingOf(page, scope, position)) }
}

const noPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

const listText = (texts: readonly string[], paging: object): string =>
  `{"data":[${texts.join(',')}],"paging":${JSON.stringify(paging)}}`
