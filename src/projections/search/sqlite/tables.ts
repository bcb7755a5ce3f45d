import { statusNumber } from '../../entities/sqlite/rows.ts'
import { searchProjection } from '../searchProjection.ts'
import { rowsOf, wholeTable } from '../../sqlite/storedTables.ts'
import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import type { StoredRow } from '../../stored/storedTable.ts'
import { wordLetters } from '../words.ts'
import { indexedBeginnings } from './match.ts'

/**
 * `search_docs` holds what hits are filtered and ordered by, under the keys of `standing.ts`; words stand in one index
 * for live and one for deleted entities, so that neither slows the other. `search_words` has what a mistyped query may
 * mean, `search_near` where that is looked for. `search_queue` has what is to be indexed, `search_moving` what is to be
 * moved.
 */
const create = `
  CREATE TABLE search_queue (turn INTEGER PRIMARY KEY, entity INTEGER NOT NULL) STRICT;
  CREATE TABLE search_docs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    status INTEGER NOT NULL,
    fqn TEXT NOT NULL,
    name TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    popularity INTEGER NOT NULL,
    words INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX search_docs_by_name ON search_docs (kind, status, name, fqn, id);
  CREATE INDEX search_docs_by_time ON search_docs (kind, status, updated_at, fqn, id);
  ${['search_live', 'search_deleted']
    .map(
      (table) => `CREATE VIRTUAL TABLE ${table} USING
        fts5(terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'",
          prefix = '${indexedBeginnings.join(' ')}');
      INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 8);
      INSERT INTO ${table} (${table}, rank) VALUES ('usermerge', 2);
      INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', 8388608);`,
    )
    .join('\n')}
  CREATE TABLE search_moving (key INTEGER PRIMARY KEY, status INTEGER NOT NULL, words INTEGER NOT NULL) STRICT;
  CREATE TABLE search_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE search_near (key TEXT NOT NULL, word TEXT NOT NULL, PRIMARY KEY (key, word)) STRICT, WITHOUT ROWID;
`

const unsettledKeys = 'SELECT key FROM search_docs WHERE id IN (SELECT value FROM json_each(?))'

/** The entities that have each term, and where, with how many terms each has. */
function* termsStored(file: SqliteFile, table: string, unsettled: readonly string[]): Generator<StoredRow> {
  file.database.exec(searchViews)
  const ids = JSON.stringify(unsettled)
  yield* rowsOf(
    file,
    `SELECT term, group_concat(doc || ':' || offset) FROM temp.${table}_terms
      WHERE doc NOT IN (${unsettledKeys}) GROUP BY term`,
    ids,
  )
  yield* rowsOf(file, `SELECT 'of ' || id, sz FROM ${table}_docsize WHERE id NOT IN (${unsettledKeys})`, ids)
  yield* rowsOf(file, `SELECT 'setting ' || k, v FROM ${table}_config`)
}

/** Words that some entity has, of those whose words are indexed as they are now. */
const settledWords = (
  file: SqliteFile,
  table: string,
  by: string,
  unsettled: readonly string[],
): Iterable<StoredRow> => {
  file.database.exec(searchViews)
  if (unsettled.length === 0) return rowsOf(file, `SELECT json_array(${by}) FROM ${table}`)
  const has = ['search_live_terms', 'search_deleted_terms'].flatMap((terms) =>
    wordLetters.map((letter) => `SELECT doc FROM temp.${terms} WHERE term = '${letter}' || w.word`),
  )
  return rowsOf(
    file,
    `SELECT json_array(${by}) FROM ${table} AS w
      WHERE EXISTS (SELECT 1 FROM (${has.join(' UNION ALL ')}) WHERE doc NOT IN (${unsettledKeys}))`,
    JSON.stringify(unsettled),
  )
}

/** The tables have changed so often since what they hold changed last. */
const layout = 2

export const searchTables: SqliteTables = {
  ...searchProjection,
  version: searchProjection.version + layout,
  tables: [
    'search_queue',
    'search_docs',
    'search_live',
    'search_deleted',
    'search_moving',
    'search_words',
    'search_near',
  ],
  create,
  contents: {
    // What waits to be indexed, or to be moved, is left out of the others.
    search_queue: () => [],
    search_moving: () => [],
    search_docs: wholeTable('search_docs', {
      by: 'id',
      where: 'WHERE id NOT IN (SELECT value FROM json_each(?))',
    }),
    search_live: (file, unsettled) => termsStored(file, 'search_live', unsettled),
    search_deleted: (file, unsettled) => termsStored(file, 'search_deleted', unsettled),
    search_words: (file, unsettled) => settledWords(file, 'search_words', 'word', unsettled),
    search_near: (file, unsettled) => settledWords(file, 'search_near', 'key, word', unsettled),
  },
  mayKeep: ['search_words', 'search_near'],
}

/** The terms of the indexes in their order; to be made for each connection. */
export const searchViews = `
  CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_live_terms USING fts5vocab(main, search_live, instance);
  CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_deleted_terms USING fts5vocab(main, search_deleted, instance);
`

/** The index of the words of entities with this status. */
export const wordsTable = (status: number): 'search_live' | 'search_deleted' =>
  status === statusNumber.live ? 'search_live' : 'search_deleted'
