import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'

/**
 * A row of a table or a document of a collection, as texts.
 * `mayRemain`: it is no difference if only the compared side has it, since such rows are never removed.
 */
export type StoredRow = readonly [key: string, content: string, mayRemain?: boolean]

/** A table or collection of a projection. */
export interface StoredTable {
  readonly projection: string
  readonly table: string
  /** In any order; rows of one key are compared together. */
  rows(): Iterable<StoredRow> | AsyncIterable<StoredRow>
}

/** All tables of the read models, as one snapshot if the engine has them. */
export interface StoredTables {
  readonly tables: readonly StoredTable[]
  /** Ids of entities that are not indexed yet: the comparison of words skips them. */
  readonly unsettled: readonly string[]
  /** Whether it is one snapshot between batches. Otherwise rows may be newer than the checkpoint of their projection. */
  readonly isMoment: boolean
}

export interface Difference {
  readonly projection: string
  readonly table: string
  readonly key: string
}

/** Most differences of a table that are told. */
const mostTold = 100

/** Keys of rows that differ or are on one side only, in bounded memory: SQLite groups the rows in a temporary file. */
const differingKeys = async (found: StoredTable | undefined, expected: StoredTable | undefined): Promise<string[]> => {
  const database = new DatabaseSync('')
  try {
    database.exec('CREATE TABLE rows (key TEXT, digest BLOB, side INTEGER, remains INTEGER) STRICT; BEGIN')
    const insert = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)')
    const yieldWhenDue = makeYielder()
    for (const [side, table] of [[1, found] as const, [-1, expected] as const])
      for await (const [key, content, mayRemain = false] of table?.rows() ?? []) {
        insert.run(key, hash('sha256', content, 'buffer'), side, Number(mayRemain))
        await yieldWhenDue()
      }
    const differing = database.prepare(
      `SELECT DISTINCT key FROM rows GROUP BY key, digest
      HAVING sum(side) < 0 OR (sum(side) > 0 AND NOT max(remains)) ORDER BY key LIMIT ${mostTold}`,
    )
    return differing.all().map(({ key }) => String(key))
  } finally {
    database.close()
  }
}

/** Compares tables row by row. @returns some differing rows of each differing table */
export const differencesOf = async (
  found: readonly StoredTable[],
  expected: readonly StoredTable[],
): Promise<Difference[]> => {
  const [here, there] = [found, expected].map(
    (tables) => new Map(tables.map((each) => [`${each.projection} ${each.table}`, each])),
  )
  const differences: Difference[] = []
  for (const [name, { projection, table }] of new Map([...(here ?? []), ...(there ?? [])]))
    for (const key of await differingKeys(here?.get(name), there?.get(name)))
      differences.push({ projection, table, key })
  return differences
}
