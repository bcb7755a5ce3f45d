import { queryOptions } from '@tanstack/react-query'
import { get, read } from '../api/client.ts'
import { whatWas } from '../api/queries.ts'
import { coverageNarrowing as narrowing, coverageRead, type CoverageSearch, type Measure } from '../api/reads.ts'
import type { Reference } from '../api/types.ts'

export interface Share {
  readonly covered: number
  readonly of: number
}

export interface Counts {
  readonly total: number
  /** Those are left out that the caller may not ask for. */
  readonly measures: Readonly<Partial<Record<Measure, Share>>>
}

export interface Group extends Counts {
  readonly group: Reference | { readonly kind: string }
}

export interface Coverage extends Counts {
  readonly data: readonly Group[]
  readonly groupsAsOf?: string
}

export interface Point extends Counts {
  readonly time: string
}

export const coverageQuery = (search: CoverageSearch) =>
  queryOptions({
    queryKey: ['coverage', narrowing(search), search.by, search.asOf],
    queryFn: ({ signal }) => read<Coverage>(coverageRead(search), signal),
    placeholderData: whatWas('coverage', narrowing(search), search.by),
  })

export const usualDays = 90

const day = 86_400_000

export const coverageHistoryQuery = (search: CoverageSearch) =>
  queryOptions({
    queryKey: ['coverage', 'history', narrowing(search), search.days],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - Number(search.days ?? usualDays) * day).toISOString()
      const query = { ...narrowing(search), from, points: 25 }
      return (await get<{ data: readonly Point[] }>('/v1/coverage/history', query, signal)).data
    },
    staleTime: 60_000,
    placeholderData: whatWas('coverage', 'history', narrowing(search)),
  })
