import { makeBreather } from '../../shared/breathe.ts'
import { compareKeys } from '../entities/codePointOrder.ts'
import { settledReference, settledRow } from '../entities/settledReads.ts'
import type { Ended, Unreached } from '../entities/unreached.ts'
import { facetsOf } from './facets.ts'
import type { Search, SearchHit, SearchHits, SearchQuery } from './port.ts'
import { sortName } from './words.ts'

/** Hits that are looked through, and so many at a time. */
const mostHits = 10_000
const pageSize = 1000

interface Gathered {
  readonly hits: readonly SearchHit[]
  readonly atLeast: boolean
}

/** Looks at the hits from one place to another, the last ones first. */
const lookBack = async (search: Search, query: SearchQuery, [from, to]: readonly [number, number]) => {
  const hits: SearchHit[] = []
  const windows = [[from, to] as const]
  for (let next = windows.pop(); next !== undefined; next = windows.pop()) {
    const [first, end] = next
    const page = await search.search({ ...query, from: first, size: end - first, facets: [] })
    const isWhole = page.hits.length === end - first || first + page.hits.length >= page.total
    const middle = Math.ceil((first + end) / 2)
    if (isWhole || middle === end) hits.push(...page.hits)
    else windows.push([first, middle], [middle, end])
  }
  return hits
}

/**
 * Live entities leave these hits while a deletion is finished, and what stands behind them moves forward: who goes
 * backwards meets some twice, and misses none.
 */
const gatherLive = async (search: Search, query: SearchQuery): Promise<Gathered> => {
  const live = { ...query, deleted: false }
  const page = await search.search({ ...live, from: 0, size: pageSize, facets: [] })
  const { total, atLeast } = page
  if (!atLeast && page.hits.length === total) return page
  const hits: SearchHit[] = []
  const breathe = makeBreather()
  for (let to = Math.min(total, mostHits); to > 0; to -= pageSize) {
    hits.push(...(await lookBack(search, live, [Math.max(0, to - pageSize), to])))
    await breathe()
  }
  return { hits, atLeast: atLeast || total > mostHits }
}

/** Deleted entities come into these hits meanwhile, and what stands behind them moves backward: forwards, none is missed. */
const gatherDeleted = async (search: Search, query: SearchQuery): Promise<Gathered> => {
  const hits: SearchHit[] = []
  const breathe = makeBreather()
  while (hits.length < mostHits) {
    const size = Math.min(pageSize, mostHits - hits.length)
    const page = await search.search({ ...query, deleted: true, from: hits.length, size, facets: [] })
    hits.push(...page.hits)
    if (page.hits.length === 0 || hits.length >= page.total) return { hits, atLeast: page.atLeast }
    await breathe()
  }
  return { hits, atLeast: true }
}

/** Those that have the wanted status once everything is reached, as they are then, each once. */
const settledHits = (ended: readonly Ended[], hits: readonly SearchHit[], wanted: 'live' | 'deleted'): SearchHit[] => {
  const settled = new Map<string, SearchHit>()
  for (const hit of hits) {
    const row = settledRow(ended, hit.row)
    if (row.status === wanted && !settled.has(row.id)) settled.set(row.id, { ...hit, row })
  }
  return [...settled.values()]
}

const order = ({ sort, descending }: SearchQuery) => {
  const direction = descending && sort !== 'relevance' ? -1 : 1
  return (a: SearchHit, b: SearchHit): number => {
    if (sort === 'relevance' && a.score !== b.score) return b.score - a.score
    if (sort === 'updatedAt' && a.row.updatedAt !== b.row.updatedAt)
      return direction * (a.row.updatedAt - b.row.updatedAt)
    if (sort === 'name') {
      const [left, right] = [sortName(a.row), sortName(b.row)]
      if (left !== right) return left < right ? -direction : direction
    }
    return direction * compareKeys(a.row, b.row)
  }
}

const searchSettled = async (search: Search, ended: readonly Ended[], query: SearchQuery): Promise<SearchHits> => {
  // The live first: what is reached after that is among the deleted.
  const live = await gatherLive(search, query)
  const deleted = query.deleted ? await gatherDeleted(search, query) : undefined
  const found = [...live.hits, ...(deleted?.hits ?? [])]
  const together = settledHits(ended, found, query.deleted ? 'deleted' : 'live').sort(order(query))
  return {
    total: together.length,
    atLeast: live.atLeast || deleted?.atLeast === true,
    hits: together.slice(query.from, query.from + query.size),
    ...(query.facets !== undefined &&
      query.facets.length > 0 && {
        facets: facetsOf(
          together.map(({ row }) => row),
          query.facets,
        ),
      }),
  }
}

/**
 * A search that finds entities as they are once everything is reached that a deletion takes. While there is such a
 * deletion it looks through the first ten thousand hits.
 */
export const settledSearch = (search: Search, unreached: Pick<Unreached, 'ended'>): Search => ({
  search: async (query) => {
    const ended = await unreached.ended()
    return ended.length === 0 ? search.search(query) : searchSettled(search, ended, query)
  },
  suggest: async (prefix, kinds, limit) => {
    const ended = await unreached.ended()
    if (ended.length === 0) return search.suggest(prefix, kinds, limit)
    const rows = await search.suggest(prefix, kinds, mostHits)
    return rows.filter((row) => settledReference(ended, row).status === 'live').slice(0, limit)
  },
})
