import { hashLength, rangeNodes, rangeRoot, subtreeRoot, type Node, type Range } from './merkle.ts'
import { CatalogError } from '../shared/errors/namedError.ts'

/** Levels of the tree that a tile spans. */
const tileHeight = 8

export const tileWidth = 2 ** tileHeight

/**
 * Place of a tile (C2SP tlog-tiles): tile `number` of `level` 0 holds the hashes of 256 leaves, one of the next level the
 * roots of 256 tiles of this one.
 */
export interface TilePlace {
  readonly level: number
  readonly number: number
}

export interface Tile extends TilePlace {
  /** The hashes one after the other: less than 256 in the last tile of its level. */
  readonly hashes: Buffer
}

/** `<level>/<number>` */
export const tileKey = ({ level, number }: TilePlace): string => `${level}/${number}`

/** The hashes of one level that a node is the root of. */
const nodePlace = ({ level, index }: Node): TilePlace & { readonly offset: number; readonly width: number } => {
  const width = 2 ** (level % tileHeight)
  const first = index * width
  return {
    level: Math.floor(level / tileHeight),
    number: Math.floor(first / tileWidth),
    offset: first % tileWidth,
    width,
  }
}

/** The tiles from which the roots of these ranges are computed: for a proof as many as the tree is high. */
export const tilesFor = (ranges: readonly Range[]): TilePlace[] => {
  const places = ranges.flatMap(rangeNodes).map(nodePlace)
  return [...new Map(places.map((place) => [tileKey(place), place])).values()]
}

class MissingHash extends CatalogError {
  override readonly name = 'MissingHash'
}

/** Roots of ranges, computed from the tiles of {@link tilesFor}. @throws MissingHash */
export const rootsFrom = (tiles: ReadonlyMap<string, Tile>, ranges: readonly Range[]): Buffer[] => {
  const hashOf = (node: Node): Buffer => {
    const place = nodePlace(node)
    const from = place.offset * hashLength
    const hashes = tiles.get(tileKey(place))?.hashes.subarray(from, from + place.width * hashLength)
    if (hashes?.length !== place.width * hashLength)
      throw new MissingHash(`The tree lacks hashes of the tile ${tileKey(place)}. Run: catalog rebuild`)
    return subtreeRoot(hashes)
  }
  return ranges.map((range) => rangeRoot(range, hashOf))
}

/** The last tile of each level, to which the next leaves are added. Empty tiles may be missing. */
export type TreeEdge = readonly Tile[]

/** The places of the tiles of the edge of a tree of this size. */
export const edgePlaces = (size: number): TilePlace[] => {
  const places: TilePlace[] = []
  for (let [count, level] = [size, 0]; count > 0; level++) {
    places.push({ level, number: Math.floor(count / tileWidth) })
    count = Math.floor(count / tileWidth)
  }
  return places
}

/** The edge of a tree of this size; the tiles may already hold hashes of later leaves. @throws MissingHash */
export const edgeFrom = (tiles: ReadonlyMap<string, Tile>, size: number): TreeEdge =>
  edgePlaces(size).map(({ level, number }) => {
    const width = Math.floor(size / tileWidth ** level) % tileWidth
    const hashes = (tiles.get(tileKey({ level, number }))?.hashes ?? Buffer.alloc(0)).subarray(0, width * hashLength)
    if (hashes.length < width * hashLength)
      throw new MissingHash(`The tree lacks hashes of the tile ${level}/${number}. Run: catalog rebuild`)
    return { level, number, hashes }
  })

const join = ({ level, number, hashes }: Tile, more: Buffer): Tile => ({
  level,
  number,
  hashes: Buffer.concat([hashes, more]),
})

/** Adds hashes of leaves. @returns the new edge, and the tiles that changed, those of higher levels first */
export const addLeaves = (edge: TreeEdge, leaves: readonly Buffer[]): { edge: TreeEdge; changed: Tile[] } => {
  const next: Tile[] = []
  const changed: Tile[][] = []
  let more: readonly Buffer[] = leaves
  for (let level = 0; more.length > 0 || level < edge.length; level++) {
    let tile = edge[level] ?? { level, number: 0, hashes: Buffer.alloc(0) }
    const [filled, roots]: [Tile[], Buffer[]] = [[], []]
    for (let at = 0; at < more.length;) {
      const room = tileWidth - tile.hashes.length / hashLength
      const taken = more.slice(at, at + room)
      tile = join(tile, Buffer.concat(taken))
      filled.push(tile)
      at += taken.length
      if (taken.length < room) break
      roots.push(subtreeRoot(tile.hashes))
      tile = { level, number: tile.number + 1, hashes: Buffer.alloc(0) }
    }
    next.push(tile)
    changed.unshift(filled)
    more = roots
  }
  return { edge: next, changed: changed.flat() }
}
