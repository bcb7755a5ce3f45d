import { hashLength } from '../../../transparency/merkle.ts'
import { tileKey, tileWidth, type TilePlace } from '../../../transparency/tiles.ts'
import type { Batch } from '../../projection.ts'
import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import type { StoredTile, TreeTiles } from '../port.ts'
import {
  growTree,
  positionBytes,
  positionLength,
  positionsIn,
  readTreeEnd,
  treeProjection,
  type TreeEnd,
} from '../treeProjection.ts'

/** A tile's number is `level * levelStep + number`. */
const levelStep = 2 ** 40

/**
 * Leaves behind the last full tile of leaves are rows of their own: a leaf that is added is one row that is appended,
 * and its tile is written once, when it is full.
 */
export const treeTables: SqliteTables = {
  ...treeProjection,
  tables: ['tree_tiles', 'tree_leaves'],
  create: `
    CREATE TABLE tree_tiles (
      tile INTEGER PRIMARY KEY,
      first INTEGER,
      hashes BLOB NOT NULL,
      positions BLOB
    ) STRICT;
    CREATE TABLE tree_leaves (position INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;`,
  indexes: ['CREATE INDEX tree_tiles_by_position ON tree_tiles (first) WHERE first IS NOT NULL'],
}

type Row = [tile: number, hashes: Uint8Array, positions: Uint8Array | null]

const toTile = (row: unknown): StoredTile => {
  const [tile, hashes, positions] = row as Row
  const level = Math.floor(tile / levelStep)
  return {
    level,
    number: tile - level * levelStep,
    hashes: Buffer.from(hashes),
    ...(positions !== null && { positions: Buffer.from(positions) }),
  }
}

const numberOf = ({ level, number }: TilePlace): number => level * levelStep + number

const isOpen = ({ level, hashes }: StoredTile): boolean => level === 0 && hashes.length < tileWidth * hashLength

const writeTile = (file: SqliteFile, tile: StoredTile): void => {
  const { hashes, positions = null } = tile
  file
    .statement(
      `INSERT INTO tree_tiles (tile, first, hashes, positions) VALUES (?, ?, ?, ?)
      ON CONFLICT (tile) DO UPDATE SET hashes = excluded.hashes, positions = excluded.positions
      WHERE length(excluded.hashes) > length(hashes)`,
    )
    .run(numberOf(tile), positions === null ? null : positions.readBigUInt64BE(0), hashes, positions)
}

/** Stores leaves of the open tile that are not there yet. @param from the first of them within the tile */
const writeLeaves = (file: SqliteFile, { hashes, positions = noBytes }: StoredTile, from: number): void => {
  const write = file.statement('INSERT OR IGNORE INTO tree_leaves (position, hash) VALUES (?, ?)')
  for (let at = from; at < hashes.length / hashLength; at++)
    write.run(positions.readBigUInt64BE(at * positionLength), hashes.subarray(at * hashLength, (at + 1) * hashLength))
}

/**
 * Stores what changed when a tree grew; to be run within a transaction.
 * @param size number of leaves before that
 */
export const writeTiles = (file: SqliteFile, tiles: readonly StoredTile[], size: number): void => {
  for (const tile of tiles) {
    if (isOpen(tile)) {
      writeLeaves(file, tile, Math.max(0, size - tile.number * tileWidth))
      continue
    }
    writeTile(file, tile)
    if (tile.positions !== undefined)
      file.statement('DELETE FROM tree_leaves WHERE position <= ?').run(positionsIn(tile).at(-1) as bigint)
  }
}

const noBytes = Buffer.alloc(0)

const columns = 'tile, hashes, positions'

/** The number of the tile of leaves that is not full yet. */
const openNumber = (file: SqliteFile): number => {
  const last = file.statement('SELECT tile FROM tree_tiles WHERE tile < ? ORDER BY tile DESC LIMIT 1').get(levelStep)
  return last === undefined ? 0 : (last as [number])[0] + 1
}

/** The tile of leaves that is not full yet; `undefined`: it has none. */
const readOpenTile = (file: SqliteFile): StoredTile | undefined => {
  const leaves = file.wide('SELECT position, hash FROM tree_leaves ORDER BY position').all() as [bigint, Uint8Array][]
  if (leaves.length === 0) return undefined
  const hashes = Buffer.concat(leaves.map(([, hash]) => hash))
  return { level: 0, number: openNumber(file), hashes, positions: positionBytes(leaves.map(([position]) => position)) }
}

const readTile = (file: SqliteFile, place: TilePlace): StoredTile | undefined => {
  const row = file.statement(`SELECT ${columns} FROM tree_tiles WHERE tile = ?`).get(numberOf(place))
  if (row !== undefined) return toTile(row)
  return place.level === 0 && place.number === openNumber(file) ? readOpenTile(file) : undefined
}

const readFullLeaves = (file: SqliteFile, position: bigint | undefined): StoredTile | undefined => {
  const row =
    position === undefined
      ? file.statement(`SELECT ${columns} FROM tree_tiles WHERE tile < ? ORDER BY tile DESC LIMIT 1`).get(levelStep)
      : file.statement(`SELECT ${columns} FROM tree_tiles WHERE first <= ? ORDER BY first DESC LIMIT 1`).get(position)
  return row === undefined ? undefined : toTile(row)
}

const holdsFrom = ({ positions = noBytes }: StoredTile, position: bigint | undefined): boolean =>
  position === undefined || positions.readBigUInt64BE(0) <= position

export const treeReads = (current: () => SqliteFile): TreeTiles => ({
  treeTiles: async (places) => {
    const file = current()
    const found = file.reading(() => places.flatMap((place) => readTile(file, place) ?? []))
    return new Map(found.map((tile) => [tileKey(tile), tile]))
  },
  treeLeaves: async (position) => {
    const file = current()
    return file.reading(() => {
      const open = readOpenTile(file)
      return open !== undefined && holdsFrom(open, position) ? open : readFullLeaves(file, position)
    })
  },
})

/** A file with where its tree ends, as far as that is known. */
export interface FileWithTree {
  readonly file: SqliteFile
  readonly tree: { end: TreeEnd | undefined }
}

/** Works out what a batch adds to the tree; what it gives writes that, within a transaction. */
export const treeChanges = async ({ events }: Batch, opened: FileWithTree): Promise<() => void> => {
  const before = opened.tree.end ?? (await readTreeEnd(treeReads(() => opened.file)))
  const { end, changed } = growTree(before, events)
  return () => {
    writeTiles(opened.file, changed, before.size)
    opened.tree.end = end
  }
}
