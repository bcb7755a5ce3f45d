import {
  hashLength,
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  type Range,
  type TreeHead,
} from '../../transparency/merkle.ts'
import { edgeFrom, edgePlaces, rootsFrom, tileWidth, tilesFor, type TreeEdge } from '../../transparency/tiles.ts'
import { positionsIn, sizeUpTo, type StoredTile, type TreeTiles } from './treeProjection.ts'

/** The head of a tree, with the position of its last event. */
export interface HeadAt extends TreeHead {
  readonly position: bigint | undefined
}

export interface Leaf {
  readonly index: number
  readonly hash: Buffer
}

export interface LeafAt extends Leaf {
  readonly position: bigint
}

/** Proofs from the tree. Sizes must not exceed that of {@link LogTree.head}. */
export interface LogTree {
  head(): Promise<HeadAt>
  rootAt(size: number): Promise<Buffer>
  /** The leaf of the event at exactly this position. */
  leafAt(position: bigint): Promise<Leaf | undefined>
  /** The inclusion proof of a leaf in the tree of this size, lowest hash first. */
  inclusion(leaf: number, size: number): Promise<Buffer[]>
  consistency(first: number, size: number): Promise<Buffer[]>
  /** The leaves of the tree of this size, from an index on, with the positions of their events. */
  leaves(size: number, from?: number): AsyncIterable<LeafAt>
  /** The right edge of the tree of this size, to which further leaves are added. */
  edge(size: number): Promise<TreeEdge>
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
