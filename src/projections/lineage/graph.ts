import { entityOf, incarnationOf } from '../../events/events.ts'
import type { LineageEdge } from '../../events/verbs.ts'
import { limits } from '../../shared/limits.ts'
import type { EntityReads } from '../entities/port.ts'
import type { ReferenceRow } from '../entities/row.ts'
import type { Direction, Lineage, LineageSpan } from './port.ts'

/** An asset of a lineage. */
export interface LineageNode {
  readonly life: string
  readonly row: ReferenceRow
  /** Steps from where it was begun; those up are below zero. */
  readonly depth: number
}

export interface LineageGraph {
  /** Nearest first: where it was begun, what is up, what is down. */
  readonly nodes: readonly LineageNode[]
  /** Those between the nodes, each once. */
  readonly edges: readonly LineageSpan[]
  /** There is more than is ever followed. */
  readonly truncated: boolean
}

export interface LineageRequest {
  /** A row that is there at the moment. */
  readonly start: ReferenceRow
  readonly up: number
  readonly down: number
  readonly sources?: readonly string[] | undefined
  /** `undefined`: now. */
  readonly position: bigint | undefined
  readonly at: Pick<EntityReads, 'getReferences'>
  /** Ends when it comes to this life. */
  readonly until?: string | undefined
}

/** Assets that are followed at most, on all pages together. */
const mostNodes = 10 * limits.lineageNodes.value

/** Edges likewise. */
const mostEdges = 5 * mostNodes

const keyOf = ({ up, down, source }: LineageSpan): string => `${up} ${down} ${source}`

/** Follows edges up and down, step by step. What is not there at the moment is left out with all that is behind it. */
export const walkLineage = async (lineage: Lineage, walk: LineageRequest): Promise<LineageGraph> => {
  const { start, position, sources, at, until } = walk
  const nodes = new Map<string, LineageNode>([
    [incarnationOf(start), { life: incarnationOf(start), row: start, depth: 0 }],
  ])
  const edges = new Map<string, LineageSpan>()
  let truncated = false

  const step = async (direction: Direction, lives: readonly string[], depth: number): Promise<readonly string[]> => {
    const limit = mostEdges - edges.size + 1
    const spans = await lineage.lineageOf({ direction, lives, position, sources, limit })
    if (spans.length === limit) truncated = true
    const near = direction === 'up' ? 'down' : 'up'
    const shown = spans.slice(0, limit - 1).filter((span) => nodes.has(span[near]))
    const met = [...new Set(shown.map((span) => span[direction]))]
    const unknown = met.filter((life) => !nodes.has(life))
    const rows = await at.getReferences(unknown.map(entityOf))
    for (const life of unknown) {
      const row = rows.get(entityOf(life))
      if (row === undefined || row.status === 'gone' || incarnationOf(row) !== life) continue
      if (nodes.size === mostNodes) {
        truncated = true
        break
      }
      nodes.set(life, { life, row, depth: direction === 'up' ? -depth : depth })
    }
    for (const span of shown) if (nodes.has(span[direction])) edges.set(keyOf(span), span)
    return met.filter((life) => nodes.has(life))
  }

  for (const direction of ['up', 'down'] as const) {
    // What is both up and down, in a circle, is followed both ways.
    const seen = new Set<string>()
    for (let depth = 1, lives = [incarnationOf(start)]; depth <= walk[direction] && lives.length > 0; depth++) {
      if (until !== undefined && nodes.has(until)) break
      for (const life of lives) seen.add(life)
      lives = (await step(direction, lives, depth)).filter((life) => !seen.has(life))
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], truncated }
}

/** The edges along one of the shortest ways between two nodes of a lineage, in the direction of the data. */
export const wayBetween = ({ nodes, edges }: LineageGraph, from: string, to: string): LineageSpan[] => {
  const depths = new Map(nodes.map(({ life, depth }) => [life, depth]))
  const target = depths.get(to)
  if (target === undefined || from === to) return []
  const [near, far, sign] = target > 0 ? (['up', 'down', 1] as const) : (['down', 'up', -1] as const)
  const way: LineageSpan[] = []
  for (let [life, depth] = [to, target]; depth !== 0; depth -= sign) {
    const edge = edges.find((span) => span[far] === life && depths.get(span[near]) === depth - sign)
    if (edge === undefined) return []
    way.push(edge)
    life = edge[near]
  }
  return sign === 1 ? way.reverse() : way
}

/** What edges differ by between two moments. */
export const lineageDifference = (before: LineageGraph, after: LineageGraph) => {
  const old = new Map(before.edges.map((span) => [keyOf(span), span.began]))
  const now = new Set(after.edges.map(keyOf))
  const added = after.edges.filter((span) => !old.has(keyOf(span)))
  const removed = before.edges.filter((span) => !now.has(keyOf(span)))
  const changed = after.edges.filter((span) => (old.get(keyOf(span)) ?? span.began) !== span.began)
  return { added, removed, changed }
}

/** What of assets a change reaches, by their lives: columns, or `all` where lineage does not say which. */
export type LineageColumns = ReadonlyMap<string, ReadonlySet<string> | 'all'>

/** Is one of them the other, or within it? */
export const isSameColumn = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)

/** Follows columns of an asset along the edges of a lineage, down. */
export const reachOf = ({ edges }: LineageGraph, start: string, columns: ReadonlySet<string>): LineageColumns => {
  const below = Map.groupBy(edges, ({ up }) => up)
  const reach = new Map<string, ReadonlySet<string> | 'all'>([[start, columns]])
  const queue = [start]
  for (let life = queue.pop(); life !== undefined; life = queue.pop()) {
    const here = reach.get(life) ?? 'all'
    for (const { down, details } of below.get(life) ?? []) {
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
