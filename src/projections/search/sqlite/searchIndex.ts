import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { entitiesProjection } from '../../entities/entitiesProjection.ts'
import { searchProjection } from '../searchProjection.ts'
import { canBeMeant, keysOf } from '../near.ts'
import { keyOf, popularityOf } from '../standing.ts'
import { isWord, searchTerms, sortName } from '../words.ts'
import { chunksOf } from '../../../shared/chunks.ts'
import type { SqliteFile, SqliteTables } from '../../sqlite/file.ts'
import { edgesFrom, statusNumber } from '../../entities/sqlite/rows.ts'
import { indexedBeginnings } from './match.ts'
import { hasMoving, moved, moveLater, nextToMove } from './moving.ts'

/**
 * What is searched. `search_docs` holds what hits are filtered and ordered by, under the keys of `standing.ts`. The
 * words stand in one of two indexes, for live and for deleted entities: the mass of one never slows the other.
 * `search_words` has all words that a query with typing errors may mean, and `search_near` where they are looked for;
 * what no entity holds any more stays there and finds nothing. `search_queue` holds what has not been indexed yet.
 * `search_moving` has the keys whose words have still to be moved; see `moving.ts`.
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
  uses: entitiesProjection.name,
}

/** The terms of the indexes in their order; to be made for each connection. */
export const searchViews = `
  CREATE VIRTUAL TABLE temp.search_live_terms USING fts5vocab(main, search_live, instance);
  CREATE VIRTUAL TABLE temp.search_deleted_terms USING fts5vocab(main, search_deleted, instance);
`

/** The index of the words of entities with this status. */
export const wordsTable = (status: number): 'search_live' | 'search_deleted' =>
  status === statusNumber.live ? 'search_live' : 'search_deleted'

/** Entities that are indexed at a time at most: more make it faster, and let others wait longer. */
const sliceSize = 500
/**
 * Milliseconds that a slice should take; the next one has as many bytes of words as that allows, within these bounds.
 */
const sliceTime = 20
const [smallestSlice, firstSlice, largestSlice] = [2 ** 12, 2 ** 14, 2 ** 22]
/** What an entity costs beside its words, in bytes of them. */
const entityCost = 256
/** Pages of an index that are merged at a time when nothing else is going on: a search in few pieces is faster. */
const mergeSize = 32
const mergePause = 10
/**
 * Milliseconds without a write after which a thread of its own begins to merge: while writes go on it would merge the
 * same again.
 */
const restBeforeMerging = 3000
/** Milliseconds without a write after which what was queued is indexed, unless a search comes before. */
const idle = 500
/** While writes go on without a pause, indexing waits until it is so many milliseconds, or so many changes, behind. */
const longest = 10_000
const mostQueued = 50_000
const afterFailure = 1000

type QueuedValues = [
  entity: number,
  kind: string,
  status: number,
  fqn: string,
  id: string,
  updatedAt: number,
  since: number,
  references: string,
  entityStatus: string,
  edges: string,
  name: string,
  fields: string,
  labels: string,
  description: string,
  key: number | null,
  indexedStatus: number | null,
  indexedWords: number | null,
  indexedTime: number | null,
  wordsAt: number | null,
]

const queuedColumns = `e.kind, e.status, e.fqn, e.id, e.updated_at, e.since, e.refs, e.entity_status, e.edges,
  e.words_name, e.words_fields, e.words_labels, e.words_description, d.key, d.status, d.words, d.updated_at, m.words`

/** What is known of an entity in the index, beside it. */
const known = 'LEFT JOIN search_docs AS d ON d.id = e.id LEFT JOIN search_moving AS m ON m.key = d.key'

interface Words {
  readonly key: number
  readonly status: number
  readonly terms: readonly string[]
}

/** Tells the words of an entity from those that were indexed before. */
const fingerprint = (...words: readonly string[]): number =>
  Number.parseInt(hash('sha1', words.join('\0')).slice(0, 12), 16)

/** The key, or the next that is free: only of entities that no log has made two have the same. */
const freeKey = (file: SqliteFile, wanted: number): number => {
  const taken = file.statement('SELECT 1 FROM search_docs WHERE key = ?')
  let key = wanted
  while (taken.get(key) !== undefined) key++
  return key
}

const dropWords = (file: SqliteFile, key: number, status: number): void => {
  file.statement(`DELETE FROM ${wordsTable(status)} WHERE rowid = ?`).run(key)
}

/** Words that each file is known to have: most words of an entity are those of others. */
const knownWords = new WeakMap<SqliteFile, Set<string>>()
const mostKnown = 200_000

/** To be called when what was written to the index was undone. */
export const forgetWords = (file: SqliteFile): void => void knownWords.delete(file)

const noteWords = (file: SqliteFile, terms: readonly string[]): void => {
  const known = knownWords.get(file) ?? new Set()
  knownWords.set(file, known)
  for (const term of terms) {
    if (!isWord(term) || known.has(term)) continue
    const word = term.slice(1)
    // What nobody can mean is often of one entity alone: it would crowd out the others.
    if (!canBeMeant(word)) continue
    if (known.size >= mostKnown) known.clear()
    known.add(term)
    const { changes } = file.statement('INSERT OR IGNORE INTO search_words (word) VALUES (?)').run(word)
    if (changes === 0) continue
    const add = file.statement('INSERT OR IGNORE INTO search_near (key, word) VALUES (?, ?)')
    for (const key of keysOf(word)) add.run(key, word)
  }
}

/** What may have changed of a document whose words are the same. */
interface Changed {
  readonly key: number
  readonly popularity: number
  /** Both left out where they are the same: they stand in indexes. */
  readonly updatedAt?: number
  readonly status?: number
}

const updateDocument = (file: SqliteFile, { key, ...changed }: Changed): void => {
  const columns = { popularity: changed.popularity, updated_at: changed.updatedAt, status: changed.status }
  const set = Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  file
    .statement(`UPDATE search_docs SET ${set.map(([name]) => `${name} = ?`).join(', ')} WHERE key = ?`)
    .run(...set.map(([, value]) => value), key)
}

/**
 * Brings the documents of some entities up to date.
 * @param later words that have not changed are moved later
 * @returns the words that must be inserted for them
 */
const indexDocuments = (file: SqliteFile, queued: readonly QueuedValues[], later = false): Words[] => {
  const drop = file.statement('DELETE FROM search_docs WHERE key = ?')
  const save = file.statement(
    `INSERT OR REPLACE INTO search_docs (key, id, kind, status, fqn, name, updated_at, popularity, words)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const words: Words[] = []
  for (const values of queued) {
    const [, kind, status, fqn, id, updatedAt, since, references, entityStatus, edges] = values
    const [name, fields, labels, description] = values.slice(10, 14) as [string, string, string, string]
    const [found = null, indexedStatus, indexedWords, indexedTime, wordsAt] = values.slice(14) as (number | null)[]
    const popularity = popularityOf({ references })
    const wanted = keyOf({ kind, popularity, since: BigInt(since) })
    const printAt = (key: number): number =>
      fingerprint(fqn, entityStatus, edges, name, fields, labels, description, String(key))
    const print = printAt(wanted)
    const stale = found !== null && (indexedWords !== print || indexedStatus !== status)
    if (stale) {
      const there = wordsAt ?? (indexedStatus as number)
      if (later && status !== statusNumber.gone && printAt(found) === indexedWords) {
        updateDocument(file, { key: found, popularity, updatedAt, status })
        moveLater(file, { key: found, status, words: there })
        continue
      }
      dropWords(file, found, there)
      drop.run(found)
      if (wordsAt !== null) moved(file, found)
    }
    if (status === statusNumber.gone) continue
    if (found !== null && !stale) {
      updateDocument(file, { key: found, popularity, ...(updatedAt !== indexedTime && { updatedAt }) })
      continue
    }
    const key = freeKey(file, wanted)
    const search = { name, fields, labels, description }
    const searched = { kind, entityStatus, fullyQualifiedName: fqn, edges: edgesFrom(edges), search }
    save.run(key, id, kind, status, fqn, sortName(searched), updatedAt, popularity, print)
    words.push({ key, status, terms: searchTerms(searched) })
  }
  return words
}

/** Inserts words by key: the index begins a new piece whenever a key is not higher than the one before it. */
const insertWords = (file: SqliteFile, words: readonly Words[]): void => {
  for (const { key, status, terms } of words.toSorted((a, b) => a.key - b.key)) {
    file.statement(`INSERT INTO ${wordsTable(status)} (rowid, terms) VALUES (?, ?)`).run(key, terms.join(' '))
    noteWords(file, terms)
  }
}

const indexEntities = (file: SqliteFile, queued: readonly QueuedValues[]): void =>
  insertWords(file, indexDocuments(file, queued))

/** Keeps the search index in step with the entities, a moment later and many at a time. */
export interface SearchIndexer {
  /** Remembers which entities have changed, by id; to be called within the transaction that changed them. */
  queue(ids: readonly string[]): void
  /** Indexes what is queued when nothing else is going on. To be called when the transaction is through. */
  schedule(): void
  /** Resolves when everything that was queued up to now can be found, or when it is stopped. */
  settle(): Promise<void>
  /** Sees to it that what is not indexed yet will be, by whoever opens the file next. */
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

/**
 * Indexes the next of the queue.
 * @param room bytes of words
 * @returns the last turn that was taken; `undefined` when none is left
 */
const indexSlice = (file: SqliteFile, room: number): number | undefined =>
  file.transaction(() => {
    const { last, all } = lastOfSlice(file, room)
    if (last === undefined) return undefined
    const queued = file.statement(
      `SELECT e.entity, ${queuedColumns}
      FROM (SELECT DISTINCT entity FROM search_queue WHERE turn <= ?) AS q
      CROSS JOIN entities AS e ON e.entity = q.entity ${known}`,
    )
    indexEntities(file, queued.all(last) as QueuedValues[])
    file.statement('DELETE FROM search_queue WHERE turn <= ?').run(last)
    return all ? undefined : last
  })

/** Merges some pages. @returns whether there may be more to merge */
const mergeSome = (file: SqliteFile, pages: number): boolean =>
  ['search_live', 'search_deleted'].some((table) => {
    const changes = file.statement('SELECT total_changes()')
    const before = (changes.get() as [number])[0]
    file.transaction(() => file.statement(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages))
    return (changes.get() as [number])[0] - before > 1
  })

/** Queues and indexes in this file. */
export const makeSearchIndexer = (file: SqliteFile): SearchIndexer => {
  let timer: NodeJS.Timeout | undefined
  let turn = (file.statement('SELECT max(turn) FROM search_queue').get() as [number | null])[0] ?? 0
  let waiting = turn > 0
  let indexed = turn
  let lastWrite = 0
  /** Everything up to this turn was queued by this time. */
  let mark = { turn, time: 0 }
  let merging = true
  let stopped = false
  let paused = false

  let room = firstSlice

  const undoing = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      forgetWords(file)
      throw error
    }
  }
  const slice = (): number | undefined => {
    const begun = performance.now()
    const last = undoing(() => indexSlice(file, room))
    const fitting = room * Math.min(2, sliceTime / (performance.now() - begun))
    room = Math.min(largestSlice, Math.max(smallestSlice, fitting))
    if (last === undefined) waiting = false
    indexed = last ?? turn
    merging = true
    return last
  }
  /** Writes are going on, and indexing can still wait for their end. */
  const canWait = (): boolean => {
    const now = performance.now()
    if (indexed >= mark.turn) mark = { turn, time: now }
    return now - lastWrite < idle && now - mark.time < longest && turn - indexed < mostQueued
  }
  const scheduleIn = (milliseconds: number): void => {
    if (timer !== undefined || stopped || paused || !(waiting || merging)) return
    timer = setTimeout(runInBackground, milliseconds)
    timer.unref()
  }
  const runInBackground = (): void => {
    timer = undefined
    if (canWait()) return scheduleIn(idle)
    try {
      if (waiting) slice()
      else merging = mergeSome(file, mergeSize)
      scheduleIn(waiting ? 1 : mergePause)
    } catch {
      // What it could not index stays queued; a search that needs it meets the same error and reports it.
      scheduleIn(afterFailure)
    }
  }
  scheduleIn(idle)

  return {
    queue: (ids) => {
      if (ids.length === 0) return
      turn += Number(file.statement(queueByIds).run(turn, JSON.stringify(ids)).changes)
      lastWrite = performance.now()
      waiting = true
    },
    schedule: () => scheduleIn(idle),
    settle: async () => {
      const upTo = turn
      while (waiting && !stopped) {
        const last = slice()
        if (last === undefined || last >= upTo) return
        await nextTurn()
      }
    },
    leave: async () => {},
    pause: (wanted) => {
      paused = wanted
      clearTimeout(timer)
      timer = undefined
      scheduleIn(idle)
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Indexes all entities that are in reach, letting others have their turn in between, until the signal aborts. */
export const indexAll = async (file: SqliteFile, stopping?: AbortSignal): Promise<void> => {
  const page = file.statement(
    `SELECT e.entity, ${queuedColumns} FROM entities AS e ${known}
    WHERE e.entity > ? ORDER BY e.entity LIMIT ${sliceSize}`,
  )
  for (let after = -1; stopping?.aborted !== true;) {
    const last = file.transaction(() => {
      const found = page.all(after) as QueuedValues[]
      indexEntities(file, found)
      return found.at(-1)
    })
    if (last === undefined) return
    after = last[0]
    await nextTurn()
  }
}

/** Entities that are read at a time: their words together are to take little memory. */
const readAtOnce = 100
/** Entities of a batch up to which their words are moved with it. */
const moveAtOnce = 100
/** Words that are inserted at a time, about. */
const termsAtOnce = 200_000

/**
 * Indexes entities as they are stored now, by id; within a transaction.
 * @param later words that have not changed are moved later; see `moving.ts`
 */
export const indexByIds = (file: SqliteFile, ids: readonly string[], later = ids.length > moveAtOnce): void => {
  const found = file.statement(
    `SELECT e.entity, ${queuedColumns} FROM json_each(?) AS changed CROSS JOIN entities AS e ON e.id = changed.value
    ${known}`,
  )
  let words: Words[] = []
  let count = 0
  for (const some of chunksOf(ids, readAtOnce)) {
    for (const each of indexDocuments(file, found.all(JSON.stringify(some)) as QueuedValues[], later)) {
      words.push(each)
      count += each.terms.length
    }
    if (count < termsAtOnce) continue
    insertWords(file, words)
    words = []
    count = 0
  }
  insertWords(file, words)
}

/** Entities whose words are moved at a time behind everything else. */
const movedAtOnce = 50

/** Moves some words. @returns whether there may be more to move */
const moveSome = (file: SqliteFile): boolean =>
  file.transaction(() => {
    const ids = nextToMove(file, movedAtOnce)
    indexByIds(file, ids, false)
    return ids.length > 0
  })

/** Moves words, and merges the pieces of the indexes, behind everything else. */
export interface Merging {
  /** Something was written. */
  wake(): void
  stop(): void
}

export const makeMerging = (file: SqliteFile): Merging => {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const schedule = (milliseconds: number): void => {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(step, milliseconds).unref()
  }
  const step = (): void => {
    try {
      if (moveSome(file)) schedule(mergePause)
      else if (mergeSome(file, mergeSize)) schedule(mergePause)
    } catch {
      // What is not merged or moved is only slower to read; who writes meets the same error and reports it.
      forgetWords(file)
      schedule(afterFailure)
    }
  }
  const wake = (): void => schedule(hasMoving(file) ? mergePause : restBeforeMerging)
  wake()
  return {
    wake,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

const queueAll = 'INSERT INTO search_queue (entity) SELECT entity FROM entities WHERE status < 2 ORDER BY entity'
const queueByIds = `INSERT INTO search_queue (turn, entity)
  SELECT ? + row_number() OVER (), e.entity FROM json_each(?) AS changed CROSS JOIN entities AS e ON e.id = changed.value`

const buildAll = async (file: SqliteFile): Promise<void> => {
  await indexAll(file)
  while (mergeSome(file, mergeSize * 32)) await nextTurn()
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
