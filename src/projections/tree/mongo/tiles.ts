import type { Source } from '../../mongo/reading.ts'
import type { Collection } from 'mongodb'
import { tileKey, type TilePlace } from '../../../transparency/tiles.ts'
import { mongoBatching, keptInMongo, type MongoLayout } from '../../mongo/mongoProjection.ts'
import { numberText } from '../../mongo/texts.ts'
import { upserting, upsertWhere } from '../../mongo/writes.ts'
import type { StoredTile, TreeTiles } from '../port.ts'
import { growTree, positionsIn, readTreeEnd, treeProjection, type TreeEnd } from '../treeProjection.ts'

export interface TileDocument {
  /** `<level>/<numberText of the number>` */
  _id: string
  level: number
  number: number
  hashes: Buffer
  /** Bytes of the hashes. */
  length: number
  /** Of a tile of leaves: `numberText` of the first position. */
  first?: string
  positions?: Buffer
}

const idOf = ({ level, number }: TilePlace): string => `${level}/${numberText(BigInt(number))}`

const toDocument = (tile: StoredTile): TileDocument => ({
  _id: idOf(tile),
  level: tile.level,
  number: tile.number,
  hashes: tile.hashes,
  length: tile.hashes.length,
  ...(tile.positions && { first: numberText(positionsIn(tile)[0] as bigint), positions: tile.positions }),
})

const toTile = ({ level, number, hashes, positions }: TileDocument): StoredTile => ({
  level,
  number,
  hashes,
  ...(positions && { positions }),
})

type Documents = Collection<TileDocument>

const readsOf = (documents: Documents): TreeTiles => ({
  treeTiles: async (places) => {
    const found = documents.find({ _id: { $in: places.map(idOf) } })
    return new Map((await found.toArray()).map((document) => [tileKey(document), toTile(document)]))
  },
  treeLeaves: async (position) => {
    const leaves = documents.find(
      position === undefined ? { _id: { $gte: '0/', $lt: '0:' } } : { first: { $lte: numberText(position) } },
    )
    const [found] = await leaves
      .sort(position === undefined ? { _id: -1 } : { first: -1 })
      .limit(1)
      .toArray()
    return found && toTile(found)
  },
})

const treeReads = (source: Source<TileDocument>): TreeTiles => ({
  treeTiles: (places) => source.read(({ documents }) => readsOf(documents).treeTiles(places)),
  treeLeaves: (position) => source.read(({ documents }) => readsOf(documents).treeLeaves(position)),
})

/** Other processes may have written further. */
const further = ({ _id, length }: TileDocument): object => ({ _id, length: { $lt: length } })

/** The last tile comes after all others, since it tells how far the tree goes. */
const write = async (collection: Documents, tiles: readonly TileDocument[]): Promise<void> => {
  await upsertWhere(collection, tiles.slice(0, -1), further)
  await upsertWhere(collection, tiles.slice(-1), further)
}

/** The collection of the tree. Where a collection ends is remembered: one layout serves one opened database. */
const makeLayout = (): MongoLayout<TileDocument> => {
  const ends = new Map<string, TreeEnd>()
  const growing = new Map<string, TreeEnd>()
  return {
    ...treeProjection,
    batching: mongoBatching,
    indexes: { positions: { first: 1 } },
    documentsOf: async ({ events }, { name, documents }) => {
      const before = ends.get(name) ?? (await readTreeEnd(readsOf(documents)))
      const { end, changed } = growTree(before, events)
      ends.delete(name)
      growing.set(name, end)
      return changed.map(toDocument)
    },
    write: ({ generation, documents }) => write(generation.documents, documents),
    together: ({ documents: tiles }) => tiles.map((tile) => upserting(tile, further(tile))),
    // What was worked out for another collection says nothing of where this one ends now: then it is read again.
    written: (name) => {
      const end = growing.get(name)
      if (end === undefined) ends.delete(name)
      else ends.set(name, end)
      growing.clear()
    },
    forget: () => ends.clear(),
  }
}

export const treeInMongo = keptInMongo({ makeLayout, reads: treeReads })
