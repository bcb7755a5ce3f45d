import { z } from 'zod'
import { DomainError, forbidden, notFound } from '../../commands/errors.ts'
import type { Context } from '../../commands/caller.ts'
import { stateLineage, type LineageStatement } from '../../commands/requests/stateLineage.ts'
import type { Request } from '../../commands/unitOfWork/request.ts'
import { incarnationOf } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { assetKinds, kindNamed, lineageKind } from '../../kinds/registry/kinds.ts'
import { makeLogTree } from '../../projections/tree/tree.ts'
import type { JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { proveInclusion } from '../audit/auditRoutes.ts'
import { treeProjection } from '../../projections/tree/treeProjection.ts'
import type { CatalogRequest, CatalogRoute, KindRequest } from '../deps.ts'
import { findTarget, waitForLineage } from '../entities/listQuery.ts'
import * as parameters from '../entities/parameters.ts'
import { makeAccess, stricter } from '../access.ts'
import { mustReadLineageOf, findAddressed } from '../entities/reads/addressed.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { asOfPosition, positionParameter, readPosition } from '../entities/reads/moment.ts'
import { causeOf, headerPrecondition } from '../entities/writeRequest.ts'
import { badQuery, selectedNames, readFlag, readParameter, readPage } from '../http/queryParameters.ts'
import { catalogAt } from '../entities/answers/pointInTime.ts'
import type { Visibility } from '../entities/answers/masking.ts'
import {
  jsonAnswer,
  ok,
  queryFlag,
  queryParameter,
  route,
  type Answer,
  type ApiRequest,
  type Parameter,
} from '../http/route.ts'
import {
  differenceAnswer,
  graphAnswer,
  lineageTable,
  presentEdges,
  presentGraph,
  presentNode,
} from './presentLineage.ts'
import {
  lineageDifference,
  maxLineageNodes,
  walkLineage,
  pathBetween,
  type LineageGraph,
  type LineageNode,
  type LineageRequest,
} from '../../projections/lineage/graph.ts'

const maxDepth = limits.lineageDepth.value

const depthParameter = (name: string) =>
  queryParameter(name, `Steps ${name} that are followed`, z.int().min(0).max(maxDepth).default(3))
const depthParameters = [depthParameter('up'), depthParameter('down')] as const

const sources = queryParameter(
  'source',
  'Only edges from these sources, comma-separated: manual, dbt, openlineage:…',
  selectedNames(),
)
const columns = queryFlag('columns', 'With columns and statements of each edge')
const { value: mostNodes } = limits.lineageNodes
const pageSize = queryParameter('limit', 'Assets on a page', z.int().min(1).max(mostNodes).default(mostNodes))
/** The kind that the path names. @throws DomainError `not_found` */
const assetKind = ({ params }: CatalogRequest): KindDefinition => {
  const name = params['kind'] ?? ''
  if (!assetKinds.includes(name))
    throw notFound(`Lineage is of assets, and ${name} is not a kind of asset: use one of ${assetKinds.join(', ')}.`)
  return kindNamed(name)
}

/** The request with the stricter of the permissions on lineage and on the asset. */
export const withStricterPermission = (request: CatalogRequest): KindRequest => {
  const definition = assetKind(request)
  return {
    ...request,
    definition,
    permission: stricter(request.permission, request.access.must('view', definition.name)),
  }
}

/**
 * Makes the requests that state the lineage of assets, if the caller may: `create` for what is stated first, `edit` for
 * what is there, and ownership of the asset where that is for owners only.
 */
export const prepareStatements = async (request: CatalogRequest, context: Context) => {
  const { may, must, makeCheck } = makeAccess(request.api, request.actor)
  const holds = await makeCheck('ifOwner')
  const isForOwners = may('create', lineageKind) === 'ifOwner' || may('edit', lineageKind) === 'ifOwner'
  const cause = causeOf(request)
  return (statement: Omit<LineageStatement, 'readsAsset' | 'mayState'>): Request => {
    const { type, fullyQualifiedName } = statement.asset
    const mayState: LineageStatement['mayState'] = (lineage, asset) => {
      if (!holds(may('view', type), asset)) throw notFound(`There is no ${type} ${fullyQualifiedName}.`)
      const operation = lineage === undefined || lineage.status === 'gone' ? 'create' : 'edit'
      if (!holds(must(operation, lineageKind), asset))
        throw forbidden(`Only its owners may state the lineage of ${type} ${fullyQualifiedName}.`)
    }
    const readsAsset = isForOwners || may('view', type) === 'ifOwner'
    return stateLineage(context, { ...statement, mayState, readsAsset }, cause, headerPrecondition(request))
  }
}

/** The reason of a refusal. @throws what is none */
export const refusalOf = (error: unknown): string => {
  if (error instanceof DomainError) return error.message
  throw error
}

type Steps = Pick<LineageRequest, 'up' | 'down' | 'until'>

/** The asset in the path, its lineage at a position, which the projection shows by then, and how edges are shown. */
const lineageAt = async (request: CatalogRequest, position: bigint | undefined) => {
  const { api, query } = request
  const asked = withStricterPermission(request)
  const asOf = asOfPosition(position)
  const { row } = await findAddressed(asked, { include: 'all', asOf })
  const tree = readFlag(query, 'proof') ? makeLogTree(api.readModels) : undefined
  const prove = tree && ((stated: bigint): Promise<JsonObject> => proveInclusion(api, tree, stated))
  if (prove !== undefined) await mustReadLineageOf(request, row.id, 'history')
  await waitForLineage(api, position)
  const at = catalogAt(api, position === undefined ? undefined : { position })
  const start = (await at.getReferences([row.id])).get(row.id)
  if (start === undefined) throw notFound(`There was no ${asked.definition.name} ${row.fullyQualifiedName} at ${asOf}.`)
  const from = { start, sources: readParameter(query, sources), position, at }
  const show = { sees: request.access.sees, columns: readFlag(query, 'columns'), prove, at }
  return { row, show, walk: (steps: Steps) => walkLineage(api.readModels, { ...from, ...steps }) }
}

const readSteps = ({ query }: ApiRequest): Steps => ({
  up: readParameter(query, depthParameters[0]),
  down: readParameter(query, depthParameters[1]),
})

/** The place of a node in a graph: its depth, and its id as the caller sees it. */
const nodeKey = z.object({ depth: z.int(), id: z.string() })

type NodeKey = z.output<typeof nodeKey>

const keyOf = ({ row: { kind, id }, depth }: LineageNode, sees: Visibility): NodeKey => ({
  depth,
  id: sees(kind) ? id : sees.hideId(id),
})

/** Whether nodes come up to a place; what stands there may be gone. */
const makeCursorFilter = ({ api }: CatalogRequest, after: NodeKey) => {
  const placeOf = (depth: number): number => (depth > 0 ? maxDepth + depth : -depth)
  const [place, last] = [placeOf(after.depth), api.commands.secretCodec.revealId(after.id)]
  return ({ row, depth }: LineageNode): boolean =>
    placeOf(depth) < place || (placeOf(depth) === place && row.id <= last)
}

const graph = async (request: CatalogRequest): Promise<Answer> => {
  const { query } = request
  const depths = readSteps(request)
  const limit = readParameter(query, pageSize)
  const { after: from, cursorAt } = readPage(request, nodeKey)
  const position = await readPosition(request)
  const { walk, show } = await lineageAt(request, position)
  const walked = await walk(depths)
  const { nodes } = walked
  const first = from === undefined ? 0 : nodes.filter(makeCursorFilter(request, from)).length
  if (show.prove !== undefined) await waitForProjection(request.api, treeProjection.name)
  const last = first + limit < nodes.length ? nodes[first + limit - 1] : undefined
  const after = last && cursorAt(keyOf(last, show.sees))
  return presentGraph(request.api, walked, show, position, { first, limit, after })
}

const table = async (request: CatalogRequest): Promise<Answer> => {
  const { walk } = await lineageAt(request, await readPosition(request))
  const { up, down } = readSteps(request)
  // In a circle an asset is both upstream and downstream.
  const graphs = [await walk({ up, down: 0 }), await walk({ up: 0, down })]
  if (graphs.some(({ truncated }) => truncated))
    throw badQuery('up', `meets, or down does, more than ${maxLineageNodes} assets: take fewer steps`)
  const nodes = graphs.flatMap((graph) => graph.nodes.slice(1))
  const body = lineageTable(nodes, request.access.sees)
  return { status: 200, body, contentType: 'text/csv; charset=utf-8' }
}

const difference = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const shown = await api.runner.shownPosition()
  const from = (await readPosition(request, 'from')) as bigint
  const to = (await readPosition(request, 'to')) ?? shown ?? 0n
  const before = await earlierLineage(request, from)
  const { show, walk } = await lineageAt(request, to)
  const now = await walk(readSteps(request))
  await waitForProjection(api, 'activity')
  const changes = lineageDifference(before, now)
  const nodes = [...new Map([...before.nodes, ...now.nodes].map((node) => [node.incarnation, node])).values()]
  return jsonAnswer({
    from: positionParameter(from),
    to: positionParameter(to),
    nodes: nodes.map((node) => presentNode(node, show.sees)),
    added: await presentEdges(api, nodes, changes.added, show),
    removed: await presentEdges(api, nodes, changes.removed, { ...show, at: catalogAt(api, { position: from }) }),
    changed: await presentEdges(api, nodes, changes.changed, show),
  })
}

/** The earlier lineage of a difference; empty if the asset did not exist yet. */
const earlierLineage = async (request: CatalogRequest, position: bigint): Promise<LineageGraph> => {
  try {
    const { walk } = await lineageAt(request, position)
    return await walk(readSteps(request))
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'not_found')) throw error
    return { nodes: [], edges: [], truncated: false }
  }
}

const shortestPath = async (request: CatalogRequest): Promise<Answer> => {
  const { query } = request
  const wanted = query.get('to') as string
  const position = await readPosition(request)
  const { row, walk, show } = await lineageAt(request, position)
  const past = position === undefined ? undefined : { position }
  const target = await findTarget({ ...request, past }, 'to', wanted, assetKinds)
  if (target === undefined) throw notFound(`There is no asset ${wanted}.`)
  const [from, to] = [incarnationOf(row), incarnationOf(target)]
  const below = await walk({ up: 0, down: Infinity, until: to })
  const isBelow = below.nodes.some(({ incarnation }) => incarnation === to)
  const walked = isBelow ? below : await walk({ up: Infinity, down: 0, until: to })
  const found = pathBetween(walked, from, to)
  const incarnations = new Set(found.flatMap(({ up, down }) => [up, down]))
  const nodes = walked.nodes.filter(({ incarnation }) => incarnations.has(incarnation))
  const truncated = found.length === 0 && (below.truncated || walked.truncated)
  return presentGraph(request.api, { nodes, edges: found, truncated }, show, position)
}

const shared = { tag: lineageKind, permission: { operation: 'view', kind: lineageKind } } as const

/** What can be read of the lineage of the asset at a path. @param named parameters of the path */
export const lineageReads = (path: string, suffix: string, named: readonly Parameter[]): CatalogRoute[] => [
  route('get', path, `get_lineage_graph${suffix}`, {
    ...shared,
    summary: 'Where the data of an asset comes from, and where it goes',
    parameters: [
      ...named,
      ...depthParameters,
      columns,
      sources,
      queryParameter('proof', 'With an inclusion proof of each statement', z.boolean()),
      pageSize,
      queryParameter('after', 'Cursor of the previous page'),
      parameters.asOfMoment,
    ],
    answers: ok('The lineage, or a page of it', graphAnswer),
    handle: graph,
  }),
  route('get', `${path}/diff`, `diff_lineage_graph${suffix}`, {
    ...shared,
    summary: 'What changed in the lineage of an asset between two moments',
    bulkhead: 'past',
    parameters: [
      ...named,
      queryParameter('from', 'A log position (@1200) or an ISO 8601 instant', z.string(), true),
      queryParameter('to', 'The same; default now'),
      ...depthParameters,
      columns,
      sources,
    ],
    answers: ok('The difference', differenceAnswer),
    handle: difference,
  }),
  route('get', `${path}/csv`, `list_lineage_graph${suffix}`, {
    ...shared,
    summary: 'Upstream and downstream assets as a table',
    parameters: [...named, ...depthParameters, sources, parameters.asOfMoment],
    answers: { 200: { description: 'One line per asset', contentType: 'text/csv', schema: z.string() } },
    handle: table,
  }),
  route('get', `${path}/path`, `path_in_lineage${suffix}`, {
    ...shared,
    summary: 'A shortest path between two assets, in either direction',
    parameters: [
      ...named,
      queryParameter('to', 'FQN or UUID of the other asset', z.string(), true),
      columns,
      sources,
      parameters.asOfMoment,
    ],
    answers: ok('The way; nothing where there is none', graphAnswer),
    handle: shortestPath,
  }),
]
