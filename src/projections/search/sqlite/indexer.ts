import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqliteFile } from '../../sqlite/file.ts'
import { makeBackground } from './background.ts'
import { forgetWords, indexAll, indexQueued } from './indexing.ts'
import { makeMerging, mergeAll } from './merging.ts'

/** Entities that are indexed at a time at most: more make it faster, and let others wait longer. */
const sliceSize = 500
/** Milliseconds that a slice should take; the next one has as many bytes of words as that allows. */
const sliceTime = 20
const [smallestSlice, firstSlice, largestSlice] = [2 ** 12, 2 ** 14, 2 ** 22]
/** What an entity costs beside its words, in bytes of them. */
const entityCost = 256
/** Milliseconds without a write after which what was queued is indexed, unless a search comes before. */
const idle = 500
/** While writes go on without a pause, indexing waits until it is so many milliseconds, or so many changes, behind. */
const longest = 10_000
const mostQueued = 50_000

/** Keeps the search index in step with the entities, a moment later and many at a time. */
export interface SearchIndexer {
  /** Remembers which entities have changed, by id; to be called within the transaction that changed them. */
  queue(ids: readonly string[]): void
  /** Indexes what is queued when nothing else is going on. To be called when the transaction is through. */
  schedule(): void
  /** Resolves when everything that was queued up to now can be found, or when it is stopped. */
  settle(): Promise<void>
  /** Visibility to it that what is not indexed yet will be, by whoever opens the file next. */
  leave(): Promise<void>
  /** Leaves indexing to searches, while another file is filled that will take the place of this one; or ends that. */
  pause(paused: boolean): void
  stop(): void
}

/** The last turn of the queue that so many bytes of words allow, the first one in any case. */
const lastOfSlice = (file: SqliteFile, room: number): { last: number | undefined; all: boolean } => {
  const next = file.statement(
    `SELECT q.turn, ${entityCost} + coalesce(octet_length(e.words_name) + octet_length(e.words_fields)
        + octet_length(e.words_labels) + octet_length(e.words_description), 0)
    FROM search_queue AS q LEFT JOIN entities AS e ON e.entity = q.entity ORDER BY q.turn LIMIT ${sliceSize}`,
  )
  let last: number | undefined
  let count = 0
  let used = 0
  for (const [turn, bytes] of next.iterate() as Iterable<[number, number]>) {
    if (last !== undefined && used + bytes > room) return { last, all: false }
    last = turn
    used += bytes
    count += 1
  }
  return { last, all: count < sliceSize }
}

/** Indexes so many bytes of words. @returns the last turn that was taken; `undefined` when none is left */
const indexSlice = (file: SqliteFile, room: number): number | undefined =>
  file.transaction(() => {
    const { last, all } = lastOfSlice(file, room)
    if (last === undefined) return undefined
    indexQueued(file, last)
    file.statement('DELETE FROM search_queue WHERE turn <= ?').run(last)
    return all ? undefined : last
  })

const queueAll = 'INSERT INTO search_queue (entity) SELECT entity FROM entities WHERE status < 2 ORDER BY entity'
const queueByIds = `INSERT INTO search_queue (turn, entity)
  SELECT ? + row_number() OVER (), e.entity FROM json_each(?) AS changed CROSS JOIN entities AS e ON e.id = changed.value`

/** The turns in which entities wait in a file, and how far they have been indexed. */
const makeQueue = (file: SqliteFile) => {
  let turn = (file.statement('SELECT max(turn) FROM search_queue').get() as [number | null])[0] ?? 0
  let waiting = turn > 0
  let indexed = turn
  let lastWrite = 0
  /** Everything up to this turn was queued by this time. */
  let mark = { turn, time: 0 }
  let room = firstSlice

  return {
    last: () => turn,
    isWaiting: () => waiting,
    add: (ids: readonly string[]): void => {
      turn += Number(file.statement(queueByIds).run(turn, JSON.stringify(ids)).changes)
      lastWrite = performance.now()
      waiting = true
    },
    /** Writes are going on, and indexing can still wait for their end. */
    canWait: (): boolean => {
      const now = performance.now()
      if (indexed >= mark.turn) mark = { turn, time: now }
      return now - lastWrite < idle && now - mark.time < longest && turn - indexed < mostQueued
    },
    /** Indexes the next. @returns the last turn that was taken; `undefined` when none is left */
    slice: (): number | undefined => {
      const begun = performance.now()
      const last = indexSlice(file, room)
      const fitting = room * Math.min(2, sliceTime / (performance.now() - begun))
      room = Math.min(largestSlice, Math.max(smallestSlice, fitting))
      if (last === undefined) waiting = false
      indexed = last ?? turn
      return last
    },
  }
}

export const makeSearchIndexer = (file: SqliteFile): SearchIndexer => {
  const queue = makeQueue(file)
  const merging = makeMerging(file)
  let isStopped = false
  const slice = (): number | undefined => {
    try {
      const last = queue.slice()
      merging.wake()
      return last
    } catch (error) {
      forgetWords(file)
      throw error
    }
  }
  const background = makeBackground(file, () => {
    if (!queue.isWaiting()) return undefined
    if (queue.canWait()) return idle
    return slice() === undefined ? undefined : 1
  })
  background.after(idle)

  return {
    queue: (ids) => {
      if (ids.length > 0) queue.add(ids)
    },
    schedule: () => {
      background.within(idle)
      merging.wake()
    },
    settle: async () => {
      const upTo = queue.last()
      while (queue.isWaiting() && !isStopped) {
        const last = slice()
        if (last === undefined || last >= upTo) return
        await nextTurn()
      }
    },
    leave: async () => {},
    pause: (paused) => {
      background.pause(paused)
      background.within(idle)
      merging.pause(paused)
    },
    stop: () => {
      isStopped = true
      background.stop()
      merging.stop()
    },
  }
}

const buildAll = async (file: SqliteFile): Promise<void> => {
  await indexAll(file)
  for (const _ of mergeAll(file)) await nextTurn()
}

/** Indexes a file that is filled first: all at once when the first search comes, then what changes. */
export const makeBulkIndexer = (file: SqliteFile): SearchIndexer => {
  const later = makeSearchIndexer(file)
  let building: Promise<void> | undefined
  return {
    queue: (ids) => {
      if (building !== undefined) later.queue(ids)
    },
    schedule: () => {},
    settle: async () => {
      building ??= buildAll(file)
      await building
      await later.settle()
    },
    leave: async () => {
      if (building === undefined) file.transaction(() => file.statement(queueAll).run())
      else await later.settle()
    },
    pause: later.pause,
    stop: later.stop,
  }
}

/** For a file that cannot be written: what is queued there stays queued. */
export const noIndexer: SearchIndexer = {
  queue: () => {},
  schedule: () => {},
  settle: async () => {},
  leave: async () => {},
  pause: () => {},
  stop: () => {},
}
