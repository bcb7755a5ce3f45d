import { compareCodePoints, compareKeys } from '../entities/page.ts'
import type { ReferenceRow } from '../entities/row.ts'
import { settledReference } from '../entities/settledReads.ts'
import { statusOf, type Pending } from '../entities/pending.ts'
import type { Search, SearchQuery } from './port.ts'
import { nameKey } from './words.ts'
import type { SearchEngine } from './find.ts'
import { maxHits } from './rank.ts'

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
  suggest: async (prefix, kinds, limit, deleted = false) => {
    const regions = await pending.regions()
    if (regions.length === 0) return search.suggest(prefix, kinds, limit, deleted)
    const wanted = deleted ? 'deleted' : 'live'
    const rows = await search.suggest(prefix, kinds, mostReferences, deleted)
    if (regions.some(({ status }) => status === wanted))
      rows.push(...(await search.suggest(prefix, kinds, mostReferences, !deleted)))
    const found = rows.map((row) => settledReference(regions, row)).filter(({ status }) => status === wanted)
    return inOrder(found).slice(0, limit)
  },
})

/** Largest number of examined hits when pending changes must be applied. */
const mostLooked = 64 * maxHits

/** An engine that applies pending deletions and restores: it finds entities whatever their status in the index. */
export const settledEngine = <K>(
  engine: SearchEngine<K>,
  { regions, deleted }: Pick<SearchQuery, 'regions' | 'deleted'>,
): SearchEngine<K> => {
  if (regions === undefined) return engine
  const wanted = deleted ? 'deleted' : 'live'
  const known = new Map<K, boolean>()
  let cut = false
  const hitsAmong = async (keys: readonly K[]): Promise<readonly K[]> => {
    const unknown = keys.filter((key) => !known.has(key))
    for (const { key, ...place } of unknown.length === 0 ? [] : await engine.places(unknown))
      known.set(key, statusOf(regions, place) === wanted)
    return keys.filter((key) => known.get(key) === true)
  }
  const matching: SearchEngine<K>['matching'] = async (demand, limit) => {
    for (let looked = maxHits + 1; ; looked *= 4) {
      const keys = await engine.matching(demand, looked)
      const hits = await hitsAmong(keys)
      if (hits.length >= limit || keys.length < looked) return hits.slice(0, limit)
      cut ||= looked > mostLooked
      if (cut) return hits
    }
  }
  return { ...engine, matching, isCut: () => cut }
}
