import { indexOf, kindNamed } from './kinds.ts'

/** Path in front of everything, when a proxy serves the catalog below one. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="catalog-base"]')?.content ?? ''

export const apiUrl = (path: string): string => `${basePath}/api${path}`

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** What is asked for with GET: a path below `/api`, and its query. */
export interface Read {
  readonly path: string
  readonly query: Query
}

/** The address that a read is sent to. What has no value is left out. */
export const addressOf = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return apiUrl(path) + (given.length === 0 ? '' : `?${new URLSearchParams(given)}`)
}

/** Path of an entity below `/api`, by its name. */
export const namePath = (kind: string, fqn: string): string =>
  `/v1/${kindNamed(kind).path}/name/${encodeURIComponent(fqn)}`

export const idPath = (kind: string, id: string): string => `/v1/${kindNamed(kind).path}/${id}`

export const meRead: Read = { path: '/v1/me', query: {} }

/** @param asOf a version, a log position or an instant; left out, the present */
export const entityRead = (kind: string, fqn: string, asOf?: string): Read => ({
  path: namePath(kind, fqn),
  query: { asOf, include: 'all', ...(kind === 'dataProduct' && { fields: '*' }) },
})

/** What narrows a list; names as the API has them. */
export type Filters = Readonly<Record<string, string | undefined>>

/** @param after cursor of the page before; left out, the first page */
export const listRead = (kind: string, filters: Filters, limit: number, after?: string): Read => ({
  path: `/v1/${kindNamed(kind).path}`,
  query: { ...filters, limit, after },
})

/** The page of a kind lists so many at once: more than a screen, so that it scrolls without waiting at each turn. */
export const listPageSize = 200

export interface SearchRequest {
  readonly q: string
  /** A kind; left out, all. */
  readonly kind?: string | undefined
  /** FQNs of what hits must have. */
  readonly owner?: string | undefined
  readonly tag?: string | undefined
  readonly domain?: string | undefined
  readonly service?: string | undefined
  readonly entityStatus?: string | undefined
  readonly sort?: string | undefined
  readonly order?: string | undefined
  readonly deleted?: boolean
}

/** @param page which hits, or which facets */
export const searchRead = ({ q, kind, sort, order, deleted, ...narrowed }: SearchRequest, page: Query): Read => ({
  path: '/v1/search/query',
  query: {
    ...narrowed,
    q: q.trim() === '' ? '*' : q,
    index: kind === undefined ? 'all' : indexOf(kind),
    sort_field: sort,
    sort_order: order,
    ...(deleted && { deleted: true }),
    ...page,
  },
})

/** So many hits are asked for at once. */
export const searchPageSize = 20

export const facetsRead = (request: SearchRequest, facets: readonly string[]): Read =>
  searchRead(request, { size: 0, facets: facets.join(',') })

export const everything: SearchRequest = { q: '*' }

/** What the home page shows of what changed last, and how many at most. */
export const changedLast: SearchRequest = { q: '*', sort: 'updatedAt' }
export const homeSize = 6

/** What the address of a search says. */
export interface FindSearch {
  readonly q?: string | undefined
  readonly kind?: string | undefined
  readonly owner?: string | undefined
  readonly tag?: string | undefined
  readonly domain?: string | undefined
  readonly service?: string | undefined
  readonly status?: string | undefined
  /** How a test case or contract went last. */
  readonly validation?: string | undefined
  readonly sort?: string | undefined
  readonly order?: string | undefined
  readonly deleted?: string | undefined
}

export const requestOf = (search: FindSearch): SearchRequest => {
  const { q = '', kind, owner, tag, domain, service, status, validation, sort, order, deleted } = search
  const narrowed = { kind, owner, tag, domain, service, entityStatus: status, validation }
  return { q, ...narrowed, sort, order, deleted: deleted === 'true' }
}

/** @param after cursor of the page before; left out, the first page */
export const inboxRead = (after?: string): Read => ({ path: '/v1/inbox', query: { limit: 30, after } })

/** Those that I may decide on, or that I made. */
export const myProposalsRead = (role: string, after?: string): Read => ({
  path: '/v1/proposals',
  query: { role, limit: 20, after },
})

export const deliveriesRead: Read = { path: '/v1/inbox/deliveries', query: {} }

/** What the address of coverage says. */
export interface CoverageSearch {
  readonly by?: string | undefined
  readonly kind?: string | undefined
  readonly domain?: string | undefined
  readonly owner?: string | undefined
  readonly service?: string | undefined
  readonly asOf?: string | undefined
  /** How far the line goes back. */
  readonly days?: string | undefined
}

export const coverageNarrowing = ({ kind, domain, owner, service }: CoverageSearch): Query => ({
  kind,
  domain,
  owner,
  service,
})

export const coverageRead = (search: CoverageSearch): Read => ({
  path: '/v1/coverage',
  query: { ...coverageNarrowing(search), by: search.by, asOf: search.asOf },
})

/** What coverage counts, and lists are narrowed by (`true` or `false`): the name of the filter, and for people. */
export const measures = [
  { name: 'described', title: 'Described' },
  { name: 'owned', title: 'Owned' },
  { name: 'classified', title: 'Classified' },
  { name: 'contracted', title: 'Under contract' },
  { name: 'tested', title: 'Tested' },
] as const

export type Measure = (typeof measures)[number]['name']

/** What the address of a list says. */
export interface ListSearch extends FindSearch, Readonly<Partial<Record<Measure, string | undefined>>> {
  readonly asOf?: string | undefined
  readonly include?: string | undefined
  /** Names of columns, comma-separated. */
  readonly columns?: string | undefined
}

/** What narrows a list in the API, of what its address says. */
export const listNarrowing = (search: ListSearch): Filters => {
  const { owner, domain, tag, service, status, validation, deleted, include, q } = search
  return {
    owner,
    domain,
    tag,
    service,
    entityStatus: status,
    validation,
    include: deleted === 'true' ? 'deleted' : include,
    ...Object.fromEntries(measures.map(({ name }) => [name, search[name]])),
    ...(search.asOf === undefined && { q }),
  }
}

/** What the page of a kind asks for, of what its address says: words and orders know the present alone. */
export const listFilters = (search: ListSearch): Filters => ({
  ...listNarrowing(search),
  asOf: search.asOf,
  ...(search.asOf === undefined && { sort: search.sort, order: search.order }),
  fields: 'owners,tags,domains',
})
