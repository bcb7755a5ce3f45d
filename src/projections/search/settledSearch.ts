import { compareCodePoints, compareKeys } from '../entities/page.ts'
import type { ReferenceRow } from '../entities/row.ts'
import { settledReference } from '../entities/settledReads.ts'
import { type Pending, statusOf, type Region } from '../entities/pending.ts'
import type { Search, SearchQuery } from './port.ts'
import { nameKey } from './words.ts'
import type { SearchEngine } from './find.ts'
import { maxHits, type Demand } from './rank.ts'

/** Largest number of examined references. */
const mostReferences = 10_000

/** Ordered by name, FQN and id, without duplicates. */
const inOrder = (rows: readonly ReferenceRow[]): ReferenceRow[] => {
  const named = [...new Map(rows.map((row) => [row.id, row])).values()].map((row) => {
    const { name, fullyQualifiedName } = JSON.parse(row.reference) as { name: string; fullyQualifiedName: string }
    return { row, id: row.id, fullyQualifiedName, name: nameKey(name) || name.toLowerCase() }
  })
  return named.sort((a, b) => compareCodePoints(a.name, b.name) || compareKeys(a, b)).map(({ row }) => row)
}

/** A search that applies pending deletions and restores. */
export const settledSearch = (search: Search, pending: Pick<Pending, 'regions'>): Search => ({
  search: async (query) => {
    const regions = await pending.regions()
    return search.search(regions.length === 0 ? query : { ...query, regions })
  },
  suggest: async (prefix, kinds, limit) => {
    const regions = await pending.regions()
    if (regions.length === 0) return search.suggest(prefix, kinds, limit)
    const rows = await search.suggest(prefix, kinds, mostReferences)
    if (regions.some(({ status }) => status === 'live'))
      rows.push(...(await search.suggest(prefix, kinds, mostReferences, true)))
    const live = rows.map((row) => settledReference(regions, row)).filter(({ status }) => status === 'live')
    return inOrder(live).slice(0, limit)
  },
})

type Status = 'live' | 'deleted'

/** Largest number of examined hits when pending changes must be applied. */
const mostLooked = 64 * maxHits

/** Filters keys with pending changes applied; each location is read once. */
const makeStatusFilter = <K>(regions: readonly Region[], wanted: Status) => {
  const known = new Map<K, boolean>()
  return async (engine: SearchEngine<K>, status: Status, keys: readonly K[]): Promise<K[]> => {
    const unknown = keys.filter((key) => !known.has(key))
    for (const { key, ...place } of unknown.length === 0 ? [] : await engine.places(unknown))
      known.set(key, statusOf(regions, { ...place, status }) === wanted)
    return keys.filter((key) => known.get(key) === true)
  }
}

/**
 * Matches among live entities, and among deleted ones where those count. Entities that are getting their events now
 * come first, so that none is missed.
 */
const matchingSettled = <K>(
  engines: Readonly<Record<Status, SearchEngine<K>>>,
  regions: readonly Region[],
  wanted: Status,
) => {
  const sieve = makeStatusFilter<K>(regions, wanted)
  const first = wanted === 'deleted' ? 'deleted' : 'live'
  const other = first === 'live' ? 'deleted' : 'live'
  const isChanged = regions.some(({ status }) => (status === 'live') === (wanted === 'live'))
  let cut = false
  const matchingIn = async (status: Status, demand: Demand, limit: number): Promise<K[]> => {
    for (let looked = maxHits + 1; ; looked *= 4) {
      const keys = await engines[status].matching(demand, looked)
      const hits = await sieve(engines[status], status, keys)
      if (hits.length >= limit || keys.length < looked) return hits
      cut ||= looked > mostLooked
      if (cut) return hits
    }
  }
  const matching = async (demand: Demand, limit: number): Promise<readonly K[]> => {
    const own = await matchingIn(first, demand, limit)
    const others = isChanged ? await matchingIn(other, demand, limit) : []
    return [...new Set([...own, ...others])].slice(0, limit)
  }
  return { matching, isCut: () => cut }
}

/** An engine that applies pending deletions and restores. */
export const settledEngine = <K>(
  engineOf: (query: SearchQuery) => SearchEngine<K>,
  query: SearchQuery,
): SearchEngine<K> => {
  const { regions, deleted } = query
  const engine = engineOf(query)
  if (regions === undefined) return engine
  const engines = { live: engineOf({ ...query, deleted: false }), deleted: engineOf({ ...query, deleted: true }) }
  const { matching, isCut } = matchingSettled(engines, regions, deleted ? 'deleted' : 'live')
  return { ...engine, matching, isCut }
}
