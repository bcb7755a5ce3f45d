import type { SqliteFile } from '../../sqlite/file.ts'
import { forgetWords } from './indexing.ts'
import { wordLetters } from '../words.ts'
import { searchViews } from './indexFile.ts'

/** Index pages merged in one step. */
const mergeSize = 1024
/** Milliseconds between two steps, and after a failed one. */
const pause = 10
const afterFailure = 1000

/** Merges all segments of the index in steps. */
function* mergeAll(file: SqliteFile): Generator<void> {
  const changes = file.statement('SELECT total_changes()')
  const merge = (pages: number): number => {
    const [before] = changes.get() as [number]
    file.transaction(() =>
      file.statement("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)").run(pages),
    )
    return (changes.get() as [number])[0] - before
  }
  // A negative number begins to merge all of them.
  merge(-mergeSize)
  while (merge(mergeSize) > 1) yield
}

/** Removes words that no entity has any more from the file, in the background, if that is wanted. */
export const makeCleanup = (file: SqliteFile) => {
  let steps: Iterator<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const after = (milliseconds: number): void => {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(step, milliseconds).unref()
  }
  const step = (): void => {
    try {
      steps ??= purge(file)
      if (steps.next().done === true) steps = undefined
      else after(pause)
    } catch {
      // The rest stays to be done; a search or write that needs it reports the same error.
      steps = undefined
      forgetWords(file)
      after(afterFailure)
    }
  }
  const wake = (): void => after(pause)
  wake()
  return {
    wake,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Schedules the removal of unused words; within a transaction. */
export const purgeLater = (file: SqliteFile): void => {
  file.statement('INSERT OR IGNORE INTO search_purge VALUES (1)').run()
}

/** Words looked up at a time. */
const atOnce = 500

const isUnused = `NOT EXISTS (SELECT 1 FROM (${wordLetters
  .map((letter) => `SELECT 1 FROM temp.search_terms WHERE term = '${letter}' || w.word`)
  .join(' UNION ALL ')}))`

/** Drops unused words in steps. */
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

/** Removes unused words from the file, if scheduled. */
function* purge(file: SqliteFile): Generator<void> {
  if (file.statement('SELECT 1 FROM search_purge').get() === undefined) return
  yield* mergeAll(file)
  forgetWords(file)
  yield* dropUnused(file)
  file.flush()
  file.database.exec('VACUUM')
  while (!truncate(file)) yield
  file.transaction(() => file.statement('DELETE FROM search_purge').run())
}
