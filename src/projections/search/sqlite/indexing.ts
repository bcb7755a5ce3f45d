import { statusNumber } from '../../entities/row.ts'
import { hash } from 'node:crypto'
import { chunksOf } from '../../../shared/bounds.ts'
import { edgeIn } from '../../entities/entityDocuments.ts'
import { fqnIn } from '../../entities/place.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { canBeMeant, keysOf } from '../near.ts'
import { keyOf, popularityOf, rankIn, type SearchRank } from '../searchRank.ts'
import { searchTextOf } from '../searchText.ts'
import { isWord, searchTerms, sortName } from '../words.ts'

type QueuedValues = [
  kind: string,
  status: number,
  place: string,
  id: string,
  updatedAt: number,
  since: string,
  references: string,
  entityStatus: string,
  edges: string,
  shownAlways: string,
  shownOnRequest: string,
  key: number | null,
  indexedStatus: number | null,
  indexedWords: number | null,
  indexedTime: number | null,
]

const queuedColumns = `e.kind, e.status, e.place, e.id, e."updatedAt", CAST(e.since AS TEXT), e."references",
  e."entityStatus", e.edges, e."shownAlways", e."shownOnRequest", d.key, d.status, d.words, d.updated_at`

/** The stored entry of an entity in the index. */
const known = 'LEFT JOIN search_docs AS d ON d.id = e.id'

interface Words {
  readonly key: number
  readonly terms: readonly string[]
}

/** Fingerprint of an entity's words. */
const fingerprint = (...words: readonly string[]): number =>
  Number.parseInt(hash('sha1', JSON.stringify(words)).slice(0, 12), 16)

/** The key of an entity. Changes keep it while its rank is the same, since hits are read by order of arrival. */
const keyFor = (file: SqliteFile, ranked: SearchRank, found: number | null): number => {
  let key = keyOf(ranked)
  if (found !== null && rankIn(found) === rankIn(key)) return found
  const taken = file.statement('SELECT 1 FROM search_docs WHERE key = ?')
  while (taken.get(key) !== undefined) key++
  return key
}

const markDeleted = (file: SqliteFile, key: number, isDeleted: boolean): void =>
  void file
    .statement(`${isDeleted ? 'INSERT INTO search_deleted VALUES (?)' : 'DELETE FROM search_deleted WHERE key = ?'}`)
    .run(key)

/** Removes a document with its words. */
const dropDocument = (file: SqliteFile, key: number): void => {
  file.statement('DELETE FROM search_docs WHERE key = ?').run(key)
  markDeleted(file, key, false)
  file.statement('DELETE FROM search_index WHERE rowid = ?').run(key)
}

/** Cached known words by file, since entities share most words. */
const knownWords = new WeakMap<SqliteFile, Set<string>>()
const mostKnown = 200_000

/** Call this after a rollback. */
export const forgetWords = (file: SqliteFile): void => void knownWords.delete(file)

const noteWords = (file: SqliteFile, terms: readonly string[]): void => {
  const known = knownWords.get(file) ?? new Set()
  knownWords.set(file, known)
  for (const term of terms) {
    if (!isWord(term) || known.has(term)) continue
    const word = term.slice(1)
    // Words that cannot be meant, such as codes, are often unique and would fill the cache.
    if (!canBeMeant(word)) continue
    if (known.size >= mostKnown) known.clear()
    known.add(term)
    const { changes } = file.statement('INSERT OR IGNORE INTO search_words (word) VALUES (?)').run(word)
    if (changes === 0) continue
    const add = file.statement('INSERT OR IGNORE INTO search_near (key, word) VALUES (?, ?)')
    for (const key of keysOf(word)) add.run(key, word)
  }
}

interface Changed {
  readonly key: number
  readonly popularity: number
  /** Both absent if unchanged, since they are indexed. */
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

/** Updates documents. A deletion or restore leaves words unchanged. @returns the words to insert */
const indexDocuments = (file: SqliteFile, queued: readonly QueuedValues[]): Words[] => {
  // OR REPLACE would make SQLite copy each changed page to a statement journal.
  const save = file.statement(
    `INSERT INTO search_docs (key, id, kind, status, fqn, name, updated_at, popularity, words, terms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const words: Words[] = []
  for (const values of queued) {
    const [kind, status, place, id, updatedAt, since, references, entityStatus, edges, shownAlways, ...more] = values
    const [shownOnRequest, found = null, indexedStatus, indexedWords, indexedTime] = more
    const fqn = fqnIn(place, id)
    const row = { kind, fullyQualifiedName: fqn, shownAlways, shownOnRequest, references }
    const text = searchTextOf(row)
    const popularity = popularityOf(row)
    const key = keyFor(file, { kind, popularity, since: BigInt(since) }, found)
    const print = fingerprint(fqn, entityStatus, edges, JSON.stringify(text))
    const isGone = status === statusNumber.gone
    if (found === key && !isGone && print === indexedWords) {
      const changed = { ...(updatedAt !== indexedTime && { updatedAt }), ...(status !== indexedStatus && { status }) }
      updateDocument(file, { key: found, popularity, ...changed })
      if (status !== indexedStatus) markDeleted(file, found, status === statusNumber.deleted)
      continue
    }
    if (found !== null) dropDocument(file, found)
    if (isGone) continue
    const terms = searchTerms({ ...row, entityStatus, edges: (JSON.parse(edges) as string[]).map(edgeIn) }, text)
    save.run(key, id, kind, status, fqn, sortName(row, text), updatedAt, popularity, print, terms.join(' '))
    if (status === statusNumber.deleted) markDeleted(file, key, true)
    words.push({ key, terms })
  }
  return words
}

/** Inserts words in key order: a lower key would start a new segment. */
const insertWords = (file: SqliteFile, words: readonly Words[]): void => {
  const insert = file.statement('INSERT INTO search_index (rowid, terms) VALUES (?, ?)')
  for (const { key, terms } of words.toSorted((a, b) => a.key - b.key)) {
    insert.run(key, terms.join(' '))
    noteWords(file, terms)
  }
}

/** Number of entities read at a time, to bound memory. */
const readAtOnce = 100
/** Approximate number of words inserted at a time. */
const termsAtOnce = 200_000

/** Indexes entities as stored, within a transaction. */
export const indexByIds = (file: SqliteFile, ids: readonly string[]): void => {
  const found = file.statement(
    `SELECT ${queuedColumns} FROM json_each(?) AS changed CROSS JOIN entities AS e ON e.id = changed.value
    ${known}`,
  )
  let words: Words[] = []
  let count = 0
  for (const some of chunksOf(ids, readAtOnce)) {
    for (const each of indexDocuments(file, found.all(JSON.stringify(some)) as QueuedValues[])) {
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
