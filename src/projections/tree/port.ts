import type { Tile, TilePlace } from '../../transparency/tiles.ts'

export interface StoredTile extends Tile {
  /** Of a tile of leaves: the positions of their events in the log, eight bytes each. */
  readonly positions?: Buffer
}

/**
 * What is read of the tree over the whole log. It only ever grows, so what belongs to a smaller size stays where it is.
 */
export interface TreeTiles {
  /** Those that are there, by `tileKey`. The last one of a level may hold less than 256 hashes. */
  treeTiles(places: readonly TilePlace[]): Promise<ReadonlyMap<string, StoredTile>>
  /** The last tile of leaves that begins at this position or before it; left out: the last of all. */
  treeLeaves(position?: bigint): Promise<StoredTile | undefined>
}
