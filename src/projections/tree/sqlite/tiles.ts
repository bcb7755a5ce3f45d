import { tileKey, type TilePlace } from '../../../transparency/tiles.ts'
import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import { historyBatching, keptInSqlite, rememberingOf } from '../../sqlite/sqliteProjection.ts'
import type { StoredTile, TreeTiles } from '../port.ts'
import { growTree, readTreeEnd, treeProjection, type TreeEnd } from '../treeProjection.ts'

/** A tile's number is `level * levelStep + number`. */
const levelStep = 2 ** 40

/** The tables have changed so often since what they hold changed last. */
const layout = 1

export const treeTables: SqliteTables = {
  ...treeProjection,
  version: treeProjection.version + layout,
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

const columns = 'tile, hashes, positions'

const readLeaves = (file: SqliteFile, position: bigint | undefined): StoredTile | undefined => {
  const row =
    position === undefined
      ? file.statement(`SELECT ${columns} FROM tree_tiles WHERE tile < ? ORDER BY tile DESC LIMIT 1`).get(levelStep)
      : file.statement(`SELECT ${columns} FROM tree_tiles WHERE first <= ? ORDER BY first DESC LIMIT 1`).get(position)
  return row && toTile(row)
}

const treeReads = (current: () => SqliteFile): TreeTiles => ({
  treeTiles: async (places) => {
    const rows = current()
      .statement(`SELECT ${columns} FROM tree_tiles WHERE tile IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(places.map(numberOf)))
    return new Map(rows.map(toTile).map((tile) => [tileKey(tile), tile]))
  },
  treeLeaves: async (position) => readLeaves(current(), position),
})

const ends = rememberingOf((): { at?: TreeEnd } => ({}))

export const treeInSqlite = keptInSqlite({
  tables: treeTables,
  batching: historyBatching,
  changes: async ({ events }, { file }: { readonly file: SqliteFile }) => {
    const end = ends.of(file)
    const grown = growTree(end.at ?? (await readTreeEnd(treeReads(() => file))), events)
    return () => {
      for (const tile of grown.changed) writeTile(file, tile)
      end.at = grown.end
    }
  },
  forget: ends.forget,
  reads: (current) => treeReads(() => current().file),
})
