import type { EventStore } from '../../events/eventStore.ts'
import { tileWidth } from '../../transparency/tiles.ts'
import { positionsIn, sizeUpTo, type TreeTiles } from './treeProjection.ts'

/** The index of an event's leaf, by its position; `undefined` if the tree lags far behind, or there is no event. */
export type LeafReader = (position: bigint) => number | undefined | Promise<number | undefined>

/** A range of leaves: a tile, or events that are not in the tree yet. */
interface Leaves {
  readonly first: number
  readonly positions: readonly bigint[]
}

/** Largest number of events after the end of the tree that are counted in the log. */
const maxCounted = 2_000

const isWithin = (leaves: Leaves | undefined, position: bigint): leaves is Leaves => {
  const [first, last] = [leaves?.positions[0], leaves?.positions.at(-1)]
  return first !== undefined && last !== undefined && first <= position && position <= last
}

/** Makes a reader for ascending positions: each tile is read once. */
export const makeLeafReader = (
  log: Pick<EventStore, 'dense' | 'readAll'>,
  { treeLeaves }: Pick<TreeTiles, 'treeLeaves'>,
): LeafReader => {
  if (log.dense) return (position) => Number(position) - 1

  const inTree = async (position: bigint): Promise<Leaves | undefined> => {
    const tile = await treeLeaves(position)
    return tile && { first: tile.number * tileWidth, positions: positionsIn(tile) }
  }
  const behindTree = async (position: bigint): Promise<Leaves | undefined> => {
    const last = await treeLeaves()
    const end = last && positionsIn(last).at(-1)
    // The tree has grown since the first look.
    if (end !== undefined && position <= end) return inTree(position)
    const positions: bigint[] = []
    for await (const event of log.readAll({ after: end, limit: maxCounted })) {
      positions.push(event.position)
      if (event.position >= position) break
    }
    return { first: last === undefined ? 0 : sizeUpTo(last), positions }
  }
  let known: Leaves | undefined
  const find = async (position: bigint): Promise<Leaves | undefined> => {
    const found = await inTree(position)
    return isWithin(found, position) ? found : behindTree(position)
  }
  return async (position) => {
    const leaves = isWithin(known, position) ? known : await find(position)
    known = leaves
    const at = leaves?.positions.indexOf(position) ?? -1
    return leaves === undefined || at < 0 ? undefined : leaves.first + at
  }
}
