import { tileWidth } from '../../transparency/tiles.ts'
import type { TreeTiles } from './port.ts'
import { positionsIn } from './treeProjection.ts'

/** Tells which leaf an event is, by its position; `undefined`: the tree has not come to it yet, or none of ours is there. */
export type LeafReader = (position: bigint) => Promise<number | undefined>

/** A tile of leaves. */
interface Leaves {
  readonly number: number
  readonly positions: readonly bigint[]
}

/** For positions that go up: a tile is read once for all of its leaves. */
export const makeLeafReader = ({ treeLeaves }: Pick<TreeTiles, 'treeLeaves'>): LeafReader => {
  let leaves: Leaves | undefined
  const isWithin = (position: bigint): boolean => {
    const [first, last] = [leaves?.positions[0], leaves?.positions.at(-1)]
    return first !== undefined && last !== undefined && first <= position && position <= last
  }
  return async (position) => {
    if (!isWithin(position)) {
      const tile = await treeLeaves(position)
      leaves = tile && { number: tile.number, positions: positionsIn(tile) }
    }
    const at = leaves?.positions.indexOf(position) ?? -1
    return leaves === undefined || at < 0 ? undefined : leaves.number * tileWidth + at
  }
}
