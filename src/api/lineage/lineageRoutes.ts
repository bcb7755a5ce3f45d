import { z } from 'zod'
import { countChanged, execute, executeAll } from '../../commands/requests/execute.ts'
import { statedEdges, upstreamIn } from '../../commands/statements.ts'
import type { EdgeInput } from '../../commands/requests/stateLineage.ts'
import { invalid } from '../../commands/errors.ts'
import { assetKinds, lineageKind } from '../../kinds/registry/kinds.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'
import { entityId } from '../../kinds/names.ts'
import { entityReference, referenceInput } from '../../kinds/members/shapes.ts'
import { candidateIds } from '../../commands/requests/resolveRequest.ts'
import { isObject, safeParse, type Json, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { maskEvent } from '../entities/answers/masking.ts'
import * as parameters from '../entities/parameters.ts'
import { mustFindRow } from '../entities/reads/addressed.ts'
import { readFlag, readParameter } from '../http/queryParameters.ts'
import { contextOf } from '../entities/writeRequest.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonAnswer, jsonBody, ok, pathParameter, queryParameter, route, type Answer } from '../http/route.ts'
import { lineageReads, prepareStatements, refusalOf, withStricterPermission } from './lineageReads.ts'

const columnEdge = z.strictObject({
  from: z.array(z.string().min(1).max(limits.fqn.value)).min(1).max(1000),
  to: z.string().min(1).max(limits.fqn.value),
  function: z.string().max(10_000).optional(),
})

const edgeBody = z.strictObject({
  from: referenceInput.describe('The upstream asset: its FQN, or {id, type}'),
  description: z.string().optional(),
  sql: z.string().optional(),
  pipeline: referenceInput.optional(),
  query: referenceInput.optional(),
  columns: z.array(columnEdge).max(10_000).optional(),
})

const statementBody = z
  .strictObject({ edges: z.array(edgeBody).max(limits.lineageEdges.value) })
  .meta({ id: 'LineageStatement', description: 'All upstream edges of an asset from one source' })

const statementAnswer = z
  .object({
    entity: entityReference.partial(),
    source: z.string(),
    edges: z.array(z.record(z.string(), z.unknown())),
    changed: z.boolean(),
  })
  .meta({ id: 'StatedLineage', description: 'The present edges of the source' })

const sourceParameter = queryParameter(
  'source',
  'Who says so',
  z
    .string()
    .regex(/^[^\p{Cc},]{1,1024}$/u, 'must be 1 to 1,024 characters without commas, such as manual, dbt or airflow')
    .default('manual'),
)
const kind = pathParameter('kind', 'Kind of the asset, e.g. table', z.enum(assetKinds as [string, ...string[]]))

const namedStatement = statementBody.extend({ entity: z.string().describe('Fully qualified name of the asset') })

const mostStatements = limits.lineageStatements.value

const manyStatements = z
  .array(namedStatement)
  .max(mostStatements)
  .meta({ id: 'LineageStatements', description: 'All upstream edges of assets of one kind from one source' })

const manyAnswer = z
  .object({
    processed: z.int(),
    changed: z.int(),
    failed: z.array(z.object({ entity: z.string(), message: z.string() })),
  })
  .meta({ id: 'LineageStatementsReceipt', description: 'How many changed something, and which were refused' })

const example = { edges: [{ from: 'shop.sales.public.orders', sql: 'insert into daily select * from orders' }] }

const stateMany = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const asset = withStricterPermission(request).definition
  const source = readParameter(request.query, sourceParameter)
  const context = contextOf(request, readFlag(request.query, 'dryRun'))
  const items = parseBody(z.array(z.unknown()).max(mostStatements), request.body)
  const malformed: Json[] = []
  const statements = items.flatMap((item) => {
    const { data, error } = safeParse(namedStatement, item)
    if (error !== undefined) {
      const { message } = invalid(problemsOf(error, item, { path: '' }))
      const entity = isObject(item) && typeof item['entity'] === 'string' ? item['entity'] : ''
      malformed.push({ entity, message })
      return []
    }
    const [id = ''] = candidateIds({ fullyQualifiedName: data.entity }, [asset.name], context)
    return [{ ...data, id, lineage: entityId(lineageKind, id) }]
  })
  const rows = await api.readModels.getMany([...new Set(statements.flatMap(({ id, lineage }) => [id, lineage]))])
  const isLive = (id: string): boolean => rows.get(id)?.status === 'live'
  const ids = [...new Set(statements.map(({ id }) => id))]
  const seen = await request.access.visible(
    asset.name,
    ids.map((id) => ({ id })),
  )
  const there = new Set(seen.flatMap(({ id }) => (isLive(id) ? [id] : [])))
  const statementOf = await prepareStatements(request, context)
  const withEdges = new Set(statements.flatMap(({ id, edges }) => (edges.length > 0 ? [id] : [])))
  // An empty statement begins no lineage.
  const submitted = statements.filter(({ id, lineage }) => withEdges.has(id) || !there.has(id) || isLive(lineage))
  const requests = submitted.map(({ entity, edges, id }) => {
    const fullyQualifiedName = (there.has(id) ? rows.get(id)?.fullyQualifiedName : undefined) ?? entity
    const about = { id, type: asset.name, fullyQualifiedName }
    return { ...statementOf({ source, asset: about, edges: edges as EdgeInput[] }), entity }
  })
  const { summaries, position } = await executeAll(context, requests)
  const failed = summaries.flatMap((one): Json[] =>
    'error' in one ? [{ entity: one.request.entity, message: refusalOf(one.error) }] : [],
  )
  const answer = { processed: items.length, changed: countChanged(summaries), failed: [...malformed, ...failed] }
  return jsonAnswer(answer, { position })
}

const state = async (request: CatalogRequest): Promise<Answer> => {
  const source = readParameter(request.query, sourceParameter)
  const { edges } = parseBody(statementBody, request.body)
  const row = await mustFindRow(withStricterPermission({ ...request, permission: 'yes' }), 'non-deleted')
  const { id, kind: type, fullyQualifiedName } = row
  const context = contextOf(request)
  const asset = { id, type, fullyQualifiedName }
  const statementOf = await prepareStatements(request, context)
  const result = await execute(context, statementOf({ source, asset, edges: edges as EdgeInput[] }))
  const { entity, changed } = result
  const stated = { entity: asset, source, edges: statedEdges(upstreamIn(entity.members), source) }
  const shown = maskEvent('LineageStated', stated as unknown as Json, request.access.sees)
  const body = JSON.stringify({ ...(shown as JsonObject), changed })
  return { status: 200, revision: entity.revision, position: result.position, body }
}

export const lineageRoutes: CatalogRoute[] = [
  route('put', '/v1/lineage/{kind}/bulk', 'state_lineages', {
    summary: 'Set the upstream edges of many assets from one source',
    description: 'Each is handled separately: unchanged ones make no event, and a refused one stops no other.',
    tag: lineageKind,
    permission: { operation: 'create', or: 'edit', kind: lineageKind },
    parameters: [kind, sourceParameter, parameters.dryRunParameter],
    body: jsonBody(manyStatements, {
      limit: limits.bulkBody.value,
      example: [{ entity: 'shop.sales.public.daily', ...example }],
    }),
    answers: ok('What became of them', manyAnswer, ['Catalog-Position']),
    handle: stateMany,
  }),
  ...parameters.addresses.flatMap(({ at, suffix, parameter }): CatalogRoute[] => {
    const path = `/v1/lineage/{kind}/${at}`
    const named = [kind, parameter]
    return [
      route('put', path, `state_lineage${suffix}`, {
        summary: 'Set all upstream edges of an asset from one source',
        description:
          'What the source stated before and does not state now ends; other sources are left alone. Stating the same ' +
          'again changes nothing. `edges: []` ends all edges of the source.',
        tag: lineageKind,
        permission: { operation: 'create', or: 'edit', kind: lineageKind },
        parameters: [...named, sourceParameter, ...parameters.preconditions],
        body: jsonBody(statementBody, { example }),
        answers: ok('Stated', statementAnswer, parameters.writeHeaders),
        handle: state,
      }),
      ...lineageReads(path, suffix, named),
    ]
  }),
]
