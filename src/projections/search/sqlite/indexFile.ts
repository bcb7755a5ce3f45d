import { pathToFileURL } from 'node:url'
import {
  openSqliteFile,
  defaultPageCache,
  type Contents,
  type SqliteFile,
  type SqliteFileOptions,
  type SqliteTables,
} from '../../sqlite/file.ts'
import { pageCache } from '../../../stores/sqlite/caches.ts'
import { closedOnError } from '../../../stores/sqlite/openReadOnly.ts'
import type { DocumentLayout } from '../../documents/port.ts'
import { tablesFor } from '../../documents/sqliteTables.ts'
import { entitiesProjection, statusNumber } from '../../entities/row.ts'
import { searchProjection } from '../port.ts'
import { rowsOf, wholeTable } from '../../sqlite/storedTables.ts'
import type { StoredRow } from '../../stored/differences.ts'
import { searchDocuments, type SearchDocument } from '../searchDocuments.ts'
import { wordLetters } from '../words.ts'
import { collectWords, wordsTable, wrongPages } from './wordPages.ts'

/** The documents under the keys of the index of words. */
export const indexedDocuments: DocumentLayout<SearchDocument> = { ...searchDocuments, key: ['key'] }

const documentTables = tablesFor(indexedDocuments)

/**
 * `search_index` has the words of documents under their keys. `search_purge` has a row while words that no entity has
 * are to be removed from the file.
 */
const create = `
  ${documentTables.create}
  CREATE UNIQUE INDEX search_by_id ON search (id);
  CREATE INDEX search_by_place ON search (kind, status, place);
  CREATE INDEX search_by_name ON search (kind, status, "sortName", place);
  CREATE INDEX search_by_time ON search (kind, status, "updatedAt", place);
  CREATE INDEX search_deleted ON search (key) WHERE status = ${statusNumber.deleted};
  ${wordsTable('search_index')}
  INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8);
  INSERT INTO search_index (search_index, rank) VALUES ('usermerge', 2);
  INSERT INTO search_index (search_index, rank) VALUES ('deletemerge', 30);
  ${collectWords('search_index')}
  CREATE TABLE search_purge (wanted INTEGER PRIMARY KEY) STRICT;
`

/** Documents that are up to date in the index. */
const settledDocs = 'search AS d WHERE d.id NOT IN (SELECT value FROM json_each(?))'

/** The terms of each entity with their offsets, their number, the settings of the index, and its wrong pages. */
function* termsStored(file: SqliteFile, unsettled: readonly string[]): Generator<StoredRow> {
  file.database.exec(searchViews)
  const ids = JSON.stringify(unsettled)
  yield* rowsOf(
    file,
    `SELECT d.id, t.terms FROM (
        SELECT doc, group_concat(offset || term, ' ' ORDER BY offset) AS terms FROM temp.search_terms GROUP BY doc
      ) AS t CROSS JOIN ${settledDocs} AND d.key = t.doc`,
    ids,
  )
  yield* rowsOf(
    file,
    `SELECT 'of ' || d.id, z.sz FROM search_index_docsize AS z CROSS JOIN ${settledDocs} AND d.key = z.id`,
    ids,
  )
  yield* rowsOf(file, "SELECT 'setting ' || k, v FROM search_index_config")
  yield* wrongPages(file)
}

const settledWords = (file: SqliteFile, columns: string, from: string, unsettled: readonly string[]) => {
  file.database.exec(searchViews)
  const has = wordLetters.map((letter) => `SELECT doc FROM temp.search_terms WHERE term = '${letter}' || w.word`)
  return rowsOf(
    file,
    `SELECT ${columns} FROM ${from}
      WHERE EXISTS (SELECT 1 FROM (${has.join(' UNION ALL ')}) AS h CROSS JOIN ${settledDocs} AND d.key = h.doc)`,
    JSON.stringify(unsettled),
  )
}

/** Numbers of documents by facet text that are not as these have them. */
const wrongCounts: Contents = (file) =>
  rowsOf(
    file,
    `SELECT json_array(kind, status, facet), group_concat(n) FROM (
      SELECT kind, status, facet, n FROM search_facets UNION ALL
      SELECT kind, status, value, count(*) FROM search, json_each(facets) GROUP BY 1, 2, 3)
    GROUP BY kind, status, facet HAVING count(*) <> 2 OR min(n) <> max(n)`,
  )

const layout = 11

/** The tables of the index file. It is rebuilt when the stored entities change their layout. */
export const indexTables: SqliteTables = {
  ...searchProjection,
  version: 1000 * (searchProjection.version + layout) + entitiesProjection.version,
  tables: [...documentTables.tables, 'search_index', 'search_purge'],
  create,
  contents: {
    // Pending documents, and what is yet to be removed, are left out of the comparison.
    search_purge: () => [],
    search: wholeTable('search', { where: 'WHERE id NOT IN (SELECT value FROM json_each(?))' }),
    search_facets: wrongCounts,
    search_index: termsStored,
    search_words: (file, unsettled) => settledWords(file, 'number, word, near', 'search_words AS w', unsettled),
    search_words_near: (file, unsettled) =>
      settledWords(
        file,
        'json_array(n.value, number)',
        'search_words_near AS n JOIN search_words AS w USING (number)',
        unsettled,
      ),
  },
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
export const openIndex = ({ entities, pageBytes = defaultPageCache, ...options }: IndexOptions): SqliteFile => {
  const share = Math.floor(pageBytes / 2)
  return closedOnError(openSqliteFile({ ...options, pageBytes: share }, [indexTables]), ({ database }) => {
    if (entities === undefined) return
    const url = pathToFileURL(entities)
    url.searchParams.set('mode', 'ro')
    database.prepare(`ATTACH ? AS ${attached}`).run(url.href)
    database.exec(pageCache(share, attached))
    database.exec(searchViews)
  })
}

/** The position of the attached entities. */
export const entitiesPosition = (file: SqliteFile): bigint | undefined => {
  const row = file.wide(`SELECT checkpoint FROM ${attached}.projections WHERE name = ?`).get(entitiesProjection.name)
  return (row as [bigint | null] | undefined)?.[0] ?? undefined
}
