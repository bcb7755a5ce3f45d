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

interface Leaf {
  readonly index: number
  readonly hash: Buffer
}

export interface LeafAt extends Leaf {
  readonly position: bigint
}

/** Proofs from the tree. Sizes must not exceed that of its head. */
export const makeLogTree = ({ treeTiles, treeLeaves }: TreeTiles) => {
  const roots = async (ranges: readonly Range[]): Promise<Buffer[]> =>
    rootsFrom(await treeTiles(tilesFor(ranges)), ranges)
  const rootAt = async (size: number): Promise<Buffer> => (await roots([{ from: 0, to: size }]))[0] ?? emptyRoot
  return {
    head: async (): Promise<HeadAt> => {
      const last = await treeLeaves()
      if (last === undefined) return { size: 0, root: emptyRoot, position: undefined }
      const size = sizeUpTo(last)
      return { size, root: await rootAt(size), position: positionsIn(last).at(-1) }
    },
    rootAt,
    /** The leaf of the event at exactly this position. */
    leafAt: async (position: bigint): Promise<Leaf | undefined> => {
      const tile = await treeLeaves(position)
      const at = tile === undefined ? -1 : positionsIn(tile).indexOf(position)
      if (tile === undefined || at < 0) return undefined
      const hash = tile.hashes.subarray(at * hashLength, (at + 1) * hashLength)
      return { index: tile.number * tileWidth + at, hash }
    },
    /** The inclusion proof of a leaf in the tree of this size, lowest hash first. */
    inclusion: (leaf: number, size: number) => roots(inclusionRanges(leaf, size)),
    consistency: (first: number, size: number) => roots(consistencyRanges(first, size)),
    /** The right edge of the tree of this size, to which further leaves are added. */
    edge: async (size: number): Promise<TreeEdge> => edgeFrom(await treeTiles(edgePlaces(size)), size),
    /** The leaves of the tree of this size, from an index on, with the positions of their events. */
    leaves: async function* (size: number, from = 0): AsyncGenerator<LeafAt> {
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

export type LogTree = ReturnType<typeof makeLogTree>
