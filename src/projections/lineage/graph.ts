import { entityOf, incarnationOf } from '../../events/events.ts'
import type { LineageEdge } from '../../events/verbs.ts'
import { limits } from '../../shared/limits.ts'
import type { EntityReads } from '../entities/port.ts'
import type { ReferenceRow } from '../entities/row.ts'
import type { Direction, Lineage, LineageSpan } from './lineageProjection.ts'

/** An asset of a lineage. */
export interface LineageNode {
  readonly incarnation: string
  readonly row: ReferenceRow
  /** Steps from the start; upstream is negative. */
  readonly depth: number
}

export interface LineageGraph {
  /** The start, then upstream and downstream assets, nearest first, those of one depth by id. */
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly LineageSpan[]
  readonly truncated: boolean
}

export interface LineageRequest {
  /** A row that exists at that moment. */
  readonly start: ReferenceRow
  /** Steps; `Infinity`: as far as the limits allow. */
  readonly up: number
  readonly down: number
  readonly sources?: readonly string[] | undefined
  /** `undefined`: now. */
  readonly position: bigint | undefined
  readonly at: Pick<EntityReads, 'getReferences'>
  readonly until?: string | undefined
}

/** Largest number of nodes, on all pages together. */
export const maxLineageNodes = 10 * limits.lineageNodes.value

const maxEdges = 5 * maxLineageNodes

const keyOf = ({ up, down, source }: LineageSpan): string => `${up} ${down} ${source}`

/** Walks breadth-first in both directions. Assets that do not exist at the moment end a path. */
export const walkLineage = async (lineage: Lineage, walk: LineageRequest): Promise<LineageGraph> => {
  const { start, position, sources, at, until } = walk
  const nodes = new Map<string, LineageNode>([
    [incarnationOf(start), { incarnation: incarnationOf(start), row: start, depth: 0 }],
  ])
  const edges = new Map<string, LineageSpan>()
  let truncated = false

  const step = async (
    direction: Direction,
    incarnations: readonly string[],
    depth: number,
  ): Promise<readonly string[]> => {
    const limit = maxEdges - edges.size + 1
    const spans = await lineage.lineageOf({ direction, incarnations, position, sources, limit })
    if (spans.length === limit) truncated = true
    const near = direction === 'up' ? 'down' : 'up'
    const reached = spans.slice(0, limit - 1).filter((span) => nodes.has(span[near]))
    const met = [...new Set(reached.map((span) => span[direction]))]
    const unknown = met.filter((incarnation) => !nodes.has(incarnation)).sort()
    const rows = await at.getReferences(unknown.map(entityOf))
    for (const incarnation of unknown) {
      const row = rows.get(entityOf(incarnation))
      if (row === undefined || row.status === 'gone' || incarnationOf(row) !== incarnation) continue
      if (nodes.size === maxLineageNodes) {
        truncated = true
        break
      }
      nodes.set(incarnation, { incarnation, row, depth: direction === 'up' ? -depth : depth })
    }
    for (const span of reached) if (nodes.has(span[direction])) edges.set(keyOf(span), span)
    return met.filter((incarnation) => nodes.has(incarnation))
  }

  for (const direction of ['up', 'down'] as const) {
    // In a cycle an asset is both upstream and downstream, so each direction has visited assets of its own.
    const seen = new Set<string>()
    for (
      let depth = 1, incarnations = [incarnationOf(start)];
      depth <= walk[direction] && incarnations.length > 0;
      depth++
    ) {
      if (until !== undefined && nodes.has(until)) break
      for (const incarnation of incarnations) seen.add(incarnation)
      incarnations = (await step(direction, incarnations, depth)).filter((incarnation) => !seen.has(incarnation))
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], truncated }
}

/** The edges of a shortest path between two nodes, in the direction of the data. */
export const pathBetween = ({ nodes, edges }: LineageGraph, from: string, to: string): LineageSpan[] => {
  const depths = new Map(nodes.map(({ incarnation, depth }) => [incarnation, depth]))
  const target = depths.get(to)
  if (target === undefined || from === to) return []
  const [near, far, sign] = target > 0 ? (['up', 'down', 1] as const) : (['down', 'up', -1] as const)
  const path: LineageSpan[] = []
  const edgesOf = Map.groupBy(edges, (span) => span[far])
  for (let [incarnation, depth] = [to, target]; depth !== 0; depth -= sign) {
    const edge = edgesOf.get(incarnation)?.find((span) => depths.get(span[near]) === depth - sign)
    if (edge === undefined) return []
    path.push(edge)
    incarnation = edge[near]
  }
  return sign === 1 ? path.reverse() : path
}

/** Edges that were added, removed or changed between two moments. */
export const lineageDifference = (before: LineageGraph, after: LineageGraph) => {
  const old = new Map(before.edges.map((span) => [keyOf(span), span.details]))
  const now = new Set(after.edges.map(keyOf))
  const added = after.edges.filter((span) => !old.has(keyOf(span)))
  const removed = before.edges.filter((span) => !now.has(keyOf(span)))
  const changed = after.edges.filter((span) => old.has(keyOf(span)) && old.get(keyOf(span)) !== span.details)
  return { added, removed, changed }
}

/** The affected columns of each asset, by incarnation; `all` where lineage names no columns. */
export type LineageColumns = ReadonlyMap<string, ReadonlySet<string> | 'all'>

/** Whether two column paths are equal, or one is nested in the other. */
export const isSameColumn = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)

/** The columns downstream of some columns of an asset. */
export const reachOf = ({ edges }: LineageGraph, start: string, columns: ReadonlySet<string>): LineageColumns => {
  const below = Map.groupBy(edges, ({ up }) => up)
  const reach = new Map<string, ReadonlySet<string> | 'all'>([[start, columns]])
  const queue = [start]
  for (let incarnation = queue.pop(); incarnation !== undefined; incarnation = queue.pop()) {
    const here = reach.get(incarnation) ?? 'all'
    for (const { down, details } of below.get(incarnation) ?? []) {
      const { columns: mapped } = (details === undefined ? {} : JSON.parse(details)) as Pick<LineageEdge, 'columns'>
      const hit = (from: readonly string[]): boolean =>
        here === 'all' || from.some((one) => [...here].some((other) => isSameColumn(one, other)))
      const next = mapped?.flatMap(({ from, to }) => (hit(from) ? [to] : []))
      const known = reach.get(down)
      if (next?.length === 0 || known === 'all') continue
      const all = next === undefined ? 'all' : new Set([...(known ?? []), ...next])
      if (all !== 'all' && all.size === known?.size) continue
      reach.set(down, all)
      queue.push(down)
    }
  }
  return reach
}
