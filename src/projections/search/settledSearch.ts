import { settledReference } from '../entities/settledReads.ts'
import type { Unreached } from '../entities/unreached.ts'
import type { Search } from './port.ts'

/** References that are looked through. */
const mostReferences = 10_000

/** A search as it is once deletions have reached everything; until then it looks through ten thousand hits. */
export const settledSearch = (search: Search, unreached: Pick<Unreached, 'ended'>): Search => ({
  search: async (query) => {
    const ended = await unreached.ended()
    return search.search(ended.length === 0 ? query : { ...query, ended })
  },
  suggest: async (prefix, kinds, limit) => {
    const ended = await unreached.ended()
    if (ended.length === 0) return search.suggest(prefix, kinds, limit)
    const rows = await search.suggest(prefix, kinds, mostReferences)
    return rows.filter((row) => settledReference(ended, row).status === 'live').slice(0, limit)
  },
})
