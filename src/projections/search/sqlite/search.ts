import { shownLength, type EntityRow, type ReferenceRow, statusNumber } from '../../entities/row.ts'
import type { Search, SearchHits, SearchQuery } from '../port.ts'
import { facetsOf, type Faceted } from '../facets.ts'
import { searchIn, type HitLocation, type SearchEngine } from '../find.ts'
import { settledEngine } from '../settledSearch.ts'
import { keysNear, nearest } from '../near.ts'
import { nameKey } from '../words.ts'
import type { HitFacts } from '../rank.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { makePageBudget } from '../../../shared/bounds.ts'
import { countWhole } from './countWhole.ts'
import { matchFor, ofKinds, type Extent, type KindFilter, firstMatching } from './match.ts'
import {
  edgeIn,
  entities,
  referenceMembers,
  rowMembers,
  toReference,
  toEntityRow,
  type EntityDocument,
} from '../../entities/entityDocuments.ts'
import { fqnIn } from '../../entities/place.ts'
import { membersRead } from '../../documents/sqlite.ts'

interface Wanted {
  /** Wanted kinds with their numbers. */
  readonly kinds: readonly (readonly [string, number])[]
  /** Filter by wanted or excluded kinds, whichever has fewer entities. */
  readonly filter: KindFilter
}

const kindsAmong = (file: SqliteFile, status: number, wanted: readonly string[]): Wanted => {
  const counted = file
    .statement(`SELECT kind, total(n) FROM counters WHERE scope = '' AND status = ? GROUP BY kind`)
    .all(status) as [string, number][]
  const stored = counted.filter(([, count]) => count > 0)
  const set = new Set(wanted)
  const kinds = stored.filter(([kind]) => set.has(kind))
  const others = stored.filter(([kind]) => !set.has(kind))
  const without = totalOf(others) < totalOf(kinds)
  const filter = { without, kinds: (without ? others : kinds).map(([kind]) => kind) }
  return { kinds, filter }
}

const totalOf = (kinds: Wanted['kinds']): number => kinds.reduce((sum, [, count]) => sum + count, 0)

const rowRead = membersRead(entities, rowMembers)
const referenceRead = membersRead(entities, referenceMembers)
const rowIn = (values: unknown): EntityRow => toEntityRow(rowRead.documentOf(values) as EntityDocument)

const rowsOf = (file: SqliteFile, keys: readonly number[]): (EntityRow | undefined)[] => {
  const one = file.wide(
    `SELECT ${rowRead.text} FROM search_docs AS d CROSS JOIN entities ON entities.id = d.id WHERE d.key = ?`,
  )
  return keys.map((key) => {
    const found = one.get(key)
    return found && rowIn(found)
  })
}

const rowsOfEntities = (
  file: SqliteFile,
  status: number,
  by: 'entry' | 'id',
  values: readonly unknown[],
): EntityRow[] => {
  const one = file.wide(`SELECT ${rowRead.text} FROM entities WHERE ${by} = ? AND status = ?`)
  const hasRoom = makePageBudget()
  const rows: EntityRow[] = []
  for (const [value] of values as [string | number][]) {
    const found = one.get(value, status)
    if (found === undefined) continue
    const row = rowIn(found)
    if (!hasRoom(shownLength(row))) break
    rows.push(row)
  }
  return rows
}

const docsInOrder = ['fqn', 'id']

/** Indexes by kind and status with an order, and what they lead to; the same order of documents. */
const orders = {
  fullyQualifiedName: {
    table: 'entities INDEXED BY entities_by_kind',
    by: 'entry',
    columns: ['place'],
    docs: docsInOrder,
  },
  name: { table: 'search_docs INDEXED BY search_docs_by_name', by: 'id', columns: ['name', ...docsInOrder] },
  updatedAt: { table: 'search_docs INDEXED BY search_docs_by_time', by: 'id', columns: ['updated_at', ...docsInOrder] },
} as const

const orderOf = ({ sort, descending }: SearchQuery) => {
  const { docs, ...order } = { docs: undefined, ...orders[sort === 'relevance' ? 'fullyQualifiedName' : sort] }
  const direction = descending && sort !== 'relevance' ? ' DESC' : ''
  const inOrder = (columns: readonly string[]): string => columns.map((column) => column + direction).join(', ')
  return {
    ...order,
    inOrder: inOrder(order.columns),
    docsInOrder: inOrder((docs ?? order.columns).map((each) => `d.${each}`)),
  }
}

/** All entities of these kinds: merges their indexes and stops after the page. */
const readAll = (file: SqliteFile, query: SearchQuery, status: number, kinds: Wanted['kinds']): SearchHits => {
  const { table, by, columns, inOrder } = orderOf(query)
  const read = [...new Set([by, ...columns])].join(', ')
  const each = kinds.map(() => `SELECT ${read} FROM ${table} WHERE kind = ? AND status = ${status}`)
  const found = file
    .statement(`SELECT ${by} FROM (${each.join(' UNION ALL ')} ORDER BY ${inOrder} LIMIT ? OFFSET ?)`)
    .all(...kinds.map(([kind]) => kind), query.size, query.from)
  return {
    total: totalOf(kinds),
    atLeast: false,
    hits: rowsOfEntities(file, status, by, found).map((row) => ({ row, score: 1 })),
  }
}

const readFaceted = (file: SqliteFile, keys: readonly number[]): Faceted[] => {
  const found = file
    .statement(
      `SELECT e.kind, e."entityStatus", e.place, e.id, e.edges
      FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value
        CROSS JOIN entities AS e ON e.id = d.id`,
    )
    .all(JSON.stringify(keys)) as [string, string, string, string, string][]
  return found.map(([kind, entityStatus, place, id, edges]) => ({
    kind,
    entityStatus,
    fullyQualifiedName: fqnIn(place, id),
    edges: (JSON.parse(edges) as string[]).map(edgeIn),
  }))
}

type FactsValues = [key: number, kind: string, id: string, fqn: string, popularity: number, terms: string]

/** Sort values of these keys. */
const readFacts = (file: SqliteFile, keys: readonly number[]): HitFacts<number>[] => {
  const found = file
    .statement(
      `SELECT d.key, d.kind, d.id, d.fqn, d.popularity, d.terms
      FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value`,
    )
    .all(JSON.stringify(keys)) as FactsValues[]
  return found.map(([key, kind, id, fullyQualifiedName, popularity, terms]) => ({
    key,
    kind,
    id,
    fullyQualifiedName,
    popularity,
    terms: terms.split(' '),
  }))
}

const readPlaces = (file: SqliteFile, keys: readonly number[]): HitLocation<number>[] => {
  const found = file
    .statement('SELECT d.key, d.kind, d.fqn FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value')
    .all(JSON.stringify(keys)) as [number, string, string][]
  return found.map(([key, kind, fullyQualifiedName]) => ({ key, kind, fullyQualifiedName }))
}

const readNear = (file: SqliteFile, words: readonly string[]): Map<string, readonly string[]> => {
  const meant = file.statement(
    'SELECT DISTINCT n.word FROM json_each(?) AS k CROSS JOIN search_near AS n ON n.key = k.value',
  )
  return new Map(
    words.map((word) => {
      const candidates = meant.all(JSON.stringify([...keysNear(word)])) as [string][]
      return [word, nearest(word, candidates.flat())]
    }),
  )
}

const engineOf = (file: SqliteFile, query: SearchQuery): SearchEngine<number> => {
  const status = query.deleted ? statusNumber.deleted : statusNumber.live
  const { kinds, filter } = kindsAmong(file, status, query.kinds)
  const searched = { status, kinds: kinds.map(([kind]) => kind), ids: query.ids }
  return {
    matching: async (demand, limit) => {
      const matchAt = (extent: Extent): string | undefined => {
        const match = matchFor(demand, file, extent)
        return match === undefined ? undefined : ofKinds(match, filter)
      }
      return kinds.length === 0 ? [] : firstMatching(file, searched, limit, matchAt)
    },
    facts: async (keys) => readFacts(file, keys),
    near: async (words) => readNear(file, words),
    everything: async () => (kinds.length === 0 ? nothing : readAll(file, query, status, kinds)),
    sorted: async (keys) => readOrdered(file, query, keys),
    countFacets: async (keys, names) => facetsOf(readFaceted(file, keys), names),
    countWhole: async (filter, names) => countWhole(file, filter, status, names),
    places: async (keys) => readPlaces(file, keys),
    rows: async (keys) => rowsOf(file, keys),
  }
}

const nothing: SearchHits = { total: 0, atLeast: false, hits: [] }

/** Searches a completely indexed file. See `Search.search`. */
export const readSearch = (file: SqliteFile, query: SearchQuery): Promise<SearchHits> =>
  searchIn((some) => settledEngine((one) => engineOf(file, one), some), query)

/** The keys of a page of hits. */
const readOrdered = (file: SqliteFile, query: SearchQuery, keys: readonly number[]): readonly number[] => {
  const found = file.statement(
    `SELECT d.key FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value
    ORDER BY ${orderOf(query).docsInOrder} LIMIT ? OFFSET ?`,
  )
  return (found.all(JSON.stringify(keys), query.size, query.from) as [number][]).flat()
}

export type SuggestionsAsked = Parameters<Search['suggest']>

/** See `Search.suggest`; requires a complete index. */
export const readSuggestions = (
  file: SqliteFile,
  ...[prefix, wanted, limit, deleted = false]: SuggestionsAsked
): ReferenceRow[] => {
  const status = deleted ? statusNumber.deleted : statusNumber.live
  const from = nameKey(prefix) || prefix.toLowerCase()
  const { kinds } = kindsAmong(file, status, wanted)
  if (from === '' || kinds.length === 0) return []
  const each = kinds.map(
    () => `SELECT name, fqn, id FROM search_docs INDEXED BY search_docs_by_name
      WHERE kind = ? AND status = ${status} AND name >= ? AND name < ?`,
  )
  const found = file
    .statement(`SELECT id FROM (${each.join(' UNION ALL ')} ORDER BY name, fqn, id LIMIT ?)`)
    .all(...kinds.flatMap(([kind]) => [kind, from, `${from}\u{10ffff}`]), limit) as [string][]
  const one = file.wide(`SELECT ${referenceRead.text} FROM entities WHERE id = ? AND status = ${status}`)
  return found.flatMap(([id]) => {
    const row = one.get(id)
    return row === undefined ? [] : [toReference(referenceRead.documentOf(row) as EntityDocument)]
  })
}
