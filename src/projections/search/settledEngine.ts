import { statusOf, type Ended } from '../entities/unreached.ts'
import type { SearchEngine } from './find.ts'
import type { SearchQuery } from './port.ts'
import { maxHits, type Demand } from './rank.ts'

type Status = 'live' | 'deleted'

/** Tells which keys are hits once everything is reached. Of each it is asked once where it stands. */
const makeSieve = <K>(ended: readonly Ended[], wanted: Status) => {
  const known = new Map<K, boolean>()
  return async (engine: SearchEngine<K>, status: Status, keys: readonly K[]): Promise<K[]> => {
    const unknown = keys.filter((key) => !known.has(key))
    for (const { key, ...place } of unknown.length === 0 ? [] : await engine.places(unknown))
      known.set(key, statusOf(ended, { ...place, status }) === wanted)
    return keys.filter((key) => known.get(key) === true)
  }
}

/**
 * The first ten thousand of each status; those that are deleted first, so that none is missed that is reached in
 * between.
 */
const matchingSettled = <K>(
  engines: Readonly<Record<Status, SearchEngine<K>>>,
  ended: readonly Ended[],
  wanted: Status,
) => {
  const sieve = makeSieve<K>(ended, wanted)
  let cut = false
  const matchingIn = async (status: Status, demand: Demand): Promise<K[]> => {
    const keys = await engines[status].matching(demand, maxHits + 1)
    cut ||= keys.length > maxHits
    return sieve(engines[status], status, keys.slice(0, maxHits))
  }
  const matching = async (demand: Demand, limit: number): Promise<readonly K[]> => {
    const live = await matchingIn('live', demand)
    const deleted = wanted === 'deleted' ? await matchingIn('deleted', demand) : []
    return [...new Set([...deleted, ...live])].slice(0, limit)
  }
  return { matching, isCut: () => cut }
}

/** What finds entities as they are once everything is reached that the query says is being deleted. */
export const settledEngine = <K>(
  engineOf: (query: SearchQuery) => SearchEngine<K>,
  query: SearchQuery,
): SearchEngine<K> => {
  const { ended, deleted } = query
  const engine = engineOf(query)
  if (ended === undefined) return engine
  const engines = { live: engineOf({ ...query, deleted: false }), deleted: engineOf({ ...query, deleted: true }) }
  const { matching, isCut } = matchingSettled(engines, ended, deleted ? 'deleted' : 'live')
  return { ...engine, matching, isCut }
}
