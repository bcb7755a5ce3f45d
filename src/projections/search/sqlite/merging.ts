import type { SqliteFile } from '../../sqlite/file.ts'
import { forgetWords } from './indexing.ts'
import { purge } from './purging.ts'

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
