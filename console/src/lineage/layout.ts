import { Graph, layout } from '@dagrejs/dagre'
import { margin, nodeWidth } from './drawing.ts'

export interface LayoutRequest {
  readonly number: number
  readonly nodes: readonly { readonly id: string; readonly height: number }[]
  readonly edges: readonly (readonly [from: string, to: string])[]
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly height: number
}

export interface Layout {
  readonly number: number
  readonly width: number
  readonly height: number
  /** Left upper corner of each node, by its id. */
  readonly boxes: ReadonlyMap<string, Box>
}

/** Of more nodes than this the order is found in fewer rounds. */
const manyNodes = 200

/** Above the nodes is room for the buttons that stand there. */
const headroom = 48

/** Left to right: what data comes from stands before what it goes to. */
const layOut = ({ number, nodes, edges }: LayoutRequest): Layout => {
  const graph = new Graph()
  const many = nodes.length > manyNodes
  const ranker = many ? 'longest-path' : 'network-simplex'
  graph.setGraph({
    rankdir: 'LR',
    ranker,
    acyclicer: 'greedy',
    nodesep: 14,
    ranksep: 90,
    marginx: margin,
    marginy: headroom,
  })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, height } of nodes) graph.setNode(id, { width: nodeWidth, height })
  for (const [from, to] of edges) graph.setEdge(from, to)
  layout(graph, { disableOptimalOrderHeuristic: many })
  const boxes = nodes.map(({ id, height }): [string, Box] => {
    const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number }
    return [id, { x: x - nodeWidth / 2, y: y - height / 2, height }]
  })
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return { number, width, height, boxes: new Map(boxes) }
}

// In a thread of its own: thousands of nodes take a second, and the page stays quick.
addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(layOut(data)))
