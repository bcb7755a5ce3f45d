import type { EventStore } from '../../events/eventStore.ts'
import { tileWidth } from '../../transparency/tiles.ts'
import type { TreeTiles } from './port.ts'
import { positionsIn, sizeUpTo } from './treeProjection.ts'

/**
 * Tells which leaf of the tree an event is, by its position. `undefined`: the tree is far behind it, as it is while it
 * is being built anew, or no event of ours stands there.
 */
export type LeafReader = (position: bigint) => number | undefined | Promise<number | undefined>

/** Neighbours: leaves of a tile, or events that the tree has not come to yet. */
interface Leaves {
  readonly first: number
  readonly positions: readonly bigint[]
}

/** So many events behind the end of the tree are counted in the log. */
const mostCounted = 2_000

const isWithin = (leaves: Leaves | undefined, position: bigint): leaves is Leaves => {
  const [first, last] = [leaves?.positions[0], leaves?.positions.at(-1)]
  return first !== undefined && last !== undefined && first <= position && position <= last
}

/** For positions that go up: a tile is read once for all of its leaves. */
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
    // The tree has come to it since it was looked for there.
    if (end !== undefined && position <= end) return inTree(position)
    const positions: bigint[] = []
    for await (const event of log.readAll({ after: end, limit: mostCounted })) {
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
