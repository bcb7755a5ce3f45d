import { tileKey, type TilePlace } from '../../transparency/tiles.ts'
import { keptDocuments, type DocumentLayout, type Documents } from '../documents/keptDocuments.ts'
import type { StoredTile, TreeTiles } from './port.ts'
import { growTree, positionsIn, readTreeEnd, treeProjection, type TreeEnd } from './treeProjection.ts'

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

/** Where the tree ends is remembered. Other processes may have written further. */
export const keptTree = keptDocuments({
  layout,
  memory: (): { at?: TreeEnd } => ({}),
  writes: async ({ events }, documents, end) => {
    const grown = growTree(end.at ?? (await readTreeEnd(treeReads(documents))), events)
    end.at = grown.end
    return grown.changed.map(toDocument).map((put) => ({ put, over: { length: { $lt: put.length } } }))
  },
  reads: treeReads,
})
