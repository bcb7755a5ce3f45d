import { z } from 'zod'
import { entityOf, incarnationKey } from '../../events/events.ts'
import type { LineageEdge } from '../../events/verbs.ts'
import type { LineageSpan } from '../../projections/lineage/lineageProjection.ts'
import { mapInChunks } from '../../shared/bounds.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { Api } from '../deps.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { jsonAnswer, type Answer } from '../http/route.ts'
import { csvLine } from '../changes/csvRoutes.ts'
import type { PointInTime } from '../entities/answers/pointInTime.ts'
import type { ReferenceRow } from '../../projections/entities/row.ts'
import { fullView, referenceOf, type Visibility } from '../entities/answers/masking.ts'
import { referencesByIncarnation } from '../entities/answers/present.ts'
import type { LineageNode, LineageGraph } from '../../projections/lineage/graph.ts'

const named = z.object({
  id: z.string().describe('A UUID; for an asset that the caller may not view, one of no use to others'),
  type: z.string(),
  name: z.string().optional().describe('Absent, like all details, if the caller may not view it'),
  fullyQualifiedName: z.string().optional(),
  displayName: z.string().optional(),
  deleted: z.boolean().optional(),
})

const columns = z.array(z.object({ from: z.array(z.string()), to: z.string(), function: z.string().optional() }))

export const lineageNode = named
  .extend({ depth: z.int().describe('Steps from the requested asset; negative is upstream') })
  .meta({ id: 'LineageNode', description: 'An asset of a lineage' })

const statedBy = named.optional().describe('Absent if it has been hard-deleted')

const edgeSchema = z
  .object({
    from: z.string().describe('Id of the upstream asset'),
    to: z.string().describe('Id of the downstream asset'),
    source: z.string(),
    since: z.object({
      position: z.string().describe('Log position of the statement'),
      time: z.iso.datetime().optional(),
      user: z.string().optional(),
      correlationId: z.string().optional(),
    }),
    proof: z.record(z.string(), z.unknown()).optional().describe('Inclusion proof of that statement'),
    description: z.string().optional(),
    pipeline: statedBy,
    query: statedBy,
    sql: z.string().optional(),
    time: z.iso.datetime().optional().describe('When, as an event of a job without a run says'),
    columns: columns.optional(),
  })
  .meta({ id: 'LineageGraphEdge', description: 'An edge: where data comes from, who stated it, and since when' })

export const graphAnswer = z
  .object({
    nodes: z.array(lineageNode),
    edges: z.array(edgeSchema),
    paging: z.object({
      total: z.int(),
      after: z.string().optional(),
      truncated: z.boolean().describe('There is more than the limit allows'),
      asOf: z.string().optional(),
    }),
  })
  .meta({ id: 'LineageGraph', description: 'Assets, nearest first, and the edges between them' })

export const differenceAnswer = z
  .object({
    from: z.string(),
    to: z.string(),
    nodes: z.array(lineageNode),
    added: z.array(edgeSchema),
    removed: z.array(edgeSchema),
    changed: z.array(edgeSchema),
  })
  .meta({ id: 'LineageDifference', description: 'Edges that were added, removed or changed' })

/** What the caller sees of an entity: no name if the caller may not view it. */
const presentRow = (row: ReferenceRow, sees: Visibility): JsonObject =>
  sees(row.kind) ? referenceOf(row, sees) : { id: sees.hideId(row.id), type: row.kind }

/** An asset as the caller sees it. */
export const presentNode = ({ row, depth }: LineageNode, sees: Visibility): JsonObject => ({
  ...presentRow(row, sees),
  depth,
})

interface EdgeOptions {
  /** The catalog at the moment of the edges. */
  readonly at: PointInTime
  readonly sees: Visibility
  /** Include columns and SQL. */
  readonly columns: boolean
  readonly prove?: ((position: bigint) => Promise<JsonObject>) | undefined
}

type Details = Omit<LineageEdge, 'from'>

/** Makes what edges show beside their ends. References to what has been hard-deleted are left out. */
const makeDetails = async (all: readonly Details[], { at, sees, columns: whole }: EdgeOptions) => {
  const ids = all.flatMap(({ pipeline, query }) => [pipeline, query].flatMap((reference) => reference?.id ?? []))
  const rows = await referencesByIncarnation([...new Set(ids)], { at, sees: fullView })
  return ({ pipeline, query, sql, columns: mapped, ...described }: Details): JsonObject => {
    const [by, as] = [pipeline, query].map((reference) => reference && rows.get(incarnationKey(reference)))
    return {
      ...described,
      ...(by && { pipeline: presentRow(by, sees) }),
      ...(as && { query: presentRow(as, sees) }),
      ...(whole && sql !== undefined && { sql }),
      ...(whole && mapped && { columns: mapped }),
    }
  }
}

const provenAtOnce = 20

/** Edges as answers, with author and time of their statements. */
export const presentEdges = async (
  api: Pick<Api, 'readModels'>,
  nodes: readonly LineageNode[],
  spans: readonly LineageSpan[],
  options: EdgeOptions,
): Promise<JsonObject[]> => {
  const { prove, sees } = options
  const hidden = new Set(nodes.flatMap(({ incarnation, row }) => (sees(row.kind) ? [] : [incarnation])))
  const idSeen = (key: string): string => (hidden.has(key) ? sees.hideId(entityOf(key)) : entityOf(key))
  const positions = [...new Set(spans.map(({ began }) => began))]
  const rows = new Map((await api.readModels.activityAt(positions)).map((row) => [row.position, row]))
  const proofs = new Map(
    prove === undefined
      ? []
      : await mapInChunks(positions, provenAtOnce, async (position) => [position, await prove(position)] as const),
  )
  const parsed = spans.map(({ details }) => JSON.parse(details ?? '{}') as Details)
  const presentDetails = await makeDetails(parsed, options)
  return spans.map(({ began, up, down, source }, index) => {
    const stated = rows.get(began)
    const proof = proofs.get(began)
    return {
      from: idSeen(up),
      to: idSeen(down),
      source,
      since: {
        position: String(began),
        ...(stated && {
          time: new Date(stated.time).toISOString(),
          user: stated.user,
          correlationId: stated.correlationId,
        }),
      },
      ...(proof && { proof }),
      ...(!hidden.has(up) && !hidden.has(down) && presentDetails(parsed[index] as Details)),
    }
  })
}

/** A page of a graph. An edge is on the page of its later node. */
export const presentGraph = async (
  api: Api,
  { nodes, edges, truncated }: LineageGraph,
  show: EdgeOptions,
  position: bigint | undefined,
  { first = 0, limit = Infinity, after }: { first?: number; limit?: number; after?: string | undefined } = {},
): Promise<Answer> => {
  await waitForProjection(api, 'activity')
  const places = new Map(nodes.map(({ incarnation }, place) => [incarnation, place]))
  const here = edges.filter(({ up, down }) => {
    const later = Math.max(places.get(up) as number, places.get(down) as number)
    return later >= first && later < first + limit
  })
  return jsonAnswer({
    nodes: nodes.slice(first, first + limit).map((node) => presentNode(node, show.sees)),
    edges: await presentEdges(api, nodes, here, show),
    paging: {
      total: nodes.length,
      truncated,
      ...(after !== undefined && { after }),
      ...(position !== undefined && { asOf: `@${position}` }),
    },
  })
}

const head = ['direction', 'depth', 'type', 'fullyQualifiedName', 'displayName', 'deleted', 'id']

/** Assets of lineage as CSV. */
export const lineageTable = (nodes: readonly LineageNode[], sees: Visibility): string =>
  [
    head,
    ...nodes.map((node) => {
      const { id = '', type = '', fullyQualifiedName = '', displayName = '', deleted = false } = presentNode(node, sees)
      const direction = node.depth < 0 ? 'up' : 'down'
      return [direction, Math.abs(node.depth), type, fullyQualifiedName, displayName, deleted, id].map(String)
    }),
  ]
    .map((cells) => csvLine(cells, ','))
    .join('')
