/** The time that an upstream was one of an asset, according to a source and with the same details. */
export interface LineageSpan {
  /** A life, as `incarnationKey` names it. */
  readonly up: string
  readonly down: string
  readonly source: string
  /** Position of the event that began it. */
  readonly began: bigint
  /** JSON text of the edge as it was stated, without its upstream; `undefined`: nothing more was said. */
  readonly details: string | undefined
}

export type Direction = 'up' | 'down'

export interface LineageQuery {
  readonly direction: Direction
  /** Lives whose edges are wanted. */
  readonly lives: readonly string[]
  /** Everything up to here has happened, and nothing else; `undefined`: now. */
  readonly position: bigint | undefined
  readonly sources?: readonly string[] | undefined
  /** At most so many edges. */
  readonly limit: number
}

/** Where data came from at any time. Whoever reads it waits until it shows the position. */
export interface Lineage {
  /** The edges on one side of some assets, those of one asset together, in an order that is always the same. */
  lineageOf(query: LineageQuery): Promise<readonly LineageSpan[]>
}
