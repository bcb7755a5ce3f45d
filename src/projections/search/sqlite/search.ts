import { memoize } from '../../../shared/memoize.ts'
import { documentsIn } from '../../documents/sqlite.ts'
import { entities } from '../../entities/entityDocuments.ts'
import { entityDocuments } from '../../entities/entityProjection.ts'
import { statusNumber } from '../../entities/row.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { facetsCounted } from '../facets.ts'
import type { Search, SearchQuery } from '../port.ts'
import { facetCounts } from '../searchDocuments.ts'
import { countedKinds, facetsOf, makeSearch, searchedStatus } from '../searchEngine.ts'
import { facetTerm } from '../words.ts'
import { indexedDocuments } from './indexFile.ts'
import { firstMatching, matchFor, restrictToKinds, toPhrase, type KindFilter } from './match.ts'

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
export const searchOf = memoize((file: SqliteFile): Search => {
  const { memory, reads } = entityDocuments(0)
  const cache = memory()
  return makeSearch({
    documents: documentsIn(indexedDocuments, () => file),
    entities: reads(
      documentsIn(entities, () => file),
      () => cache,
    ),
    by: 'key',
    matching: async (documents, query, demand, limit) => {
      const counts = await countedKinds(documents, searchedStatus(query))
      const kinds = query.kinds.filter((kind) => counts.has(kind))
      const filter = filterOf(counts, query)
      const match = kinds.length === 0 ? undefined : matchFor(demand, file)
      const status = query.regions === undefined ? (query.deleted ? 'deleted' : 'live') : 'any'
      const scope = { status, kinds, ids: query.ids } as const
      return match === undefined ? [] : firstMatching(file, scope, restrictToKinds(match, filter), limit)
    },
    countWhole: async (documents, { kinds, narrowedBy }, status, names) => {
      if (narrowedBy === undefined) {
        const counts = await documents.in(facetCounts).find({ where: { kind: { $in: kinds }, status } })
        return facetsCounted(
          counts.map(({ facet, n }) => [facet, n]),
          names,
        )
      }
      const match = restrictToKinds(toPhrase([facetTerm(narrowedBy.name, narrowedBy.value)]), { kinds, without: false })
      const scope = { status: status === statusNumber.deleted ? 'deleted' : 'live', kinds } as const
      const keys = firstMatching(file, scope, match, Number.MAX_SAFE_INTEGER)
      return facetsOf(await documents.get(keys, ['facets']), names)
    },
  })
})
