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

/** The first hits that have the wanted status once everything is reached, as they are then. */
const gather = async (
  search: Search,
  ended: readonly Ended[],
  query: SearchQuery,
  deleted: boolean,
): Promise<Gathered> => {
  const wanted = deleted ? 'deleted' : 'live'
  const hits: SearchHit[] = []
  const breathe = makeBreather()
  for (let from = 0; from < mostHits; from += pageSize) {
    const page = await search.search({ ...query, from, size: pageSize, facets: [] })
    for (const hit of page.hits) {
      const row = settledRow(ended, hit.row)
      if (row.status === wanted) hits.push({ ...hit, row })
    }
    if (from + pageSize >= page.total) return { hits, atLeast: page.atLeast }
    await breathe()
  }
  return { hits, atLeast: true }
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
  const own = await gather(search, ended, query, query.deleted)
  const unreached = query.deleted ? await gather(search, ended, { ...query, deleted: false }, true) : undefined
  const together = unreached === undefined ? own.hits : [...own.hits, ...unreached.hits].sort(order(query))
  return {
    total: together.length,
    atLeast: own.atLeast || unreached?.atLeast === true,
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
