import { compareCodePoints, compareKeys } from '../entities/codePointOrder.ts'
import type { ReferenceRow } from '../entities/row.ts'
import { settledReference } from '../entities/settledReads.ts'
import type { Pending } from '../entities/pending.ts'
import type { Search } from './port.ts'
import { nameKey } from './words.ts'

/** References that are looked through. */
const mostReferences = 10_000

/** By name, then by FQN and id, each once. */
const inOrder = (rows: readonly ReferenceRow[]): ReferenceRow[] => {
  const named = [...new Map(rows.map((row) => [row.id, row])).values()].map((row) => {
    const { name, fullyQualifiedName } = JSON.parse(row.reference) as { name: string; fullyQualifiedName: string }
    return { row, id: row.id, fullyQualifiedName, name: nameKey(name) || name.toLowerCase() }
  })
  return named.sort((a, b) => compareCodePoints(a.name, b.name) || compareKeys(a, b)).map(({ row }) => row)
}

/** A search among entities as they are by definition, also where the events of children are still to come. */
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
