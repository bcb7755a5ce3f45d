import { pathToFileURL } from 'node:url'
import {
  openSqliteFile,
  usualPages,
  type SqliteFile,
  type SqliteFileOptions,
  type SqliteTables,
} from '../../sqlite/file.ts'
import { pageCache } from '../../../stores/sqlite/caches.ts'
import { entitiesProjection } from '../../entities/row.ts'
import { searchProjection } from '../port.ts'
import { rowsOf, wholeTable } from '../../sqlite/storedTables.ts'
import type { StoredRow } from '../../stored/storedTable.ts'
import { wordLetters } from '../words.ts'
import { indexedBeginnings } from './match.ts'
import { collectWords, wordsTable, wrongPages } from './wordPages.ts'

/**
 * `search_docs` holds what hits are filtered, ordered and scored by; `search_index` the words, under their keys.
 * `search_deleted` has the keys of what is deleted: they are fewer than the documents, which are read for no hit.
 * `search_words` has what a mistyped query may mean, `search_near` where that is looked for. `search_purge` has a row
 * while words that no entity has are to be removed from the file.
 */
const create = `
  CREATE TABLE search_docs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    status INTEGER NOT NULL,
    fqn TEXT NOT NULL,
    name TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    popularity INTEGER NOT NULL,
    words INTEGER NOT NULL,
    terms TEXT NOT NULL
  ) STRICT;
  CREATE INDEX search_docs_by_name ON search_docs (kind, status, name, fqn, id);
  CREATE INDEX search_docs_by_time ON search_docs (kind, status, updated_at, fqn, id);
  ${wordsTable('search_index')}
  INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8);
  INSERT INTO search_index (search_index, rank) VALUES ('usermerge', 2);
  ${collectWords('search_index')}
  CREATE TABLE search_purge (wanted INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE search_deleted (key INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE search_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE search_near (key TEXT NOT NULL, word TEXT NOT NULL, PRIMARY KEY (key, word)) STRICT, WITHOUT ROWID;
`

/** Documents that are up to date in the index. */
const settledDocs = 'search_docs AS d WHERE d.id NOT IN (SELECT value FROM json_each(?))'

/** Stored entities and positions by term. */
function* termsStored(file: SqliteFile, unsettled: readonly string[]): Generator<StoredRow> {
  file.database.exec(searchViews)
  const ids = JSON.stringify(unsettled)
  yield* rowsOf(
    file,
    `SELECT term, group_concat(d.id || ':' || t.offset, ',' ORDER BY d.id, t.offset)
      FROM temp.search_terms AS t CROSS JOIN ${settledDocs} AND d.key = t.doc GROUP BY term`,
    ids,
  )
  yield* rowsOf(
    file,
    `SELECT 'of ' || d.id, z.sz FROM search_index_docsize AS z CROSS JOIN ${settledDocs} AND d.key = z.id`,
    ids,
  )
  yield* rowsOf(file, "SELECT 'setting ' || k, v FROM search_index_config")
  yield* wrongLookups(file, 'SELECT doc, term AS sought FROM temp.search_terms', '')
  for (const length of indexedBeginnings) {
    const beginnings = `SELECT doc, substr(term, 1, ${length}) AS sought FROM temp.search_terms`
    yield* wrongLookups(file, `${beginnings} WHERE length(term) >= ${length}`, '*')
  }
  yield* wrongPages(file)
}

/** Terms, or their beginnings, that a search finds in other documents than the view of terms has them in. */
const wrongLookups = (file: SqliteFile, expected: string, mark: '' | '*'): Iterable<StoredRow> =>
  rowsOf(
    file,
    `SELECT 'found wrongly: ' || sought || '${mark}' FROM (
      SELECT sought, group_concat(DISTINCT doc ORDER BY doc) AS docs FROM (${expected}) GROUP BY 1)
    WHERE docs IS NOT (SELECT group_concat(rowid) FROM (
      SELECT rowid FROM search_index WHERE search_index MATCH '"' || sought || '"${mark}' ORDER BY rowid))`,
  )

/** Words of up-to-date documents. */
const settledWords = (
  file: SqliteFile,
  table: string,
  by: string,
  unsettled: readonly string[],
): Iterable<StoredRow> => {
  file.database.exec(searchViews)
  const has = wordLetters.map((letter) => `SELECT doc FROM temp.search_terms WHERE term = '${letter}' || w.word`)
  return rowsOf(
    file,
    `SELECT json_array(${by}) FROM ${table} AS w
      WHERE EXISTS (SELECT 1 FROM (${has.join(' UNION ALL ')}) AS h CROSS JOIN ${settledDocs} AND d.key = h.doc)`,
    JSON.stringify(unsettled),
  )
}

/** Version of the table layout. */
const layout = 8

/** The tables of the index file. It is rebuilt when the stored entities change their layout. */
export const indexTables: SqliteTables = {
  ...searchProjection,
  version: 1000 * (searchProjection.version + layout) + entitiesProjection.version,
  tables: ['search_docs', 'search_index', 'search_purge', 'search_deleted', 'search_words', 'search_near'],
  create,
  contents: {
    // Pending documents, and what is yet to be removed, are left out of the comparison.
    search_purge: () => [],
    search_deleted: (file, unsettled) =>
      rowsOf(
        file,
        `SELECT coalesce(d.id, s.key), '' FROM search_deleted AS s LEFT JOIN search_docs AS d ON d.key = s.key
        WHERE d.id IS NULL OR d.id NOT IN (SELECT value FROM json_each(?))`,
        JSON.stringify(unsettled),
      ),
    search_docs: wholeTable('search_docs', {
      by: 'id',
      without: ['key'],
      where: 'WHERE id NOT IN (SELECT value FROM json_each(?))',
    }),
    search_index: termsStored,
    search_words: (file, unsettled) => settledWords(file, 'search_words', 'word', unsettled),
    search_near: (file, unsettled) => settledWords(file, 'search_near', 'key, word', unsettled),
  },
  mayKeep: ['search_words', 'search_near'],
}

/** A view of the index terms, created per connection. */
export const searchViews =
  'CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab(main, search_index, instance);'

/** Path of the index file, next to the file of entities. */
export const searchPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.search.db')

/** Schema name of the attached file of entities. Table names are distinct. */
const attached = 'present'

export interface IndexOptions extends SqliteFileOptions {
  /** Path of the existing file of entities; absent if nothing is indexed or searched. */
  readonly entities?: string | undefined
}

/** Opens an index with the file of entities attached read-only. Both share the page cache. */
export const openIndex = ({ entities, pageBytes = usualPages, ...options }: IndexOptions): SqliteFile => {
  const share = Math.floor(pageBytes / 2)
  const file = openSqliteFile({ ...options, pageBytes: share }, [indexTables])
  if (entities === undefined) return file
  try {
    const url = pathToFileURL(entities)
    url.searchParams.set('mode', 'ro')
    file.database.prepare(`ATTACH ? AS ${attached}`).run(url.href)
    file.database.exec(pageCache(share, attached))
    file.database.exec(searchViews)
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

/** The position of the attached entities. */
export const shownIn = (file: SqliteFile): bigint | undefined => {
  const shown = file.wide(`SELECT checkpoint FROM ${attached}.projections WHERE name = ?`).get(entitiesProjection.name)
  return (shown as [bigint | null] | undefined)?.[0] ?? undefined
}
