import type { SqliteFile } from '../../sqlite/file.ts'
import { wordLetters } from '../words.ts'
import { forgetWords } from './indexing.ts'
import { searchViews } from './tables.ts'

/** Stands where dropping is noted, and is nothing that is dropped. */
const mark = -1

/** Words that are looked up at a time. */
const atOnce = 500

/** Notes that what no entity has any more is to leave the file; within a transaction. */
export const purgeLater = (file: SqliteFile): void => {
  file.statement('INSERT OR REPLACE INTO search_dropped (key) VALUES (?)').run(mark)
}

const isUnused = `NOT EXISTS (SELECT 1 FROM (${wordLetters
  .map((letter) => `SELECT 1 FROM temp.search_terms WHERE term = '${letter}' || w.word`)
  .join(' UNION ALL ')}))`

/** Drops words that no entity has, some at a time. */
function* dropUnused(file: SqliteFile): Generator<void> {
  file.database.exec(searchViews)
  const unused = file.statement(
    `SELECT max(word), json_group_array(word) FILTER (WHERE ${isUnused})
    FROM (SELECT word FROM search_words WHERE word > ? ORDER BY word LIMIT ${atOnce}) AS w`,
  )
  for (let after: string | null = ''; after !== null;) {
    const [last, words] = unused.get(after) as [string | null, string]
    file.transaction(() => {
      for (const table of ['search_near', 'search_words'])
        file.statement(`DELETE FROM ${table} WHERE word IN (SELECT value FROM json_each(?))`).run(words)
    })
    after = last
    yield
  }
}

/** Empties the write-ahead log. It never waits: who reads may be of this thread. @returns false while somebody reads what was there before */
const truncate = ({ database }: SqliteFile): boolean => {
  const timeout = Number(database.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  database.exec('PRAGMA busy_timeout = 0')
  try {
    return Number(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] ?? 0) === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}

/**
 * Takes out of the file what no entity has any more, where that was noted. @param mergeAll merges the pieces of the
 * index, from the beginning
 */
export function* purge(file: SqliteFile, mergeAll: () => Generator<void>): Generator<void> {
  if (file.statement('SELECT 1 FROM search_dropped WHERE key = ?').get(mark) === undefined) return
  file.transaction(() => file.statement("INSERT INTO search_index (search_index, rank) VALUES ('merge', -1000)").run())
  yield* mergeAll()
  forgetWords(file)
  yield* dropUnused(file)
  file.flush()
  file.database.exec('VACUUM')
  while (!truncate(file)) yield
  file.transaction(() => file.statement('DELETE FROM search_dropped WHERE key = ?').run(mark))
}
