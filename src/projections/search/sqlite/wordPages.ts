import { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../../../stores/sqlite/openReadOnly.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { StoredRow } from '../../stored/differences.ts'

/** Length of indexed prefixes including the part's letter. */
export const indexedBeginnings = [2, 3, 4]

/** SQL that creates an index of words. */
export const wordsTable = (name: string): string => `
  CREATE VIRTUAL TABLE ${name} USING
    fts5(terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'",
      prefix = '${indexedBeginnings.join(' ')}');`

/** SQL that lets an index collect 8 MiB of words in memory before it writes them. */
export const collectWords = (name: string): string =>
  `INSERT INTO ${name} (${name}, rank) VALUES ('hashsize', 8388608);`

const copyIndex = (file: SqliteFile, copies: DatabaseSync): void => {
  for (const part of ['data', 'idx', 'docsize', 'config']) {
    copies.exec(`DELETE FROM found_${part}`)
    for (const row of file.wide(`SELECT * FROM search_index_${part}`).iterate() as Iterable<bigint[]>)
      copies.prepare(`INSERT INTO found_${part} VALUES (${row.map(() => '?').join(', ')})`).run(...row)
  }
}

const buildIndex = (file: SqliteFile, copies: DatabaseSync): void => {
  const insert = copies.prepare('INSERT INTO expected (rowid, terms) VALUES (?, ?)')
  const documents = `SELECT doc, group_concat(term, ' ' ORDER BY offset) FROM temp.search_terms GROUP BY doc ORDER BY doc`
  for (const document of file.wide(documents).iterate() as Iterable<[bigint, string]>) insert.run(...document)
}

/** Merges an index into one piece. FTS5 leaves one that is in one piece as it is, so a document is added. */
const merge = (copies: DatabaseSync, name: string): void => {
  copies.prepare(`INSERT INTO ${name} (rowid, terms) VALUES (?, 'x')`).run(2n ** 63n - 1n)
  copies.exec(`INSERT INTO ${name} (${name}) VALUES ('optimize')`)
}

/** Pages with words, numbered within their piece; others describe pieces, or have what was deleted. */
const pagesOf = (name: string): string =>
  `SELECT id & ((1 << 37) - 1) AS page, block FROM ${name}_data WHERE id >= 1 << 37 AND id < 1 << 53`

/**
 * Pages of the index, merged, that are not as in an index that is built from the same words. So beginnings of words with
 * their positions are compared too, which the view of terms does not show.
 */
export const wrongPages = (file: SqliteFile): StoredRow[] => {
  const copies = new DatabaseSync('', { defensive: false })
  try {
    // The first must be as it was made when it gets its parts: FTS5 keeps totals in memory.
    copies.exec(`${wordsTable('found')} ${wordsTable('expected')} ${collectWords('expected')} BEGIN`)
    copyIndex(file, copies)
    buildIndex(file, copies)
    copies.exec('COMMIT')
    for (const name of ['found', 'expected']) merge(copies, name)
    const wrong = copies.prepare(
      `SELECT page FROM (${pagesOf('found')} UNION ALL ${pagesOf('expected')})
      GROUP BY page HAVING count(*) <> 2 OR min(block) <> max(block) LIMIT 20`,
    )
    return wrong.all().map(({ page }) => [`page ${String(page)} of the merged index`, ''])
  } catch (error) {
    if (!isDamage(error)) throw error
    return [[(error as Error).message, '']]
  } finally {
    copies.close()
  }
}
