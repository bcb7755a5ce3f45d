import type { SqliteFile } from '../../sqlite/file.ts'
import { makeBackground } from './background.ts'
import { indexByIds } from './indexing.ts'
import { hasMoving, nextToMove } from './moving.ts'
import { purge } from './purging.ts'

/** Pages of an index that are merged at a time. */
const mergeSize = 32
const mergePause = 10
/** Milliseconds without a write after which merging begins: while writes go on it would merge the same again. */
const restBeforeMerging = 3000
/** Entities whose words are moved at a time. */
const movedAtOnce = 50

/** Merges some pages. @returns whether there may be more to merge */
const mergeSome = (file: SqliteFile, pages: number): boolean =>
  ['search_live', 'search_deleted'].some((table) => {
    const changes = file.statement('SELECT total_changes()')
    const before = (changes.get() as [number])[0]
    file.transaction(() => file.statement(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages))
    return (changes.get() as [number])[0] - before > 1
  })

/** Merges all pieces of the indexes into few; each step gives others their turn. */
function* mergeAll(file: SqliteFile): Generator<void> {
  while (mergeSome(file, mergeSize * 32)) yield
}

const moveSome = (file: SqliteFile): boolean =>
  file.transaction(() => {
    const ids = nextToMove(file, movedAtOnce)
    indexByIds(file, ids, false)
    return ids.length > 0
  })

/** Moves all words that wait for it. */
export const moveAll = (file: SqliteFile): void => {
  while (moveSome(file));
}

/** Moves words, and merges the pieces of the indexes, behind everything else: a search in few pieces is faster. */
export interface Merging {
  wake(): void
  stop(): void
}

export const makeMerging = (file: SqliteFile): Merging => {
  let purging: Iterator<void> | undefined
  /** @returns whether there may be more to purge */
  const purgeSome = (): boolean => {
    purging ??= purge(file, () => mergeAll(file))
    const isDone = purging.next().done === true
    if (isDone) purging = undefined
    return !isDone
  }
  const step = (): number | undefined =>
    moveSome(file) || mergeSome(file, mergeSize) || purgeSome() ? mergePause : undefined
  const background = makeBackground(file, () => {
    try {
      return step()
    } catch (error) {
      purging = undefined
      throw error
    }
  })
  const wake = (): void => background.after(hasMoving(file) ? mergePause : restBeforeMerging)
  wake()
  return {
    wake,
    stop: background.stop,
  }
}
