import { z } from 'zod'
import { incarnationOf } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { assetKinds, contractKind, testKind } from '../../kinds/registry/kinds.ts'
import { brokenColumns } from '../../kinds/members/assetColumns.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import { buildFqn, entityId, splitFqn } from '../../kinds/names.ts'
import { referredFqn, type ReferenceRow } from '../../projections/entities/row.ts'
import {
  isSameColumn,
  reachOf,
  walkLineage,
  type LineageNode,
  type LineageColumns,
} from '../../projections/lineage/graph.ts'
import { isObject, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { CatalogRequest, KindRequest, KindRoute } from '../deps.ts'
import { referenceOf } from '../entities/answers/masking.ts'
import { patch, patchBody } from '../entities/patchAndDeleteRoutes.ts'
import { waitForLineage } from '../entities/listQuery.ts'
import * as parameters from '../entities/parameters.ts'
import { mustFindRow, mustReadLineageOf } from '../entities/reads/addressed.ts'
import { textsFor } from '../entities/answers/present.ts'
import { contextOf } from '../entities/writeRequest.ts'
import { jsonAnswer, ok, type Answer } from '../http/route.ts'
import { lineageNode, presentNode } from './presentLineage.ts'

const impactAnswer = z
  .object({
    breaking: z.boolean().describe('Whether a column or field would be removed or change its type'),
    changes: z.array(
      z.object({
        column: z.string(),
        change: z.enum(['removed', 'typeChanged']),
        from: z.string().optional(),
        to: z.string().optional(),
      }),
    ),
    assets: z
      .array(
        lineageNode.extend({
          columns: z.array(z.string()).optional().describe('Absent: lineage has no columns'),
          owners: z.array(entityReference.partial()).optional(),
          contract: entityReference
            .extend({ entityStatus: z.string().optional(), columns: z.array(z.string()).optional() })
            .partial()
            .optional()
            .describe('Its own contract; `columns`: those reached that it promises'),
          tests: z.array(entityReference.partial()).optional().describe('Tests of the assets that are reached'),
        }),
      )
      .describe('What the change affects, nearest first, starting with the entity itself'),
    truncated: z.boolean().describe('Whether it reaches more than is shown'),
  })
  .meta({ id: 'Impact', description: 'What a change would break, before it is made' })

/** The route that shows what a change would affect. */
export const impactRoutes = (definition: KindDefinition): KindRoute[] =>
  assetKinds.includes(definition.name)
    ? parameters.entityRoutes(definition, 'edit', 'post /impact', `impact_${definition.name}`, {
        summary: `What a patch of a ${definition.name} would break downstream; nothing is changed`,
        body: patchBody(definition),
        answers: ok('What it would affect', impactAnswer),
        handle: impact,
      })
    : []

const mostTests = 100

type Reached = ReadonlySet<string> | 'all' | undefined

const isReached = (reached: Reached, column: string): boolean =>
  reached === 'all' || [...(reached ?? [])].some((one) => isSameColumn(one, column))

/** Whether a test is about the whole asset or an affected column. */
const testsReached = (asset: string, { fullyQualifiedName }: JsonObject, reached: Reached): boolean => {
  const column = (splitFqn(String(fullyQualifiedName)) ?? []).slice(splitFqn(asset)?.length, -1)
  return column.length === 0 || isReached(reached, buildFqn(column))
}

/** Owners, contracts and tests of affected assets, by asset id. */
const makeAssetDetails = async (request: CatalogRequest, nodes: readonly LineageNode[], reach: LineageColumns) => {
  const { api } = request
  const sees = request.access.sees
  const seen = nodes.filter(({ row }) => sees(row.kind))
  const ids = seen.map(({ row }) => row.id)
  const textsOf = async (of: readonly string[], shown: string): Promise<JsonObject[]> => {
    const rows = await api.readModels.getMany(of)
    const live = of.flatMap((id) => rows.get(id) ?? []).filter(({ status }) => status === 'live')
    const texts = await textsFor(request, live, { shown: new Set([shown]) })
    return texts.map((text) => JSON.parse(text) as JsonObject)
  }
  const owned = new Map((await textsOf(ids, 'owners')).map((entity) => [entity['id'], entity['owners']]))
  const contractIds = new Map(ids.map((id) => [entityId(contractKind, id), id]))
  const contracts = sees(contractKind) ? await textsOf([...contractIds.keys()], 'schema') : []
  const promised = new Map(contracts.map((contract) => [contractIds.get(String(contract['id'])), contract]))
  const tests = sees(testKind) ? await api.readModels.childrenOf(ids, testKind, mostTests) : []
  const byAsset = Map.groupBy(tests, ({ of }) => of)
  return ({ incarnation, row }: LineageNode): object => {
    const reached = reach.get(incarnation)
    const asset = referredFqn(row)
    const { id, name, fullyQualifiedName, entityStatus, schema } = promised.get(row.id) ?? {}
    const names = (Array.isArray(schema) ? schema : []).flatMap((each) => (isObject(each) ? String(each['name']) : []))
    const columns = names.filter((column) => isReached(reached, column))
    const found = (byAsset.get(row.id) ?? [])
      .map((test) => referenceOf(test.row, sees))
      .filter((test) => testsReached(asset, test, reached))
    const own = { columns: reached === 'all' ? undefined : [...(reached ?? [])], owners: owned.get(row.id) }
    const contract = id && { id, type: contractKind, name, fullyQualifiedName, entityStatus, columns }
    return sees(row.kind) ? { ...own, contract, tests: found.length > 0 ? found : undefined } : {}
  }
}

const impact = async (request: KindRequest): Promise<Answer> => {
  const { api } = request
  await mustReadLineageOf(request, (await mustFindRow(request, 'all')).id)
  const { before, entity } = await patch(request, contextOf(request, true))
  const changes = brokenColumns(before?.members ?? {}, entity.members)
  if (changes.length === 0) return jsonAnswer({ breaking: false, changes: [], assets: [], truncated: false })
  await waitForLineage(api, undefined)
  const start = (await api.readModels.getReferences([entity.id])).get(entity.id) as ReferenceRow
  const graph = await walkLineage(api.readModels, {
    start,
    up: 0,
    down: Infinity,
    position: undefined,
    at: api.readModels,
  })
  const reach = reachOf(graph, incarnationOf(start), new Set(changes.map(({ column }) => column)))
  const reached = graph.nodes.filter(({ incarnation }) => reach.has(incarnation))
  const nodes = reached.slice(0, limits.lineageNodes.value)
  const detailsOf = await makeAssetDetails(request, nodes, reach)
  const sees = request.access.sees
  const assets = nodes.map((node) => ({ ...presentNode(node, sees), ...detailsOf(node) }))
  const truncated = graph.truncated || nodes.length < reached.length
  return { status: 200, body: JSON.stringify({ breaking: true, changes, assets, truncated }) }
}
