import { once } from '../../../shared/once.ts'
import { documentsIn } from '../../documents/sqlite.ts'
import { entities } from '../../entities/entityDocuments.ts'
import { keptEntities } from '../../entities/keptEntities.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { Search, SearchQuery } from '../port.ts'
import { countedKinds, makeSearch, statusesOf } from '../searchEngine.ts'
import { countWhole } from './countWhole.ts'
import { indexedDocuments } from './indexFile.ts'
import { firstMatching, matchFor, ofKinds, type KindFilter } from './match.ts'

const sumOf = (counted: readonly (readonly [kind: string, count: number])[]): number =>
  counted.reduce((sum, [, count]) => sum + count, 0)

/** Filters by wanted or excluded kinds, whichever have fewer entities. */
const filterOf = (counts: ReadonlyMap<string, number>, { kinds }: Pick<SearchQuery, 'kinds'>): KindFilter => {
  const wanted = [...counts].filter(([kind]) => kinds.includes(kind))
  const others = [...counts].filter(([kind]) => !kinds.includes(kind))
  const without = sumOf(others) < sumOf(wanted)
  return { without, kinds: (without ? others : wanted).map(([kind]) => kind) }
}

/** Searches a completely indexed file with its entities. */
export const searchOf = once((file: SqliteFile): Search => {
  const { memory, reads } = keptEntities(0)
  const cache = memory()
  return makeSearch({
    documents: documentsIn(indexedDocuments, () => file),
    entities: reads(
      documentsIn(entities, () => file),
      () => cache,
    ),
    by: 'key',
    matching: async (documents, query, demand, limit) => {
      const counts = await countedKinds(documents, statusesOf(query))
      const kinds = query.kinds.filter((kind) => counts.has(kind))
      const filter = filterOf(counts, query)
      const match = kinds.length === 0 ? undefined : matchFor(demand, file)
      const status = query.regions === undefined ? (query.deleted ? 'deleted' : 'live') : 'any'
      const scope = { status, kinds, ids: query.ids } as const
      return match === undefined ? [] : firstMatching(file, scope, ofKinds(match, filter), limit)
    },
    countWhole: async (_, ...asked) => countWhole(file, ...asked),
  })
})
