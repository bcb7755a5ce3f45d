import type { SqliteFile } from '../../sqlite/file.ts'
import { forgetWords } from './indexing.ts'
import { wordLetters } from '../words.ts'
import { searchViews } from './tables.ts'

/** Pages of an index that are merged at a time. */
const mergeSize = 32
/** Milliseconds between two steps; and after one that failed. */
const mergePause = 10
const afterFailure = 1000
/** Milliseconds without a write after which merging begins: while writes go on it would merge the same again. */
const restBeforeMerging = 3000
/** Documents whose words are dropped at a time. */
const droppedAtOnce = 100
/** More of them are dropped also while writes go on: hits are looked through for them. */
const mostDropped = 10_000

/** Merges some pages. @returns whether there may be more to merge */
const mergeSome = (file: SqliteFile, pages: number): boolean => {
  const changes = file.statement('SELECT total_changes()')
  const before = (changes.get() as [number])[0]
  file.transaction(() => file.statement("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)").run(pages))
  return (changes.get() as [number])[0] - before > 1
}

/** Merges all pieces of the index into few; each step gives others their turn. */
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

/** Drops words, and merges the pieces of the index, behind everything else: a search in few pieces is faster. */
export interface Merging {
  wake(): void
  stop(): void
}

export const makeMerging = (file: SqliteFile): Merging => {
  let purging: Iterator<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  /** @returns whether there may be more to purge */
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
      // What was not done stays to be done; a search or a write that needs it meets the same error and reports it.
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
