import { emptyRoot } from '../../transparency/merkle.ts'
import { addLeaves, rootsFrom, tileKey, type Edge } from '../../transparency/tiles.ts'

/** Leaves that are added at once. */
const batchLeaves = 4096

/** Works out the root of a tree from its leaves. @param from the edge of a tree of this size that they are added to */
export const makeGrowingTree = (from: { readonly edge: Edge; readonly size: number } = { edge: [], size: 0 }) => {
  let { edge, size } = from
  let waiting: Buffer[] = []
  const addWaiting = (): void => {
    if (waiting.length > 0) edge = addLeaves(edge, waiting).edge
    waiting = []
  }
  return {
    size: () => size,
    add: (leaf: Buffer): void => {
      waiting.push(leaf)
      size++
      if (waiting.length === batchLeaves) addWaiting()
    },
    root: (): Buffer => {
      addWaiting()
      const tiles = new Map(edge.map((tile) => [tileKey(tile), tile]))
      return rootsFrom(tiles, [{ from: 0, to: size }])[0] ?? emptyRoot
    },
  }
}
