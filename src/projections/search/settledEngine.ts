import { statusOf, type Region } from '../entities/pending.ts'
import type { SearchEngine } from './find.ts'
import type { SearchQuery } from './port.ts'
import { maxHits, type Demand } from './rank.ts'

type Status = 'live' | 'deleted'

/** Hits that are looked through at most for those that are hits by definition. */
const mostLooked = 64 * maxHits

/** Tells which keys are hits by definition. Of each it is asked once where it stands. */
const makeSieve = <K>(regions: readonly Region[], wanted: Status) => {
  const known = new Map<K, boolean>()
  return async (engine: SearchEngine<K>, status: Status, keys: readonly K[]): Promise<K[]> => {
    const unknown = keys.filter((key) => !known.has(key))
    for (const { key, ...place } of unknown.length === 0 ? [] : await engine.places(unknown))
      known.set(key, statusOf(regions, { ...place, status }) === wanted)
    return keys.filter((key) => known.get(key) === true)
  }
}

/**
 * What matches among the live, and among the deleted where some of these count: those first that get their events now,
 * so that none is missed that gets its event in between.
 */
const matchingSettled = <K>(
  engines: Readonly<Record<Status, SearchEngine<K>>>,
  regions: readonly Region[],
  wanted: Status,
) => {
  const sieve = makeSieve<K>(regions, wanted)
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

/** What finds entities as they are by definition, also where the events of children are still to come. */
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
