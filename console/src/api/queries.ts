import {
  type InfiniteData,
  infiniteQueryOptions,
  MutationCache,
  partialMatchKey,
  type Query,
  QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query'
import { firstPages, isShort } from '../ui/pages.ts'
import { call, get, Problem, read, showUser } from './client.ts'
import { indexOf } from './kinds.ts'
import {
  entityRead,
  facetsRead,
  idPath,
  listRead,
  meRead,
  searchPageSize,
  searchRead,
  type Filters,
  type SearchRequest,
} from './reads.ts'
import type { Entity, HistoryEvent, Hits, Me, Page, Paging, Reference } from './types.ts'

/** What is wrong with the request, or with who makes it, does not get right by asking again. */
const worthRetrying = (count: number, error: unknown): boolean =>
  count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500)

export const queryClient = new QueryClient({
  mutationCache: new MutationCache({ onError: (error) => refreshOvertaken(error) }),
  defaultOptions: {
    queries: { retry: worthRetrying, staleTime: 5_000, refetchOnWindowFocus: ({ state }) => isShort(state.data) },
    mutations: { retry: false },
  },
})

/** What is shown until the answer is there: what was, where it is about the same, which has this beginning of its key. */
export const whatWas =
  (...key: QueryKey) =>
  <T>(data: T | undefined, before: { readonly queryKey: QueryKey } | undefined): T | undefined =>
    before !== undefined && partialMatchKey(before.queryKey, key) ? data : undefined

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await read<Me>(meRead, signal)
    showUser(me.name)
    return me
  },
  staleTime: 60_000,
})

/** Whoever was signed in is not any more. */
export const forgetUser = (): void => {
  showUser(undefined)
  queryClient.clear()
}

/** How one may sign in here. */
export interface SignInWays {
  readonly signedIn: boolean
  readonly ways: readonly ('token' | 'code' | 'oidc')[]
}

export const waysQuery = queryOptions({
  queryKey: ['ways'],
  queryFn: ({ signal }) => get<SignInWays>('/v1/session', {}, signal),
})

/** An entity, and the ETag that its next change must name. */
export interface Loaded {
  readonly entity: Entity
  readonly etag: string | undefined
}

export const loadEntity = async (kind: string, fqn: string, asOf?: string, signal?: AbortSignal): Promise<Loaded> => {
  const { path, query } = entityRead(kind, fqn, asOf)
  const { data, etag } = await call<Entity>('GET', path, { query, signal })
  return { entity: data, etag }
}

/** @param asOf a version, a log position or an instant; left out, the present */
export const entityQuery = (kind: string, fqn: string, asOf?: string) =>
  queryOptions({
    queryKey: ['entity', kind, fqn, asOf ?? 'now'],
    queryFn: ({ signal }) => loadEntity(kind, fqn, asOf, signal),
    staleTime: asOf === undefined ? 5_000 : 60_000,
  })

export const listQuery = (kind: string, filters: Filters = {}, limit = 100) =>
  infiniteQueryOptions({
    queryKey: ['list', kind, filters, limit],
    queryFn: ({ pageParam, signal }) => read<Page<Entity>>(listRead(kind, filters, limit, pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.paging.after,
  })

/** How many hits a search gives at most. */
export const deepest = 10_000

export const searchQuery = (request: SearchRequest, size = searchPageSize) =>
  infiniteQueryOptions({
    queryKey: ['search', request, size],
    queryFn: ({ pageParam, signal }) => read<Hits>(searchRead(request, { from: pageParam, size }), signal),
    initialPageParam: 0,
    getNextPageParam: ({ hits }, _, from) => {
      const next = from + hits.hits.length
      return hits.hits.length > 0 && next < hits.total.value && next < deepest ? next : undefined
    },
  })

/** A value that hits have, with the number of those. */
export interface Facet {
  readonly value: string
  readonly displayName?: string
  readonly count: number
  /** There are so many or more. */
  readonly relation?: 'gte'
}

type Facets = Readonly<Record<string, readonly Facet[]>>

export const facetsQuery = (request: SearchRequest, facets: readonly string[]) =>
  queryOptions({
    queryKey: ['search', request, 'facets', facets],
    queryFn: async ({ signal }) => (await read<{ facets: Facets }>(facetsRead(request, facets), signal)).facets,
    enabled: facets.length > 0,
  })

export const suggestQuery = (prefix: string, kinds?: readonly string[], limit = 8) =>
  queryOptions({
    queryKey: ['suggest', prefix, kinds, limit],
    queryFn: async ({ signal }) => {
      const query = { q: prefix, limit, index: kinds?.map(indexOf).join() ?? 'all' }
      return (await get<{ data: Reference[] }>('/v1/search/suggest', query, signal)).data
    },
    enabled: prefix.trim() !== '',
    staleTime: 10_000,
  })

/** The first entities of a kind, as suggestions before anything is written. */
export const firstQuery = (kind: string) =>
  queryOptions({
    queryKey: ['suggest', '', kind],
    queryFn: async ({ signal }) => {
      const { data } = await read<Page<Entity>>(listRead(kind, {}, 50), signal)
      return data.map((entity): Reference => ({ ...entity, type: kind }))
    },
    staleTime: 10_000,
  })

/** Who wrote a value that stands. */
interface Author {
  readonly user: string
  readonly time: string
  readonly correlationId: string
  /** Whether this is who cleared the value. */
  readonly cleared?: true
}

/** By member, or by path into it. */
export const provenanceQuery = (kind: string, id: string, asOf: string | undefined) =>
  queryOptions({
    queryKey: ['provenance', kind, id, asOf],
    queryFn: async ({ signal }) => {
      const query = { provenance: true, include: 'all', ...(asOf !== undefined && { asOf }) }
      return (await get<{ provenance: Readonly<Record<string, Author>> }>(idPath(kind, id), query, signal)).provenance
    },
  })

/** How many entities of a kind refer to another one by a member. */
export interface UseGroup {
  readonly kind: string
  readonly member: string
  readonly count: number
}

/** An entity that refers to another one, and where: `columns.address.city.tags`. */
interface Use {
  readonly entity: Reference
  readonly paths: readonly string[]
}

/** @param asOf an instant or a log position; left out, the present */
export const usedByQuery = (kind: string, id: string, asOf?: string) =>
  queryOptions({
    queryKey: ['usedBy', kind, id, asOf],
    queryFn: async ({ signal }) => {
      const query = { limit: 0, asOf }
      return (await get<{ groups: readonly UseGroup[] }>(`${idPath(kind, id)}/usedBy`, query, signal)).groups
    },
  })

/** Those of one group, page by page. */
export const usesQuery = (kind: string, id: string, { kind: referring, member }: UseGroup, asOf?: string) =>
  infiniteQueryOptions({
    queryKey: ['usedBy', kind, id, asOf, referring, member],
    queryFn: ({ pageParam, signal }) => {
      const query = { kind: referring, member, asOf, limit: 20, after: pageParam }
      return get<Page<Use>>(`${idPath(kind, id)}/usedBy`, query, signal)
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.paging.after,
  })

/** How many proposals about an entity are open. */
export const openCountQuery = (kind: string, id: string) =>
  queryOptions({
    queryKey: ['proposals', 'count', kind, id],
    queryFn: async ({ signal }) => {
      const query = { status: 'open', limit: 0 }
      return (await get<{ paging: Paging }>(`${idPath(kind, id)}/proposals`, query, signal)).paging.total
    },
  })

export interface Versions {
  readonly versions: readonly Entity[]
  readonly paging: Paging
}

/** Versions of the present life, newest first. */
export const versionsQuery = (kind: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ['versions', kind, id],
    queryFn: ({ pageParam, signal }) =>
      get<Versions>(`${idPath(kind, id)}/versions`, { limit: 50, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.paging.after,
  })

/** Events of all lives, newest first. */
export const historyQuery = (kind: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ['history', kind, id],
    queryFn: ({ pageParam, signal }) =>
      get<Page<HistoryEvent>>(`${idPath(kind, id)}/history`, { order: 'desc', limit: 200, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.paging.after,
  })

const showsEntities = ({ queryKey }: Query): boolean =>
  !['me', 'ways', 'suggest', 'schemas'].includes(String(queryKey[0]))

/** Everything that may show an entity is asked again: of a long list the beginning, and the rest when somebody goes there. */
export const refresh = (): Promise<void> => {
  for (const query of queryClient.getQueryCache().findAll({ predicate: showsEntities })) {
    const { data } = query.state
    if (!isShort(data)) query.setData(firstPages(data as InfiniteData<unknown>))
  }
  return queryClient.invalidateQueries({ predicate: showsEntities })
}

/** Where somebody else was faster, what is there now is shown, so that it can be tried again with open eyes. */
const refreshOvertaken = async (error: unknown): Promise<void> => {
  if (error instanceof Problem && error.status === 412) await refresh()
}
