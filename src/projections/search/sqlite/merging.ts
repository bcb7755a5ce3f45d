import type { SqliteFile } from '../../sqlite/file.ts'
import { forgetWords } from './indexing.ts'
import { wordLetters } from '../words.ts'
import { searchViews } from './tables.ts'

/** Index pages merged in one step. */
const mergeSize = 32
/** Milliseconds between two steps, and after a failed one. */
const mergePause = 10
const afterFailure = 1000
/** Idle milliseconds before merging: during writes it would merge the same segments again. */
const restBeforeMerging = 3000
/** Documents whose words are dropped in one step. */
const droppedAtOnce = 100
/** Beyond this number they are dropped during writes too, since they slow searches. */
const mostDropped = 10_000

/** Merges some pages. @returns whether there may be more */
const mergeSome = (file: SqliteFile, pages: number): boolean => {
  const changes = file.statement('SELECT total_changes()')
  const before = (changes.get() as [number])[0]
  file.transaction(() => file.statement("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)").run(pages))
  return (changes.get() as [number])[0] - before > 1
}

/** Merges all segments of the index in steps. */
function* mergeAll(file: SqliteFile): Generator<void> {
  while (mergeSome(file, mergeSize * 32)) yield
}

const dropSome = (file: SqliteFile): boolean =>
  file.transaction(() => {
    const keys = file
      .statement('SELECT key FROM search_dropped WHERE key >= 0 ORDER BY key LIMIT ?')
      .all(droppedAtOnce) as [number][]
    for (const [key] of keys) {
      file.statement('DELETE FROM search_index WHERE rowid = ?').run(key)
      file.statement('DELETE FROM search_dropped WHERE key = ?').run(key)
    }
    return keys.length > 0
  })

const hasManyDropped = (file: SqliteFile): boolean =>
  file.statement('SELECT 1 FROM search_dropped LIMIT 1 OFFSET ?').get(mostDropped) !== undefined

/** Background maintenance: drops words and merges segments, since searches in few segments are faster. */
export interface Merging {
  wake(): void
  stop(): void
}

export const makeMerging = (file: SqliteFile): Merging => {
  let purging: Iterator<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  /** @returns whether there may be more */
  const purgeSome = (): boolean => {
    purging ??= purge(file, () => mergeAll(file))
    const isDone = purging.next().done === true
    if (isDone) purging = undefined
    return !isDone
  }
  const after = (milliseconds: number): void => {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(step, milliseconds).unref()
  }
  const step = (): void => {
    try {
      if (dropSome(file) || mergeSome(file, mergeSize) || purgeSome()) after(mergePause)
    } catch {
      // The rest stays to be done; a search or write that needs it reports the same error.
      purging = undefined
      forgetWords(file)
      after(afterFailure)
    }
  }
  const wake = (): void => after(hasManyDropped(file) ? mergePause : restBeforeMerging)
  wake()
  return {
    wake,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Marker among the noted drops. */
const mark = -1

/** Words looked up at a time. */
const atOnce = 500

/** Schedules the removal of unused words; within a transaction. */
export const purgeLater = (file: SqliteFile): void => {
  file.statement('INSERT OR REPLACE INTO search_dropped (key) VALUES (?)').run(mark)
}

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

/** Removes unused words from the file, if scheduled. @param mergeAll merges all segments from the beginning */
function* purge(file: SqliteFile, mergeAll: () => Generator<void>): Generator<void> {
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
