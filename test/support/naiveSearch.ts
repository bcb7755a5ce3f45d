import { incarnationOf } from '../../src/events/events.ts'
import { compareKeys } from '../../src/projections/entities/page.ts'
import type { EntityRow } from '../../src/projections/entities/row.ts'
import { facetsCounted, facetTextsOf, facetValuesOf, type FacetName } from '../../src/projections/search/facets.ts'
import { searchIn, type FacetFilter, type SearchEngine } from '../../src/projections/search/find.ts'
import { isTypoTarget, nearest } from '../../src/projections/search/similarWords.ts'
import type { SearchHits, SearchQuery } from '../../src/projections/search/port.ts'
import type { Demand } from '../../src/projections/search/rank.ts'
import { matcherOf } from '../../src/projections/search/score.ts'
import { keyOf, popularityOf } from '../../src/projections/search/searchRank.ts'
import { isWord, searchTerms, sortName } from '../../src/projections/search/words.ts'

const orders = {
  relevance: () => 0,
  fullyQualifiedName: () => 0,
  name: (row: EntityRow) => sortName(row),
  updatedAt: (row: EntityRow) => row.updatedAt,
}

const facetsAmong = (all: readonly EntityRow[]) => {
  const standing = new Set(all.filter(({ status }) => status !== 'gone').map(incarnationOf))
  return (rows: readonly EntityRow[], names: readonly FacetName[]) =>
    facetsCounted(
      rows.flatMap(facetTextsOf).map((text) => [text, 1]),
      names,
      async () => standing,
    )
}

/** An engine without an index: it looks at every row, whatever it is asked. */
const naiveEngine = (rows: readonly EntityRow[], query: SearchQuery): SearchEngine<EntityRow> => {
  const facetsOf = facetsAmong(rows)
  const rankOf = (row: EntityRow) => ({ kind: row.kind, popularity: popularityOf(row), since: row.since })
  const all = rows
    .filter(({ status, kind }) => status === (query.deleted ? 'deleted' : 'live') && query.kinds.includes(kind))
    .map((row) => ({ row, terms: searchTerms(row), key: keyOf(rankOf(row)) }))
    .toSorted((a, b) => a.key - b.key)
  const page = (some: readonly EntityRow[]) => {
    const order = orders[query.sort]
    const sorted = some.toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : compareKeys(a, b)))
    if (query.descending && query.sort !== 'relevance') sorted.reverse()
    const found = sorted.map((key, at) => ({ key, next: { from: at + 1 } }))
    return found.slice(query.from, query.from + query.size + 1)
  }
  const filtered = ({ kinds, narrowedBy: by }: FacetFilter) =>
    all
      .map(({ row }) => row)
      .filter((row) => kinds.includes(row.kind) && (by === undefined || facetValuesOf(row, by.name).includes(by.value)))
  const words = new Set(
    rows
      .filter(({ status }) => status !== 'gone')
      .flatMap((row) =>
        searchTerms(row)
          .filter(isWord)
          .map((term) => term.slice(1)),
      ),
  )
  const matchesOf = ({ expression, parts, nameTerms }: Demand) => {
    const matches = matcherOf(expression)
    return all
      .filter(({ terms }) => nameTerms === undefined || terms.some((term) => nameTerms.includes(term)))
      .filter(({ terms }) => matches(terms, parts))
      .map(({ row }) => row)
  }
  return {
    matching: async (demand, limit) => matchesOf(demand).slice(0, limit),
    facts: async (keys) =>
      keys.map((row) => ({
        ...rankOf(row),
        key: row,
        id: row.id,
        fullyQualifiedName: row.fullyQualifiedName,
        terms: searchTerms(row),
      })),
    near: async (wanted) => new Map(wanted.map((word) => [word, nearest(word, [...words].filter(isTypoTarget))])),
    everything: async () => ({
      kinds: query.kinds,
      total: all.length,
      page: page(all.map(({ row }) => row)),
    }),
    sorted: async (keys) => page(keys),
    sortedMatches: async (demand) => page(matchesOf(demand)),
    countFacets: async (keys, names) => facetsOf(keys, names),
    countWhole: async (filter, names, without) =>
      facetsOf(
        filtered(filter).filter((row) => !without.includes(row)),
        names,
      ),
    totalOf: async (filter) => filtered(filter).length,
    places: async (keys) => keys.map((row) => ({ ...row, key: row })),
    rows: async (keys) => keys,
  }
}

/** What a search of these rows must find. */
export const naiveSearch = (rows: readonly EntityRow[], query: SearchQuery): Promise<SearchHits> =>
  searchIn((some) => naiveEngine(rows, some), query)
