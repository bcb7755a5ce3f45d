import type { RecordedEvent } from '../../events/events.ts'
import { hashLength, leafHash } from '../../transparency/merkle.ts'
import {
  addLeaves,
  edgeFrom,
  edgePlaces,
  tileWidth,
  type TreeEdge,
  tileKey,
  type Tile,
  type TilePlace,
} from '../../transparency/tiles.ts'
import type { Projection } from '../projection.ts'
import { documentProjection, type DocumentLayout, type Documents } from '../documents/port.ts'

/** The Merkle tree over the whole log: its leaves are the events in the order of the log. */
export const treeProjection: Pick<Projection, 'name' | 'version'> = {
  name: 'tree',
  version: 5,
}

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

/** The tree entry of an event: its hash as 64 hex digits (`eventHash`), or the invalid value in a damaged log. */
export const entryOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): Buffer => {
  const found: unknown = metadata?.hash
  return Buffer.from(typeof found === 'string' ? found : '')
}

/** The end of a tree, to which further leaves are added. */
interface TreeEnd {
  readonly size: number
  readonly position: bigint | undefined
  readonly edge: TreeEdge
  /** Positions of the leaves in the last tile of leaves. */
  readonly positions: Buffer
}

/** Bytes of a position in a tile. */
const positionLength = 8

const noPositions = Buffer.alloc(0)

const emptyTree: TreeEnd = { size: 0, position: undefined, edge: [], positions: noPositions }

const positionBytes = (positions: readonly bigint[]): Buffer => {
  const bytes = Buffer.alloc(positions.length * positionLength)
  positions.forEach((position, index) => bytes.writeBigUInt64BE(position, index * positionLength))
  return bytes
}

export const positionsIn = ({ positions = noPositions }: Pick<StoredTile, 'positions'>): bigint[] =>
  Array.from({ length: positions.length / positionLength }, (_, at) => positions.readBigUInt64BE(at * positionLength))

export const sizeUpTo = ({ number, hashes }: StoredTile): number => number * tileWidth + hashes.length / hashLength

const readTreeEnd = async ({ treeLeaves, treeTiles }: TreeTiles): Promise<TreeEnd> => {
  const last = await treeLeaves()
  if (last === undefined) return emptyTree
  const size = sizeUpTo(last)
  const full = last.hashes.length === tileWidth * hashLength
  return {
    size,
    position: positionsIn(last).at(-1),
    edge: edgeFrom(await treeTiles(edgePlaces(size)), size),
    positions: full ? noPositions : (last.positions ?? noPositions),
  }
}

/** Adds new events. @returns the changed tiles; the last one defines the size and must be stored last */
const growTree = (tree: TreeEnd, events: readonly RecordedEvent[]): { end: TreeEnd; changed: StoredTile[] } => {
  const { position } = tree
  const fresh = position === undefined ? events : events.filter((event) => event.position > position)
  if (fresh.length === 0) return { end: tree, changed: [] }
  const { edge, changed } = addLeaves(
    tree.edge,
    fresh.map((event) => leafHash(entryOf(event))),
  )
  const positions = Buffer.concat([tree.positions, positionBytes(fresh.map((event) => event.position))])
  const first = Math.floor(tree.size / tileWidth)
  const positionsOf = (number: number): Buffer => {
    const from = (number - first) * tileWidth * positionLength
    return positions.subarray(from, from + tileWidth * positionLength)
  }
  const size = tree.size + fresh.length
  return {
    end: {
      size,
      position: fresh.at(-1)?.position,
      edge,
      positions: positionsOf(Math.floor(size / tileWidth)),
    },
    changed: changed.map((tile) => (tile.level > 0 ? tile : { ...tile, positions: positionsOf(tile.number) })),
  }
}

interface TileDocument {
  /** `level * levelStep + number` */
  readonly tile: bigint
  /** Position of the first event of a tile of leaves. */
  readonly first?: bigint | undefined
  readonly hashes: Buffer
  /** Bytes of the hashes. */
  readonly length: number
  readonly positions?: Buffer | undefined
}

const levelStep = 2n ** 40n

const layout: DocumentLayout<TileDocument> = {
  ...treeProjection,
  key: ['tile'],
  members: { tile: 'position', first: 'position', length: 'number', hashes: 'bytes', positions: 'bytes' },
  indexes: { first: [] },
}

const tileOf = ({ level, number }: TilePlace): bigint => BigInt(level) * levelStep + BigInt(number)

const toDocument = (tile: StoredTile): TileDocument => ({
  tile: tileOf(tile),
  hashes: tile.hashes,
  length: tile.hashes.length,
  ...(tile.positions && { first: positionsIn(tile)[0], positions: tile.positions }),
})

const toTile = ({ tile, hashes, positions }: TileDocument): StoredTile => ({
  level: Number(tile / levelStep),
  number: Number(tile % levelStep),
  hashes,
  ...(positions && { positions }),
})

const treeReads = (documents: Documents<TileDocument>): TreeTiles => ({
  treeTiles: async (places) => {
    const found = await documents.find({ where: { tile: { $in: places.map(tileOf) } } })
    return new Map(found.map(toTile).map((tile) => [tileKey(tile), tile]))
  },
  treeLeaves: async (position) => {
    const [found] = await documents.find(
      position === undefined
        ? { where: { tile: { $lt: levelStep } }, sort: { tile: -1 }, limit: 1 }
        : { where: { first: { $lte: position } }, sort: { first: -1 }, limit: 1 },
    )
    return found && toTile(found)
  },
})

/** The end of the tree is cached; another process may have extended it. */
export const treeDocuments = documentProjection({
  layout,
  cache: (): { at?: TreeEnd } => ({}),
  writes: async ({ events }, documents, end) => {
    const grown = growTree(end.at ?? (await readTreeEnd(treeReads(documents))), events)
    end.at = grown.end
    return grown.changed.map(toDocument).map((put) => ({ put, over: { length: { $lt: put.length } } }))
  },
  reads: treeReads,
})
