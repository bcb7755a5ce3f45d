import {
  hashLength,
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  type Range,
  type TreeHead,
} from '../../transparency/merkle.ts'
import { edgeFrom, edgePlaces, rootsFrom, tileWidth, tilesFor, type Edge } from '../../transparency/tiles.ts'
import type { StoredTile, TreeTiles } from './port.ts'
import { positionsIn, sizeUpTo } from './treeProjection.ts'

/** The tree as it was when it had so many leaves, with the position of its last event. */
export interface PlacedHead extends TreeHead {
  readonly position: bigint | undefined
}

export interface Leaf {
  readonly index: number
  readonly hash: Buffer
}

export interface PlacedLeaf extends Leaf {
  readonly position: bigint
}

/** Reads proofs out of the tree. Sizes must not be larger than that of {@link LogTree.head}. */
export interface LogTree {
  head(): Promise<PlacedHead>
  rootAt(size: number): Promise<Buffer>
  /** The leaf of the event at exactly this position. */
  leafAt(position: bigint): Promise<Leaf | undefined>
  /** Hashes that prove that the leaf is in the tree of this size, lowest first. */
  inclusion(leaf: number, size: number): Promise<Buffer[]>
  /** Hashes that prove that the tree of the second size begins with that of the first. */
  consistency(first: number, size: number): Promise<Buffer[]>
  /** The first leaves in order, with the positions of their events; those from an index on. */
  leaves(size: number, from?: number): AsyncIterable<PlacedLeaf>
  /** What leaves of a tree of this size are added to. */
  edge(size: number): Promise<Edge>
}

export const makeLogTree = ({ treeTiles, treeLeaves }: TreeTiles): LogTree => {
  const roots = async (ranges: readonly Range[]): Promise<Buffer[]> =>
    rootsFrom(await treeTiles(tilesFor(ranges)), ranges)
  const rootAt = async (size: number): Promise<Buffer> => (await roots([{ from: 0, to: size }]))[0] ?? emptyRoot
  return {
    head: async () => {
      const last = await treeLeaves()
      if (last === undefined) return { size: 0, root: emptyRoot, position: undefined }
      const size = sizeUpTo(last)
      return { size, root: await rootAt(size), position: positionsIn(last).at(-1) }
    },
    rootAt,
    leafAt: async (position) => {
      const tile = await treeLeaves(position)
      const at = tile === undefined ? -1 : positionsIn(tile).indexOf(position)
      if (tile === undefined || at < 0) return undefined
      const hash = tile.hashes.subarray(at * hashLength, (at + 1) * hashLength)
      return { index: tile.number * tileWidth + at, hash }
    },
    inclusion: (leaf, size) => roots(inclusionRanges(leaf, size)),
    consistency: (first, size) => roots(consistencyRanges(first, size)),
    edge: async (size) => edgeFrom(await treeTiles(edgePlaces(size)), size),
    leaves: async function* (size, from = 0) {
      for (let number = Math.floor(from / tileWidth); number * tileWidth < size; number++) {
        const place = { level: 0, number }
        const tile = (await treeTiles([place])).values().next().value
        for (const [at, position] of positionsIn(tile ?? {}).entries()) {
          const hash = (tile as StoredTile).hashes.subarray(at * hashLength, (at + 1) * hashLength)
          const index = number * tileWidth + at
          if (index >= size) return
          if (index >= from) yield { index, position, hash }
        }
      }
    },
  }
}
