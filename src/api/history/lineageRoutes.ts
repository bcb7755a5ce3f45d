import { z } from 'zod'
import { chunkSize, execute, executeAll } from '../../commands/requests/execute.ts'
import { upstreamIn } from '../../commands/statements.ts'
import { stateLineage, type EdgeInput } from '../../commands/requests/stateLineage.ts'
import { DomainError, notFound } from '../../commands/errors.ts'
import { incarnationOf } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { assetKinds, lineageKind, pipelineKind, queryKind } from '../../kinds/registry/kinds.ts'
import { entityReference, referenceInput } from '../../kinds/members/shapes.ts'
import type { ShownRow } from '../../projections/entities/entityRow.ts'
import { makeLogTree } from '../../projections/tree/tree.ts'
import { candidateIds } from '../../commands/requests/resolveRequest.ts'
import { chunksOf } from '../../shared/bounds.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { proveInclusion, levelTree } from '../audit/auditRoutes.ts'
import type { Api } from '../deps.ts'
import { firstKnown, levelLineage } from '../entities/listQuery.ts'
import { makeCursor, readPage } from '../http/paging.ts'
import * as parameters from '../entities/parameters.ts'
import {
  seesFor,
  catchUp,
  levelWithEntities,
  mustFindRow,
  mustBeAllowed,
  mustOwn,
} from '../entities/reads/callerReads.ts'
import { findShown, ofThePast, readPosition } from '../entities/reads/moment.ts'
import { readCount, readFlag, badQuery } from '../http/queryParameters.ts'
import { pointInTime } from '../entities/answers/pointInTime.ts'
import { causeOf, contextOf, preconditionOf, writtenHeaders } from '../entities/writeRequest.ts'
import { parseBody } from '../http/readBody.ts'
import {
  jsonAnswer,
  jsonBody,
  ok,
  pathParameter,
  queryParameter,
  type Answer,
  type ApiRequest,
  type Parameter,
  type Route,
} from '../http/route.ts'
import { lineageNode, lineageTable, shownEdge, shownEdges, shownNode, type EdgeOptions } from './presentLineage.ts'
import {
  lineageDifference,
  walkLineage,
  wayBetween,
  type LineageNode,
  type LineageGraph,
} from '../../projections/lineage/graph.ts'

const columnEdge = z.strictObject({
  from: z.array(z.string().min(1).max(3072)).min(1).max(1000),
  to: z.string().min(1).max(3072),
  function: z.string().max(10_000).optional(),
})

const edgeBody = z.strictObject({
  from: referenceInput.describe('The upstream: its FQN, or {id, type}'),
  description: z.string().optional(),
  sql: z.string().optional(),
  pipeline: referenceInput.optional(),
  query: referenceInput.optional(),
  columns: z.array(columnEdge).max(10_000).optional(),
})

const statementBody = z
  .strictObject({ edges: z.array(edgeBody).max(limits.lineageEdges.value) })
  .meta({ id: 'LineageStatement', description: 'All upstreams of an asset, as one source knows them' })

const statementAnswer = z
  .object({
    entity: entityReference.partial(),
    source: z.string(),
    edges: z.array(z.record(z.string(), z.unknown())),
    changed: z.boolean(),
  })
  .meta({ id: 'StatedLineage', description: 'What the source states from now on' })

const graphAnswer = z
  .object({
    nodes: z.array(lineageNode),
    edges: z.array(shownEdge),
    paging: z.object({
      total: z.int(),
      after: z.string().optional(),
      truncated: z.boolean().describe('There is more than is ever followed'),
      asOf: z.string().optional(),
    }),
  })
  .meta({ id: 'LineageGraph', description: 'Assets, nearest first, and how data comes from one to another' })

const differenceAnswer = z
  .object({
    from: z.string(),
    to: z.string(),
    nodes: z.array(lineageNode),
    added: z.array(shownEdge),
    removed: z.array(shownEdge),
    changed: z.array(shownEdge),
  })
  .meta({ id: 'LineageDifference', description: 'Edges that came, went, or have other details' })

const most = limits.lineageDepth.value

const steps = ['up', 'down'].map((name) =>
  queryParameter(name, `Steps ${name} that are followed`, z.int().min(0).max(most).default(3)),
)

const sources = queryParameter('source', 'Only what these sources state, comma-separated: manual, dbt, openlineage:…')
const sourceOf = queryParameter('source', 'Who says so; default manual')
const columns = queryParameter('columns', 'With columns and statements of each edge', z.boolean().default(false))
const pageSize = z.int().min(1).max(limits.lineageNodes.value).default(limits.lineageNodes.value)
const kind = pathParameter('kind', 'Kind of the asset, e.g. table', z.enum(assetKinds as [string, ...string[]]))

const manyStatements = z
  .array(
    z.strictObject({
      entity: z.string().describe('Fully qualified name of the asset'),
      edges: z.array(edgeBody).max(limits.lineageEdges.value),
    }),
  )
  .max(1000)
  .meta({ id: 'LineageStatements', description: 'All upstreams of assets of one kind, as one source knows them' })

const manyAnswer = z
  .object({
    processed: z.int(),
    changed: z.int(),
    failed: z.array(z.object({ entity: z.string(), message: z.string() })),
  })
  .meta({ id: 'LineageStatementsReceipt', description: 'How many said something new, and which were refused' })

const example = { edges: [{ from: 'shop.sales.public.orders', sql: 'insert into daily select * from orders' }] }

type Read = Pick<Route, 'summary' | 'answers' | 'lane'> & { readonly parameters: readonly Parameter[] }

const readRoutes: readonly (Read & {
  id: string
  below: string
  handle: (api: Api, request: ApiRequest) => Promise<Answer>
})[] = [
  {
    id: 'get_lineage_graph',
    below: '',
    summary: 'Where the data of an asset comes from, and where it goes',
    lane: ofThePast,
    parameters: [
      ...steps,
      columns,
      sources,
      queryParameter('proof', 'With an inclusion proof of each statement', z.boolean()),
      queryParameter('limit', 'Assets on a page', pageSize),
      queryParameter('after', 'Cursor of the page before'),
      parameters.asOfMoment,
    ],
    answers: ok('The lineage, or a page of it', graphAnswer),
    handle: (api, request) => graph(api, request),
  },
  {
    id: 'diff_lineage_graph',
    below: '/diff',
    summary: 'What changed in the lineage of an asset between two moments',
    lane: 'past',
    parameters: [
      queryParameter('from', 'A log position (@1200) or an ISO 8601 instant', z.string(), true),
      queryParameter('to', 'The same; default now'),
      ...steps,
      columns,
      sources,
    ],
    answers: ok('The difference', differenceAnswer),
    handle: (api, request) => difference(api, request),
  },
  {
    id: 'list_lineage_graph',
    below: '/csv',
    summary: 'What is up and down of an asset, as a table',
    lane: ofThePast,
    parameters: [...steps, sources, parameters.asOfMoment],
    answers: { 200: { description: 'A line for each asset', contentType: 'text/csv', schema: z.string() } },
    handle: (api, request) => table(api, request),
  },
  {
    id: 'path_in_lineage',
    below: '/path',
    summary: 'A shortest way of data between two assets, whichever is upstream',
    lane: ofThePast,
    parameters: [
      queryParameter('to', 'FQN or UUID of the other asset', z.string(), true),
      columns,
      sources,
      parameters.asOfMoment,
    ],
    answers: ok('The way; nothing where there is none', graphAnswer),
    handle: (api, request) => way(api, request),
  },
]

export const lineageRoutes = (api: Api): Route[] => [
  {
    method: 'put',
    path: '/v1/lineage/{kind}/bulk',
    id: 'state_lineages',
    summary: 'State the upstreams of many assets according to one source',
    description: 'Each is stated as if alone: what stands already is no event, and one that is refused stops no other.',
    tag: lineageKind,
    permission: { operation: 'create', or: 'edit', kind: lineageKind },
    parameters: [kind, sourceOf],
    body: jsonBody(manyStatements, { example: [{ entity: 'shop.sales.public.daily', ...example }] }),
    answers: ok('What became of them', manyAnswer, ['Catalog-Position']),
    problems: ['NOT_FOUND'],
    handle: (request) => stateMany(api, request),
  },
  ...parameters.addresses.flatMap(({ at, suffix, parameter }): Route[] => {
    const path = `/v1/lineage/{kind}/${at}`
    const named = [kind, parameter]
    return [
      {
        method: 'put',
        path,
        id: `state_lineage${suffix}`,
        summary: 'State all upstreams of an asset according to one source',
        description:
          'What the source stated before and does not state now ends; other sources are left alone. Stating the same ' +
          'again changes nothing. `edges: []` takes all of the source back.',
        tag: lineageKind,
        permission: { operation: 'create', or: 'edit', kind: lineageKind },
        parameters: [...named, sourceOf, parameters.ifMatch],
        body: jsonBody(statementBody, { example }),
        answers: ok('Stated', statementAnswer, parameters.written),
        problems: ['NOT_FOUND'],
        handle: (request) => state(api, request),
      },
      ...readRoutes.map(({ id, below, handle, ...route }): Route => ({
        ...route,
        method: 'get',
        tag: lineageKind,
        permission: { operation: 'view', kind: lineageKind },
        path: path + below,
        id: id + suffix,
        parameters: [...named, ...route.parameters],
        problems: ['NOT_FOUND'],
        handle: (request) => handle(api, request),
      })),
    ]
  }),
]

/** The kind that the path names. @throws DomainError `not_found` */
export const assetKind = (api: Api, { params }: ApiRequest): KindDefinition => {
  const name = params['kind'] ?? ''
  if (!assetKinds.includes(name))
    throw notFound(`Lineage is of assets, and ${name} is no kind of them: use one of ${assetKinds.join(', ')}.`)
  return api.kindNamed(name)
}

/** The request as far as its caller may do so with lineage and with the asset. */
export const limited = (
  api: Api,
  request: ApiRequest,
  definition: KindDefinition,
  operation: 'view' | 'edit' = 'view',
): ApiRequest => {
  const own = mustBeAllowed(api, request, operation, definition)
  return own === 'ifOwner' ? { ...request, permission: own } : request
}

const readSources = ({ query }: ApiRequest): string[] | undefined =>
  query
    .get('source')
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const sourceName = ({ query }: ApiRequest): string => {
  const source = query.get('source') ?? 'manual'
  // oxlint-disable-next-line no-control-regex
  if (source === '' || source.length > 1024 || /[\u0000-\u001f,]/.test(source))
    throw badQuery('source', 'must be 1 to 1,024 characters without commas, such as manual, dbt or airflow')
  return source
}

const toReference = ({ id, kind: type, fullyQualifiedName }: ShownRow) => ({ id, type, fullyQualifiedName })

const statementIn = (api: Api, source: string) => ({
  definition: api.kindNamed(lineageKind),
  source,
  kinds: { pipeline: [pipelineKind], query: [queryKind] },
})

const stateMany = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const asset = assetKind(api, request)
  const common = statementIn(api, sourceName(request))
  const statements = parseBody(manyStatements, request.body)
  await catchUp(api, request)
  const context = contextOf(api, request)
  const named = statements.map(
    ({ entity }) => candidateIds({ fullyQualifiedName: entity }, [asset.name], context)[0] ?? '',
  )
  const rows = await api.readModels.getMany([...new Set(named)])
  const allowed = limited(api, request, asset)
  await mustOwn(
    api,
    allowed,
    [...rows.values()].filter(({ status }) => status === 'live'),
    allowed.permission,
  )
  const cause = causeOf(request)
  const requests = statements.map(({ entity, edges }, index) => {
    const wanted = {
      ...common,
      asset: {
        id: named[index] as string,
        type: asset.name,
        fullyQualifiedName: rows.get(named[index] as string)?.fullyQualifiedName ?? entity,
      },
      edges: edges as EdgeInput[],
    }
    return stateLineage(context, wanted, { ...cause, commandId: `${cause.commandId}:${index}` })
  })
  const { taken, position } = await executeAll(context, chunksOf(requests, chunkSize))
  const failed = taken.flatMap((one, index): Json[] => {
    if ('result' in one) return []
    if (!(one.error instanceof DomainError)) throw one.error
    return [{ entity: statements[index]?.entity ?? '', message: one.error.message }]
  })
  const changed = taken.filter((one) => 'result' in one && one.result.changed).length
  return {
    status: 200,
    ...(position !== undefined && { headers: { 'Catalog-Position': String(position) } }),
    body: { json: { processed: statements.length, changed, failed } },
  }
}

const state = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const asset = assetKind(api, request)
  const source = sourceName(request)
  const { edges } = parseBody(statementBody, request.body)
  const row = await mustFindRow(api, asset, limited(api, request, asset), 'non-deleted')
  const definition = api.kindNamed(lineageKind)
  const context = contextOf(api, request)
  const wanted = { ...statementIn(api, source), asset: toReference(row), edges: edges as EdgeInput[] }
  const result = await execute(context, stateLineage(context, wanted, causeOf(request), preconditionOf(request)))
  const { entity } = result
  const stated = upstreamIn(entity.members)[source] ?? []
  const json = {
    entity: toReference(row),
    source,
    edges: stated as Json[],
    changed: result.changed,
  }
  const body = JSON.stringify(json)
  const { 'Catalog-Position': position } = writtenHeaders(request, definition, result) as Record<string, string>
  return { status: 200, revision: entity.revision, headers: { 'Catalog-Position': position as string }, body }
}

/** An asset at a moment, and the edges of that moment. */
interface Asked {
  readonly row: ShownRow
  readonly walk: (up: number, down: number, until?: string) => Promise<LineageGraph>
  readonly position: bigint | undefined
}

/** Waits until edges are shown as far as the rest. */
const lineageAt = async (api: Api, request: ApiRequest, moment: string | undefined): Promise<Asked> => {
  const definition = assetKind(api, request)
  const asked = limited(api, request, definition)
  await catchUp(api, request)
  const position = moment === undefined ? undefined : await readPosition(api, moment)
  const asOf = position === undefined ? undefined : `@${position}`
  const { row } =
    asOf === undefined || position === -1n
      ? { row: await mustFindRow(api, definition, asked, 'all') }
      : await findShown(api, definition, asked, { include: 'all', asOf })
  await levelLineage(api, position)
  const at = position === undefined ? api.readModels : pointInTime(api, { position })
  const start = (await at.getReferences([row.id])).get(row.id)
  if (start === undefined) throw notFound(`There was no ${definition.name} ${row.fullyQualifiedName} at ${moment}.`)
  const from = { start, sources: readSources(request), position, at }
  return { row, position, walk: (up, down, until) => walkLineage(api.readModels, { ...from, up, down, until }) }
}

const depths = ({ query }: ApiRequest): [up: number, down: number] => [
  readCount(query, 'up', 3, most),
  readCount(query, 'down', 3, most),
]

const showing = (api: Api, request: ApiRequest) => {
  const sees = seesFor(api, request)
  const whole = readFlag(request.query, 'columns')
  const proven = request.query.has('proof') && readFlag(request.query, 'proof')
  if (proven) mustBeAllowed(api, request, 'history', api.kindNamed(lineageKind))
  const tree = makeLogTree(api.readModels)
  const prove = async (position: bigint): Promise<JsonObject> => proveInclusion(api, tree, position)
  return { sees, columns: whole, ...(proven && { prove }) }
}

const pageOf = (
  { nodes, edges }: LineageGraph,
  first: number,
  limit: number,
): Pick<LineageGraph, 'nodes' | 'edges'> => {
  const some = nodes.slice(first, first + limit)
  const places = new Map(nodes.map(({ life }, place) => [life, place]))
  const isHere = (place: number): boolean => place >= first && place < first + limit
  // An edge stands where the later one of its ends does.
  const here = edges.filter(({ up, down }) =>
    isHere(Math.max(places.get(up.life) as number, places.get(down.life) as number)),
  )
  return { nodes: some, edges: here }
}

const graph = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const { query, params } = request
  const [up, down] = depths(request)
  const limit = Math.max(1, readCount(query, 'limit', limits.lineageNodes.value, limits.lineageNodes.value))
  const scope = JSON.stringify([params, up, down, query.get('source') ?? '', query.get('asOf') ?? ''])
  const { after: from } = readPage(
    new Map([...query].filter(([name]) => name === 'after')),
    scope,
    limits.lineageNodes.value,
  )
  const { walk, position } = await lineageAt(api, request, query.get('asOf'))
  const walked = await walk(up, down)
  const show = showing(api, request)
  const first = from === undefined ? 0 : Number(from.id)
  if (show.prove !== undefined) await levelTree(api, request)
  const next = first + limit < walked.nodes.length ? String(first + limit) : undefined
  const after = next && makeCursor({ fullyQualifiedName: '', id: next }, scope)
  const { length: total } = walked.nodes
  return shownGraph(api, { ...walked, ...pageOf(walked, first, limit) }, show, { total, after, position })
}

/** A graph, or a page of it, as an answer. */
const shownGraph = async (
  api: Api,
  { nodes, edges, truncated }: LineageGraph,
  show: EdgeOptions,
  { total, after, position }: { total: number; after?: string | undefined; position: bigint | undefined },
): Promise<Answer> => {
  await levelWithEntities(api, 'activity')
  return jsonAnswer({
    nodes: nodes.map((node) => shownNode(node, show.sees)),
    edges: await shownEdges(api, edges, show),
    paging: {
      total,
      truncated,
      ...(after !== undefined && { after }),
      ...(position !== undefined && { asOf: `@${position}` }),
    },
  })
}

const table = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const [up, down] = depths(request)
  const { walk } = await lineageAt(api, request, request.query.get('asOf'))
  const body = lineageTable(await walk(up, down), seesFor(api, request))
  return { status: 200, body, contentType: 'text/csv; charset=utf-8' }
}

const difference = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const { query } = request
  const [up, down] = depths(request)
  const earlier = query.get('from')
  if (earlier === undefined) throw badQuery('from', 'is required: a log position (@1200) or an ISO 8601 instant')
  const shown = await api.runner.shown()
  const later = query.get('to') ?? `@${shown ?? 0n}`
  const before = await earlierLineage(api, request, earlier, [up, down])
  const after = await lineageAt(api, request, later)
  const now = await after.walk(up, down)
  const show = showing(api, request)
  await levelWithEntities(api, 'activity')
  const changes = lineageDifference(before.walked, now)
  const nodes = new Map<string, LineageNode>([...before.walked.nodes, ...now.nodes].map((node) => [node.life, node]))
  return jsonAnswer({
    from: `@${before.position}`,
    to: `@${after.position}`,
    nodes: [...nodes.values()].map((node) => shownNode(node, show.sees)),
    added: await shownEdges(api, changes.added, show),
    removed: await shownEdges(api, changes.removed, show),
    changed: await shownEdges(api, changes.changed, show),
  })
}

/** The earlier lineage of a difference: of what was not there yet, nothing. */
const earlierLineage = async (api: Api, request: ApiRequest, moment: string, [up, down]: [number, number]) => {
  const position = await readPosition(api, moment)
  try {
    const { walk } = await lineageAt(api, request, `@${position}`)
    return { position, walked: await walk(up, down) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'not_found')) throw error
    return { position, walked: { nodes: [], edges: [], truncated: false } satisfies LineageGraph }
  }
}

const way = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const { query } = request
  const wanted = query.get('to')
  if (wanted === undefined) throw badQuery('to', 'is required: the FQN or the UUID of the other asset')
  const { row, walk, position } = await lineageAt(api, request, query.get('asOf'))
  const target = await firstKnown(api, request, wanted, assetKinds)
  if (target === undefined) throw notFound(`There is no asset ${wanted}.`)
  const [from, to] = [incarnationOf(row), incarnationOf(target)]
  const below = await walk(0, most, to)
  const walked = below.nodes.some(({ life }) => life === to) ? below : await walk(most, 0, to)
  const found = wayBetween(walked, from, to)
  const lives = new Set(found.flatMap(({ up, down }) => [up.life, down.life]))
  const nodes = walked.nodes.filter(({ life }) => lives.has(life))
  const shown = { nodes, edges: found, truncated: walked.truncated }
  return shownGraph(api, shown, showing(api, request), { total: nodes.length, position })
}
