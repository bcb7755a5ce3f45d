import { useQueries, useQuery, keepPreviousData } from '@tanstack/react-query'
import { facetsQuery, type Facet } from '../api/queries.ts'
import { requestOf, type FindSearch } from '../api/reads.ts'

/** What a search can be narrowed by: its name in addresses, in the API, and for people. */
export const facets = [
  { name: 'kind', facet: 'kind', title: 'Kind' },
  { name: 'owner', facet: 'owner', title: 'Owner' },
  { name: 'tag', facet: 'tag', title: 'Tag' },
  { name: 'domain', facet: 'domain', title: 'Domain' },
  { name: 'service', facet: 'service', title: 'Service' },
  { name: 'status', facet: 'entityStatus', title: 'Status' },
  { name: 'validation', facet: 'validation', title: 'Latest result' },
] as const

export type FacetName = (typeof facets)[number]['name']

/** A value, and how many have it where that is known. */
export type Listed = Omit<Facet, 'count'> & { readonly count?: number | undefined }

/** Changes an address so that nothing is narrowed. */
export const noFilters: FindSearch = {
  ...Object.fromEntries(facets.map(({ name }) => [name, undefined])),
  deleted: undefined,
}

/**
 * How many hits there are of each value of each facet. A facet that is chosen from counts what the others leave, so that
 * another value can be chosen instead.
 */
export const useFacets = (search: FindSearch): ReadonlyMap<FacetName, readonly Listed[]> => {
  const free = facets.filter(({ name }) => search[name] === undefined)
  const chosen = facets.filter(({ name }) => search[name] !== undefined)
  const shared = useQuery({
    ...facetsQuery(
      requestOf(search),
      free.map(({ facet }) => facet),
    ),
    placeholderData: keepPreviousData,
  })
  const others = useQueries({
    queries: chosen.map(({ name, facet }) => facetsQuery(requestOf({ ...search, [name]: undefined }), [facet])),
  })
  const valuesOf = (facet: string): readonly Listed[] => {
    const values = shared.data?.[facet] ?? []
    return shared.isPlaceholderData ? values.map((value) => ({ ...value, count: undefined })) : values
  }
  return new Map([
    ...free.map(({ name, facet }) => [name, valuesOf(facet)] as const),
    ...chosen.map(({ name, facet }, at) => [name, others[at]?.data?.[facet] ?? []] as const),
  ])
}
