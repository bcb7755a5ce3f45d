import type { Layout, LayoutRequest } from './layout.ts'
import type { LineageDifference, LineageEdge, LineageGraph, LineageNode } from './queries.ts'

export type Change = 'added' | 'removed' | 'changed'

/** All that sources say about two assets. */
export interface DrawnEdge {
  readonly from: string
  readonly to: string
  readonly stated: readonly LineageEdge[]
  readonly change: Change | undefined
}

export interface Drawing {
  readonly nodes: ReadonlyMap<string, LineageNode>
  readonly edges: readonly DrawnEdge[]
  /** Columns of each asset that the lineage names. */
  readonly columns: ReadonlyMap<string, readonly string[]>
}

const keyOf = ({ from, to, source }: LineageEdge): string => `${from} ${to} ${source}`

const columnsIn = (edges: readonly LineageEdge[]): Map<string, string[]> => {
  const sets = new Map<string, Set<string>>()
  const add = (id: string, name: string): void => void sets.set(id, (sets.get(id) ?? new Set()).add(name))
  for (const { from, to, columns = [] } of edges)
    for (const column of columns) {
      for (const name of column.from) add(from, name)
      add(to, column.to)
    }
  return new Map([...sets].map(([id, names]) => [id, [...names].toSorted()]))
}

/** What is drawn of a moment, and of what changed since, if that is asked for. */
export const drawingOf = (graph: LineageGraph, since: LineageDifference | undefined): Drawing => {
  const changes = new Map<string, Change>()
  for (const change of ['added', 'removed', 'changed'] as const)
    for (const edge of since?.[change] ?? []) changes.set(keyOf(edge), change)
  const stated = new Map([...graph.edges, ...(since?.added ?? [])].map((edge) => [keyOf(edge), edge]))
  const nodes = new Map([...graph.nodes, ...(since?.nodes ?? [])].map((node) => [node.id, node]))
  const edges = [...Map.groupBy(stated.values(), ({ from, to }) => `${from} ${to}`).values()].map((some): DrawnEdge => {
    const { from, to } = some[0] as LineageEdge
    const all = new Set(some.map((edge) => changes.get(keyOf(edge))))
    return { from, to, stated: some, change: all.size === 1 ? [...all][0] : all.size > 1 ? 'changed' : undefined }
  })
  return { nodes, edges, columns: columnsIn([...stated.values()]) }
}

export const nodeWidth = 230
/** Around all nodes. */
export const margin = 24
const headHeight = 46
const columnHeight = 22

const heightOf = (columns: number): number => headHeight + (columns === 0 ? 0 : columns * columnHeight + 8)

/** @param unfolded ids of assets that show their columns */
export const layoutRequestOf = (
  { nodes, edges, columns }: Drawing,
  unfolded: ReadonlySet<string>,
): Omit<LayoutRequest, 'number'> => ({
  nodes: [...nodes.keys()].map((id) => ({
    id,
    height: heightOf(unfolded.has(id) ? (columns.get(id)?.length ?? 0) : 0),
  })),
  edges: edges.map(({ from, to }) => [from, to] as const),
})

export interface Line {
  readonly key: string
  readonly path: string
  readonly change: Change | undefined
  readonly ends: readonly [from: string, to: string]
  /** Between columns. */
  readonly thin: boolean
}

interface Window {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Is any of it to be seen, from here to there? */
export const isSeen = (window: Window, x1: number, y1: number, x2: number, y2: number): boolean =>
  Math.max(x1, x2) >= window.left &&
  Math.min(x1, x2) <= window.right &&
  Math.max(y1, y2) >= window.top &&
  Math.min(y1, y2) <= window.bottom

const curve = (x1: number, y1: number, x2: number, y2: number): string => {
  const bend = Math.max(40, (x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

/** Back to the left, below both, where the data goes in a circle. */
const wayBack = (x1: number, y1: number, x2: number, y2: number, below: number): string => {
  const [right, left] = [x1 + margin, x2 - margin]
  return `M${x1} ${y1}C${right} ${y1} ${right} ${below} ${x1} ${below}H${x2}C${left} ${below} ${left} ${y2} ${x2} ${y2}`
}

/** Curves between assets, and between columns that are unfolded, as far as they are to be seen. */
export const linesOf = (
  { edges, columns }: Drawing,
  { boxes }: Layout,
  unfolded: ReadonlySet<string>,
  window: Window,
): Line[] => {
  const middle = (id: string, column: string | undefined): number => {
    const { y, height } = boxes.get(id) ?? { y: 0, height: 0 }
    const at = column === undefined || !unfolded.has(id) ? -1 : (columns.get(id)?.indexOf(column) ?? -1)
    const folded = unfolded.has(id) ? headHeight : height
    return y + (at < 0 ? folded / 2 : headHeight + (at + 0.5) * columnHeight)
  }
  const lines: Line[] = []
  const draw = (edge: DrawnEdge, from?: string, to?: string): void => {
    const [start, end] = [boxes.get(edge.from), boxes.get(edge.to)]
    if (start === undefined || end === undefined) return
    const [x1, x2] = [start.x + nodeWidth, end.x]
    const [y1, y2] = [middle(edge.from, from), middle(edge.to, to)]
    if (!isSeen(window, x1, y1, x2, y2)) return
    const below = Math.max(start.y + start.height, end.y + end.height) + margin / 2
    const path = x1 < x2 ? curve(x1, y1, x2, y2) : wayBack(x1, y1, x2, y2, below)
    const { change } = edge
    lines.push({ key: [edge.from, edge.to, from, to].join(' '), path, change, ends: [edge.from, edge.to], thin: !!to })
  }
  for (const edge of edges) {
    draw(edge)
    if (!unfolded.has(edge.from) && !unfolded.has(edge.to)) continue
    const named = new Set(
      edge.stated.flatMap(({ columns: mapped = [] }) =>
        mapped.flatMap(({ from, to }) => from.map((one) => `${one}\0${to}`)),
      ),
    )
    for (const pair of named) draw(edge, ...(pair.split('\0') as [string, string]))
  }
  return lines
}

/** The asset that an arrow key leads to; `undefined`: there is none there. */
export const nextNode = ({ edges }: Drawing, { boxes }: Layout, id: string, key: string): string | undefined => {
  const here = boxes.get(id)
  if (here === undefined) return undefined
  const nearest = (ids: Iterable<string>): string | undefined =>
    [...ids].toSorted(
      (a, b) => Math.abs((boxes.get(a)?.y ?? 0) - here.y) - Math.abs((boxes.get(b)?.y ?? 0) - here.y),
    )[0]
  if (key === 'ArrowLeft') return nearest(edges.flatMap(({ from, to }) => (to === id ? [from] : [])))
  if (key === 'ArrowRight') return nearest(edges.flatMap(({ from, to }) => (from === id ? [to] : [])))
  const sign = key === 'ArrowDown' ? 1 : -1
  return nearest([...boxes].flatMap(([other, { x, y }]) => (x === here.x && (y - here.y) * sign > 0 ? [other] : [])))
}
