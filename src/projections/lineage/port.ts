/** An edge between two assets according to a source, for as long as its details stayed the same. */
export interface LineageSpan {
  /** A life, as `incarnationKey` names it. */
  readonly up: string
  readonly down: string
  readonly source: string
  readonly began: bigint
  /** JSON text of the edge's other members; `undefined` if it has none. */
  readonly details: string | undefined
}

export type Direction = 'up' | 'down'

export interface LineageQuery {
  readonly direction: Direction
  readonly lives: readonly string[]
  /** Point in time; `undefined`: now. */
  readonly position: bigint | undefined
  readonly sources?: readonly string[] | undefined
  readonly limit: number
}

/** Lineage at any point in time. Readers first wait until the projection has reached it. */
export interface Lineage {
  /** The edges on one side of some assets, grouped by asset, in a stable order. */
  lineageOf(query: LineageQuery): Promise<readonly LineageSpan[]>
}
