import type { SqliteFile } from '../../sqlite/file.ts'
import { dropWordCache } from './indexing.ts'
import { wordLetters } from '../words.ts'
import { searchViews } from './indexFile.ts'

/** Milliseconds until the removal starts, and until it is tried again after an error. */
const pause = 10
const afterFailure = 1000

/** Removes unused words from the file if that is scheduled, also after a restart. It blocks the thread, but is rare. */
export const makeCleanup = (file: SqliteFile) => {
  let timer: NodeJS.Timeout | undefined
  let isPurged = false
  const after = (milliseconds: number): void => {
    clearTimeout(timer)
    timer = setTimeout(clean, milliseconds).unref()
  }
  const clean = (): void => {
    try {
      if (file.statement('SELECT 1 FROM search_purge').get() === undefined) return
      if (!isPurged) purge(file)
      isPurged = true
      if (!truncate(file)) return after(pause)
      file.transaction(() => file.statement('DELETE FROM search_purge').run())
    } catch {
      // It stays scheduled. The next search or write gets the same error and reports it.
      dropWordCache(file)
      after(afterFailure)
    }
  }
  const wake = (): void => {
    isPurged = false
    after(pause)
  }
  wake()
  return { wake, stop: () => clearTimeout(timer) }
}

/** Schedules the removal of unused words; within a transaction. */
export const schedulePurge = (file: SqliteFile): void => {
  file.statement('INSERT OR IGNORE INTO search_purge VALUES (1)').run()
}

const isUnused = `NOT EXISTS (${wordLetters
  .map((letter) => `SELECT 1 FROM temp.search_terms WHERE term = '${letter}' || w.word`)
  .join(' UNION ALL ')})`

/** Removes words that no entity has: from the index, from the words for mistyped queries, and from free pages. */
const purge = (file: SqliteFile): void => {
  file.transaction(() => file.statement("INSERT INTO search_index (search_index) VALUES ('optimize')").run())
  dropWordCache(file)
  file.database.exec(searchViews)
  file.transaction(() => {
    file.statement(`DELETE FROM search_words AS w WHERE ${isUnused}`).run()
    file.statement('DELETE FROM search_words_near WHERE number NOT IN (SELECT number FROM search_words)').run()
  })
  file.flush()
  file.database.exec('VACUUM')
}

/**
 * Empties the write-ahead log without waiting, since readers may be on this thread. @returns false while somebody reads
 * older pages
 */
const truncate = ({ database }: SqliteFile): boolean => {
  const timeout = Number(database.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  database.exec('PRAGMA busy_timeout = 0')
  try {
    return Number(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] ?? 0) === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}
