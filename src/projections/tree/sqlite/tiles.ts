import { tileKey, type TilePlace } from '../../../transparency/tiles.ts'
import { ReadModelsReplaced, type Batch } from '../../projection.ts'
import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import type { StoredTile, TreeTiles } from '../port.ts'
import { growTree, positionsIn, readTreeEnd, treeProjection, type TreeEnd } from '../treeProjection.ts'

/** A tile's number is `level * levelStep + number`. */
const levelStep = 2 ** 40

export const treeTables: SqliteTables = {
  ...treeProjection,
  tables: ['tree_tiles'],
  create: `
    CREATE TABLE tree_tiles (
      tile INTEGER PRIMARY KEY,
      first INTEGER,
      hashes BLOB NOT NULL,
      positions BLOB
    ) STRICT;`,
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

/** Stores tiles that are further than what is there; to be run within a transaction. */
export const writeTiles = (file: SqliteFile, tiles: readonly StoredTile[]): void => {
  const write = file.statement(
    `INSERT INTO tree_tiles (tile, first, hashes, positions) VALUES (?, ?, ?, ?)
    ON CONFLICT (tile) DO UPDATE SET hashes = excluded.hashes, positions = excluded.positions
    WHERE length(excluded.hashes) > length(hashes)`,
  )
  for (const tile of tiles) {
    const { hashes, positions } = tile
    write.run(
      numberOf(tile),
      positions === undefined ? null : (positionsIn(tile)[0] as bigint),
      hashes,
      positions ?? null,
    )
  }
}

const columns = 'tile, hashes, positions'

/** Reads from whatever file is current. */
export const treeReads = (current: () => SqliteFile): TreeTiles => ({
  treeTiles: async (places) => {
    const one = current().statement(`SELECT ${columns} FROM tree_tiles WHERE tile = ?`)
    const found = places.flatMap((place) => {
      const row = one.get(numberOf(place))
      return row === undefined ? [] : [toTile(row)]
    })
    return new Map(found.map((tile) => [tileKey(tile), tile]))
  },
  treeLeaves: async (position) => {
    const row =
      position === undefined
        ? current()
            .statement(`SELECT ${columns} FROM tree_tiles WHERE tile < ? ORDER BY tile DESC LIMIT 1`)
            .get(levelStep)
        : current()
            .statement(`SELECT ${columns} FROM tree_tiles WHERE first <= ? ORDER BY first DESC LIMIT 1`)
            .get(position)
    return row === undefined ? undefined : toTile(row)
  },
})

/** A file with where its tree ends, as far as that is known. */
export interface FileWithTree {
  readonly file: SqliteFile
  readonly tree: { end: TreeEnd | undefined }
}

/** Works out what a batch adds to the tree of whatever file is current; what it gives writes that, within a transaction. */
export const makeTreeChanges =
  (current: () => FileWithTree) =>
  async ({ events }: Batch): Promise<() => void> => {
    const opened = current()
    const before = opened.tree.end ?? (await readTreeEnd(treeReads(() => opened.file)))
    const { end, changed } = growTree(before, events)
    return () => {
      if (current() !== opened) throw new ReadModelsReplaced('Another file took the place of the read models.')
      writeTiles(opened.file, changed)
      opened.tree.end = end
    }
  }
