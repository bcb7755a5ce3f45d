import type { EntityRow, ReferenceRow, SearchHits, SearchQuery } from './readModels.ts'
import type { SearchExpression, SearchPart } from './searchQuery.ts'
import { asksForText, exactTerm, maxHits, partsOf, scoreOf, scores, sequencesOf, type Score } from './searchRank.ts'
import { entityStatusTerm, gap, kindTerm, nameKey, searchParts, searchTerms } from './searchText.ts'
import type { SqliteFile } from './sqliteFile.ts'
import { referenceColumns, rowColumns, statusNumber, toEntityRow, toReferenceRow } from './sqliteRows.ts'
import { wordsTable } from './sqliteSearchIndex.ts'

const quoted = (terms: readonly string[]): string => `"${terms.join(' ').replaceAll('"', '""')}"`

/** Every entity has this term. */
const everything = quoted([gap])

const anyOf = (matches: readonly string[]): string | undefined => {
  if (matches.length < 2) return matches[0]
  return `(${matches.join(' OR ')})`
}

/** The expression in the language of the index; `undefined` matches nothing. */
const toMatch = (expression: SearchExpression, parts: readonly SearchPart[]): string | undefined => {
  switch (expression.type) {
    case 'all':
      return everything
    case 'text':
      return anyOf(sequencesOf(expression, parts).map(({ terms, prefix }) => quoted(terms) + (prefix ? ' *' : '')))
    case 'kind':
      return quoted([kindTerm(expression.value)])
    case 'entityStatus':
      return quoted([entityStatusTerm(expression.value)])
    case 'or':
      return anyOf(expression.of.map((part) => toMatch(part, parts)).filter((match) => match !== undefined))
    case 'not':
      return allOf([expression], parts)
    case 'and':
      return allOf(expression.of, parts)
  }
}

const allOf = (expressions: readonly SearchExpression[], parts: readonly SearchPart[]): string | undefined => {
  const wanted: string[] = []
  const unwanted: string[] = []
  for (const expression of expressions) {
    const match = expression.type === 'not' ? toMatch(expression.of, searchParts) : toMatch(expression, parts)
    if (expression.type === 'not') unwanted.push(...(match === undefined ? [] : [match]))
    else if (match === undefined) return undefined
    else wanted.push(match)
  }
  const positive = wanted.length === 0 ? everything : wanted.length === 1 ? (wanted[0] as string) : `(${wanted.join(' AND ')})`
  const negative = anyOf(unwanted)
  return negative === undefined ? positive : `(${positive} NOT ${negative})`
}

const matchFor = (expression: SearchExpression, score: Score): string | undefined => {
  if (score === 1) return toMatch(expression, searchParts)
  if (score < 4) return toMatch(expression, partsOf(score))
  const exact = exactTerm(expression)
  const match = exact && toMatch(expression, searchParts)
  return match && `(${quoted([exact])} AND ${match})`
}

/** The kinds of what is stored with this status, as far as they are wanted, with their numbers. */
const kindsAmong = (file: SqliteFile, status: number, wanted: readonly string[]): { kinds: [string, number][]; all: boolean } => {
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
const readAll = (file: SqliteFile, query: SearchQuery, status: number, kinds: readonly [string, number][]): SearchHits => {
  const { table, columns, by } = orderOf(query)
  const each = kinds.map(() => `SELECT entity, ${columns.join(', ')} FROM ${table} WHERE kind = ? AND status = ${status}`)
  const found = file
    .statement(`SELECT entity FROM (${each.join(' UNION ALL ')} ORDER BY ${by()} LIMIT ? OFFSET ?)`)
    .all(...kinds.map(([kind]) => kind), query.size, query.from)
  return {
    total: kinds.reduce((sum, [, count]) => sum + count, 0),
    atLeast: false,
    hits: rowsOf(file, found).map((row) => ({ row, score: 1 })),
  }
}

/** See `ReadModels.search`; everything must be indexed. */
export const readSearch = (file: SqliteFile, query: SearchQuery): SearchHits => {
  const status = query.deleted ? statusNumber.deleted : statusNumber.live
  const { kinds, all } = kindsAmong(file, status, query.kinds)
  const { expression } = query
  if (kinds.length === 0) return { total: 0, atLeast: false, hits: [] }
  if (expression === undefined) return readAll(file, query, status, kinds)
  const ofKinds = all ? undefined : anyOf(kinds.map(([kind]) => quoted([kindTerm(kind)])))
  const keysFor = (score: Score, limit: number): number[] => {
    const match = matchFor(expression, score)
    if (match === undefined) return []
    const table = wordsTable(status)
    const found = file
      .statement(`SELECT json_group_array(rowid) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid LIMIT ?)`)
      .get(ofKinds === undefined ? match : `(${match} AND ${ofKinds})`, limit) as unknown as [string]
    return JSON.parse(found[0]) as number[]
  }
  const scored = asksForText(expression)
  const best = query.sort === 'relevance' && scored ? keysFor(3, maxHits + 1) : []
  const keys = best.length > maxHits ? best : keysFor(1, maxHits + 1)
  const atLeast = keys.length > maxHits
  if (atLeast) keys.pop()
  if (query.sort === 'relevance') {
    const keysOf = (score: Score): readonly number[] => (score === 1 ? keys : score === 3 ? best : keysFor(score, maxHits))
    return { total: keys.length, atLeast, hits: readByScore(file, query, scored, keysOf) }
  }
  const rows = readOrdered(file, query, keys, query.size, query.from)
  return { total: keys.length, atLeast, hits: rows.map((row) => ({ row, score: scoreOf(expression, searchTerms(row)) })) }
}

const readOrdered = (file: SqliteFile, query: SearchQuery, keys: readonly number[], limit: number, offset: number): EntityRow[] => {
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
const readByScore = (
  file: SqliteFile,
  query: SearchQuery,
  scored: boolean,
  keysOf: (score: Score) => readonly number[],
): SearchHits['hits'] => {
  const hits: { row: EntityRow; score: number }[] = []
  const seen = new Set<number>()
  let skip = query.from
  for (const score of scored ? scores : [1 as const]) {
    const left = query.size - hits.length
    if (left <= 0) break
    const keys = keysOf(score).filter((key) => !seen.has(key))
    const rows = readOrdered(file, query, keys, left, skip)
    for (const row of rows) hits.push({ row, score })
    for (const key of keys) seen.add(key)
    skip = Math.max(0, skip - keys.length)
  }
  return hits
}

/** See `ReadModels.suggest`; everything must be indexed. */
export const readSuggestions = (file: SqliteFile, prefix: string, kinds: readonly string[], limit: number): ReferenceRow[] => {
  const from = nameKey(prefix) || prefix.toLowerCase()
  const each = kinds.map(
    () => `SELECT entity, name, fqn, id FROM search_docs INDEXED BY search_docs_by_name
      WHERE kind = ? AND status = 0 AND name >= ? AND name < ?`,
  )
  if (from === '' || each.length === 0) return []
  const found = file
    .statement(`SELECT entity FROM (${each.join(' UNION ALL ')} ORDER BY name, fqn, id LIMIT ?)`)
    .all(...kinds.flatMap((kind) => [kind, from, `${from}\u{10ffff}`]), limit) as unknown as [number][]
  const one = file.statement(`SELECT ${referenceColumns} FROM entities AS e WHERE e.entity = ?`)
  return found.map(([entity]) => toReferenceRow(one.get(entity)))
}
