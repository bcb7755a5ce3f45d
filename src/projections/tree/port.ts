import type { Tile, TilePlace } from '../../transparency/tiles.ts'

export interface StoredTile extends Tile {
  /** In a tile of leaves: the log positions of their events, eight bytes each. */
  readonly positions?: Buffer
}

/** Reads of the Merkle tree over the log. It only grows, so hashes of smaller trees keep their places. */
export interface TreeTiles {
  /** The existing tiles, by `tileKey`. The last one of a level may hold fewer than 256 hashes. */
  treeTiles(places: readonly TilePlace[]): Promise<ReadonlyMap<string, StoredTile>>
  /** The last tile of leaves that begins at or before this position (default: the last one). */
  treeLeaves(position?: bigint): Promise<StoredTile | undefined>
}
