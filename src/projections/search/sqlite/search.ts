import type { EntityRow, ReferenceRow } from '../../entities/row.ts'
import type { Search, SearchHits, SearchQuery } from '../port.ts'
import { asksForText, maxHits, scoreOf, scores, type Score } from '../rank.ts'
import type { SearchExpression } from '../language/query.ts'
import { nameKey, searchTerms } from '../words.ts'
import { completed, type SqliteFile } from '../../sqlite/file.ts'
import { asksForBeginning, exactMatch, matchFor, ofKinds, termsIn } from './match.ts'
import { referenceColumns, rowColumns, statusNumber, toEntityRow, toReferenceRow } from '../../entities/sqlite/rows.ts'
import { wordsTable, type SearchIndexer } from './searchIndex.ts'

/** The kinds of what is stored with this status, as far as they are wanted, with their numbers. */
const kindsAmong = (
  file: SqliteFile,
  status: number,
  wanted: readonly string[],
): { kinds: [string, number][]; all: boolean } => {
  const stored = file
    .statement(`SELECT kind, sum(n) FROM counters WHERE scope = '' AND +status = ? GROUP BY kind`)
    .all(status) as unknown as [string, number][]
  const set = new Set(wanted)
  const kinds = stored.filter(([kind]) => set.has(kind))
  return { kinds, all: kinds.length === stored.length }
}

const rowsOf = (file: SqliteFile, entities: readonly unknown[]): EntityRow[] => {
  const one = file.wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.entity = ?`)
  return (entities as [number][]).map(([entity]) => toEntityRow(one.get(entity)))
}

/** Indexes that give everything of one kind and status in an order. */
const orders = {
  fullyQualifiedName: { table: 'entities INDEXED BY entities_in_order', columns: ['fqn', 'id'] },
  name: { table: 'search_docs INDEXED BY search_docs_by_name', columns: ['name', 'fqn', 'id'] },
  updatedAt: { table: 'search_docs INDEXED BY search_docs_by_time', columns: ['updated_at', 'fqn', 'id'] },
}

const orderOf = ({ sort, descending }: SearchQuery) => {
  const order = orders[sort === 'relevance' ? 'fullyQualifiedName' : sort]
  const direction = descending && sort !== 'relevance' ? ' DESC' : ''
  return { ...order, by: (alias = '') => order.columns.map((column) => alias + column + direction).join(', ') }
}

/** Everything of these kinds: a merge of their indexes that stops after the page. */
const readAll = (
  file: SqliteFile,
  query: SearchQuery,
  status: number,
  kinds: readonly [string, number][],
): SearchHits => {
  const { table, columns, by } = orderOf(query)
  const each = kinds.map(
    () => `SELECT entity, ${columns.join(', ')} FROM ${table} WHERE kind = ? AND status = ${status}`,
  )
  const found = file
    .statement(`SELECT entity FROM (${each.join(' UNION ALL ')} ORDER BY ${by()} LIMIT ? OFFSET ?)`)
    .all(...kinds.map(([kind]) => kind), query.size, query.from)
  return {
    total: kinds.reduce((sum, [, count]) => sum + count, 0),
    atLeast: false,
    hits: rowsOf(file, found).map((row) => ({ row, score: 1 })),
  }
}

/** So few hits are asked for their kinds one by one: quicker than to go along all that is of a kind. */
const fewHits = 500

/** Keys of the first hits of a match, up to {@link maxHits}, and one more when there are more. */
type Matching = (match: string) => readonly number[]

const matchingOf = (file: SqliteFile, status: number): ((match: string, limit?: number) => readonly number[]) => {
  const table = wordsTable(status)
  const first = file.statement(
    `SELECT json_group_array(rowid) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid LIMIT ?)`,
  )
  return (match, limit = maxHits + 1) => JSON.parse((first.get(match, limit) as unknown as [string])[0]) as number[]
}

/** The same of these kinds alone. @param once without a look at how few they are, which is no gain where all must be read */
const matchingOfKinds = (
  file: SqliteFile,
  matching: ReturnType<typeof matchingOf>,
  kinds: readonly string[],
  once: boolean,
): Matching => {
  const among = file.statement(
    `SELECT json_group_array(d.key) FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value
    WHERE d.kind IN (${kinds.map(() => '?').join(', ')})`,
  )
  return (match) => {
    const few = once ? undefined : matching(match, fewHits + 1)
    if (few === undefined || few.length > fewHits) return matching(ofKinds(match, kinds))
    return JSON.parse((among.get(JSON.stringify(few), ...kinds) as unknown as [string])[0]) as number[]
  }
}

/** The hits of a query, each score's with those of the higher ones. */
interface Found {
  /** All that count. */
  readonly keys: readonly number[]
  readonly atLeast: boolean
  readonly ofScore: (score: Score) => readonly number[]
}

const find = (
  file: SqliteFile,
  expression: SearchExpression,
  status: number,
  kinds: readonly string[] | undefined,
  byScore: boolean,
): Found => {
  const matchingAll = matchingOf(file, status)
  const beginning = asksForBeginning(expression)
  const matching: Matching = kinds === undefined ? matchingAll : matchingOfKinds(file, matchingAll, kinds, beginning)
  const termsBeginning = termsIn(file, wordsTable(status))
  const known = new Map<Score, readonly number[]>()
  const upTo = (score: Score): readonly number[] => {
    const found = known.get(score)
    if (found !== undefined) return found
    const match = matchFor(expression, score, termsBeginning)
    const keys = match === undefined ? [] : matching(match)
    known.set(score, keys)
    return keys
  }
  const isFull = (score: Score): boolean => upTo(score).length > maxHits
  // Lists of beginnings are read to their end: when the names alone are enough, nothing else is looked at.
  const atLeast = (byScore && beginning && isFull(3)) || isFull(1)
  const keys = upTo(atLeast && byScore && isFull(3) ? 3 : 1).slice(0, maxHits)
  const ofScore = (score: Score): readonly number[] => {
    if (score === 1) return keys
    const exact = score === 4 && !atLeast ? exactMatch(expression) : undefined
    const called = exact === undefined ? [] : matchingAll(exact)
    if (exact === undefined || called.length > maxHits) return upTo(score).slice(0, maxHits)
    const among = new Set(keys)
    return called.filter((key) => among.has(key))
  }
  return { keys, atLeast, ofScore }
}

/** See `Search.search`; everything must be indexed. */
export const readSearch = (file: SqliteFile, query: SearchQuery): SearchHits => {
  const status = query.deleted ? statusNumber.deleted : statusNumber.live
  const { kinds, all } = kindsAmong(file, status, query.kinds)
  const { expression } = query
  if (kinds.length === 0) return { total: 0, atLeast: false, hits: [] }
  if (expression === undefined) return readAll(file, query, status, kinds)
  const scored = query.sort === 'relevance' && asksForText(expression)
  const found = find(file, expression, status, all ? undefined : kinds.map(([kind]) => kind), scored)
  const total = { total: found.keys.length, atLeast: found.atLeast }
  if (scored) return { ...total, hits: readByScore(file, query, found) }
  const scoreFor = (row: EntityRow) => (query.sort === 'relevance' ? 1 : scoreOf(expression, searchTerms(row)))
  const rows = readOrdered(file, query, found.keys, query.size, query.from)
  return { ...total, hits: rows.map((row) => ({ row, score: scoreFor(row) })) }
}

const readOrdered = (
  file: SqliteFile,
  query: SearchQuery,
  keys: readonly number[],
  limit: number,
  offset: number,
): EntityRow[] => {
  if (limit === 0 || keys.length <= offset) return []
  const found = file
    .statement(
      `SELECT d.entity FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value
      ORDER BY ${orderOf(query).by('d.')} LIMIT ? OFFSET ?`,
    )
    .all(JSON.stringify(keys), limit, offset)
  return rowsOf(file, found)
}

/** The page that begins at `from` when the hits of one score come after those of the higher ones. */
const readByScore = (file: SqliteFile, query: SearchQuery, { keys, atLeast, ofScore }: Found): SearchHits['hits'] => {
  const hits: { row: EntityRow; score: number }[] = []
  const seen = new Set<number>()
  let skip = query.from
  for (const score of scores) {
    const left = query.size - hits.length
    if (left <= 0 || (!atLeast && seen.size === keys.length)) break
    const fresh = ofScore(score).filter((key) => !seen.has(key))
    for (const row of readOrdered(file, query, fresh, left, skip)) hits.push({ row, score })
    if (hits.length === query.size) break
    for (const key of fresh) seen.add(key)
    skip = Math.max(0, skip - fresh.length)
  }
  return hits
}

/** See `Search.suggest`; everything must be indexed. */
export const readSuggestions = (
  file: SqliteFile,
  prefix: string,
  wanted: readonly string[],
  limit: number,
): ReferenceRow[] => {
  const from = nameKey(prefix) || prefix.toLowerCase()
  const { kinds } = kindsAmong(file, statusNumber.live, wanted)
  if (from === '' || kinds.length === 0) return []
  const each = kinds.map(
    () => `SELECT entity, name, fqn, id FROM search_docs INDEXED BY search_docs_by_name
      WHERE kind = ? AND status = 0 AND name >= ? AND name < ?`,
  )
  const found = file
    .statement(`SELECT entity FROM (${each.join(' UNION ALL ')} ORDER BY name, fqn, id LIMIT ?)`)
    .all(...kinds.flatMap(([kind]) => [kind, from, `${from}\u{10ffff}`]), limit) as unknown as [number][]
  const one = file.statement(`SELECT ${referenceColumns} FROM entities AS e WHERE e.entity = ?`)
  return found.map(([entity]) => toReferenceRow(one.get(entity)))
}

/** A file with what keeps its search index in step. */
interface IndexedFile {
  readonly file: SqliteFile
  readonly indexer: SearchIndexer
}

/** The current file when everything in it can be found; another one may have taken its place meanwhile. */
const indexed = async (current: () => IndexedFile): Promise<SqliteFile> => {
  for (;;) {
    const opened = current()
    await opened.indexer.settle()
    if (opened === current()) return completed(opened.file)
  }
}

/** Searches whatever file is current. */
export const searchReads = (current: () => IndexedFile): Search => ({
  search: async (query) => readSearch(await indexed(current), query),
  suggest: async (prefix, kinds, limit) => readSuggestions(await indexed(current), prefix, kinds, limit),
})
