import * as parameters from '../entities/parameters.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { perKind } from '../../kinds/perKind.ts'
import { listSchema } from '../../kinds/request/openApiSchemas.ts'
import type { ListKey, ListQuery } from '../../projections/entities/port.ts'
import type { ListRow } from '../../projections/entities/row.ts'
import { stricter } from '../access.ts'
import type { CatalogRequest, KindRequest, KindRoute } from '../deps.ts'
import { catalogAt, type TimelineMoment } from '../entities/answers/pointInTime.ts'
import type { PresenterOptions } from '../entities/answers/present.ts'
import { readFields, shapeOf, type FieldSet } from '../entities/answers/shape.ts'
import { readListQuery } from '../entities/listQuery.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { textsFor } from '../entities/answers/present.ts'
import { readListMoment } from '../entities/reads/moment.ts'
import { withDependencies } from '../entities/reads/answerDependencies.ts'
import {
  badQuery,
  pagingOf,
  readFlag,
  listKey,
  readPage,
  readParameter,
  searchKey,
  shortPage,
} from '../http/queryParameters.ts'
import { ok, type Answer, queryParameter, type ApiRequest, type Parameter } from '../http/route.ts'
import { pagesOf, streamPage } from '../../projections/entities/page.ts'
import { rangeBelow } from '../../projections/entities/place.ts'
import { z } from 'zod'
import { type SearchHits, type SearchPlace, type SearchQuery, searchProjection } from '../../projections/search/port.ts'
import { limits } from '../../shared/limits.ts'
import { readSearch } from './searchRoutes.ts'
import { searchFilters } from './searchTerms.ts'

const sorts = ['fullyQualifiedName', 'name', 'updatedAt', 'relevance'] as const
const sortOf = queryParameter('sort', 'Default: relevance with q, else fullyQualifiedName', z.enum(sorts))
const orderOf = queryParameter(
  'order',
  'Default: desc for updatedAt, else asc; relevance is always best first',
  z.enum(['asc', 'desc']),
)
const most = limits.bulkItems.value
const mostOfPage = 1000

/** Parameters that turn a list into a search. */
const searchParameters: readonly Parameter[] = [
  queryParameter(
    'q',
    'Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no ' +
      `cursor \`before\`, and at most ${mostOfPage} entities on a page. By relevance, it ends after about ${most}. Sorted, a ` +
      'walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it ' +
      'skip or repeat some',
    z.string(),
  ),
  sortOf,
  orderOf,
]

const isSearch = ({ query }: ApiRequest): boolean => query.has('q') || query.has('sort') || query.has('order')

type Sorting = Pick<SearchQuery, 'sort' | 'descending'>

const readSort = ({ query }: ApiRequest): Sorting => {
  const sort = readParameter(query, sortOf) ?? (query.has('q') ? 'relevance' : 'fullyQualifiedName')
  return { sort, descending: (readParameter(query, orderOf) ?? (sort === 'updatedAt' ? 'desc' : 'asc')) === 'desc' }
}

/** Filters of lists that a search reads too. */
const sharedFilters = perKind(
  (definition) => new Set([...searchFilters.map(({ name }) => name), ...parameters.scopeFilters(definition)]),
)

/** Ids matching the filters that a search does not support. @returns `undefined` without such filters */
const filteredIds = async (request: KindRequest, query: ListQuery): Promise<readonly string[] | undefined> => {
  const { definition } = request
  const shared = sharedFilters(definition)
  const names = parameters.listFilters(definition).map(({ name }) => name)
  const own = names.flatMap((name) => (request.query.has(name) && name !== 'include' && !shared.has(name) ? name : []))
  if (own.length === 0) return undefined
  const tooMany = (total: number) =>
    badQuery(
      own[0] as string,
      `matches ${total} entities, and at most ${most} can be searched or sorted with it: narrow the list further, such as ` +
        `by ${names.filter((name) => shared.has(name)).join(', ')}`,
    )
  const keys = await readListKeys(request, { ...query, after: undefined, limit: most }, tooMany)
  return keys.map(({ id }) => id)
}

/** The keys of a whole list. @param tooMany makes the error for more than can be changed or looked through at once */
export const readListKeys = async (
  { api, progress }: KindRequest,
  query: ListQuery,
  tooMany: (total: number) => Error,
  past?: TimelineMoment,
): Promise<ListKey[]> => {
  const keys: ListKey[] = []
  for await (const { rows, total } of pagesOf(catalogAt(api, past), query)) {
    if (total > most) throw tooMany(total)
    for (const { id, fullyQualifiedName } of rows) keys.push({ id, fullyQualifiedName })
    progress()
  }
  return keys
}

/** Makes a search within a list, of a number of hits from a place. @throws DomainError `invalid` */
const makeListSearch = async (request: KindRequest, query: ListQuery, sorting: Sorting = readSort(request)) => {
  const { api, definition } = request
  if (query.include === 'all') throw badQuery('include', 'must be non-deleted or deleted with q and sort')
  await waitForProjection(api, searchProjection.name)
  const within = rangeBelow(query.scopes)
  const requested = {
    ...(await readSearch(request)),
    kinds: within === undefined ? [] : [definition.name],
    ...(query.scopes.length > 0 && { within }),
    ids: await filteredIds(request, query),
    deleted: query.include === 'deleted',
    ...sorting,
  }
  return (place: SearchPlace, size: number) => api.readModels.search({ ...requested, ...place, size })
}

/** One page of a searched list. */
const searchedList = async (request: KindRequest, shown: FieldSet): Promise<Answer> => {
  const { limit, after = { from: 0 }, before, cursorAt } = readPage(request, searchKey)
  if (before !== undefined)
    throw badQuery('before', 'does not go with q and sort: such lists page forward only, by after')
  const past = request.query.has('asOf') ? 'asOf' : readFlag(request.query, 'snapshot') ? 'snapshot' : undefined
  if (past !== undefined) throw badQuery(past, 'does not go with q and sort, which know the present alone')
  const permission = stricter(request.permission, request.access.must('search', request.definition.name))
  const query = await readListQuery({ ...request, permission }, { limit, past: undefined })
  if (query === undefined) return { status: 200, body: listText([], { total: 0 }) }
  const find = await makeListSearch(request, query)
  const { hits, total, atLeast, next } = await find(after, Math.min(limit, mostOfPage))
  const rows = hits.map(({ row }) => row)
  const texts = await textsFor(request, rows, { shown })
  const relation = atLeast && { relation: 'gte' }
  return { status: 200, body: listText(texts, { total, ...relation, ...(next && { after: cursorAt(next) }) }) }
}

/** List filters, and words. */
export const selectionParameters = (definition: KindDefinition): Parameter[] => [
  queryParameter('q', `Only what a search finds, at most ${most}; of the present`, z.string().trim().min(1)),
  ...parameters.listFilters(definition),
]

/**
 * The list query for the filters and words of a request.
 * @returns `undefined` when nothing matches
 */
export const readSelection = async (request: KindRequest, past?: TimelineMoment): Promise<ListQuery | undefined> => {
  const operations = request.query.has('q') ? (['view', 'search'] as const) : (['view'] as const)
  const permission = stricter(...operations.map((each) => request.access.must(each, request.definition.name)))
  const requested = { limit: Number.MAX_SAFE_INTEGER, past }
  const query = await readListQuery({ ...request, permission }, requested)
  if (query === undefined || !request.query.has('q')) return query
  if (past !== undefined) throw badQuery('q', 'finds only present entities: leave it out with asOf')
  const found = await searchedIds(request, query)
  return found.length === 0 ? undefined : { ...query, ids: found }
}

/** Ids found by a search within a list. */
const searchedIds = async (request: KindRequest, query: ListQuery): Promise<readonly string[]> => {
  const find = await makeListSearch(request, query, { sort: 'fullyQualifiedName', descending: false })
  const found: string[] = []
  for (let place: SearchPlace | undefined = { from: 0 }; place !== undefined;) {
    const { hits, total, atLeast, next }: SearchHits = await find(place, 1000)
    if (atLeast || total > most)
      throw badQuery('q', `finds ${atLeast ? 'more than ' : ''}${total} entities: narrow it to at most ${most}`)
    for (const { row } of hits) found.push(row.id)
    place = next
    request.progress()
  }
  return found
}

/** The JSON text of a list answer, in parts. */
async function* streamList(
  request: CatalogRequest,
  query: ListQuery,
  options: Pick<PresenterOptions, 'shown' | 'at'>,
  pagingFor: (ends: Parameters<typeof pagingOf>[0]) => object,
): AsyncGenerator<string> {
  const ends: ListRow[] = []
  let whole = { total: 0, hasBefore: false, hasAfter: false }
  let separator = '{"data":['
  let begun = false
  for await (const { rows, total, hasBefore, hasAfter } of pagesOf(options.at, query)) {
    whole = { total, hasAfter, hasBefore: begun ? whole.hasBefore : hasBefore }
    begun = true
    const [first, last] = [rows[0], rows.at(-1)]
    if (first === undefined || last === undefined) continue
    ends.splice(0, 2, ends[0] ?? first, last)
    yield separator + (await textsFor(request, rows, options)).join(',')
    separator = ','
  }
  if (ends.length === 0) yield separator
  yield `],"paging":${JSON.stringify(pagingFor({ ...whole, rows: ends }))}}`
}

/** The list route of a kind. */
export const listRoute = (definition: KindDefinition): KindRoute =>
  parameters.kindRoute(definition, 'view', 'get', `list_${definition.name}`, {
    summary: `List the entities of kind ${definition.name}`,
    parameters: [...parameters.list(definition), ...searchParameters],
    bulkhead: ({ query }) => (Number(query.get('limit')) > shortPage ? 'list' : undefined),
    answers: ok('One page', listSchema(definition)),
    handle: (request) => withDependencies(request, list),
  })

const list = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const shown = readFields(request.query, definition, 'list')
  if (isSearch(request)) return searchedList(request, shown)
  const { cursorAt, ...requested } = readPage(request, listKey)
  const past = await readListMoment(request, requested)
  const narrowed = await readListQuery(request, { ...requested, past })
  const position = past?.position
  if (narrowed === undefined) return { status: 200, body: listText([], pagingOf(noPage, cursorAt, position)) }
  const query = { ...narrowed, withRequested: shapeOf(definition, shown).onRequest !== 'nothing' }
  const options = { shown, at: catalogAt(request.api, past) }
  if (query.limit > streamPage && query.before === undefined)
    return { status: 200, parts: streamList(request, query, options, (ends) => pagingOf(ends, cursorAt, position)) }
  const page = await options.at.list({ ...query, limit: Math.min(query.limit, streamPage) })
  const texts = await textsFor(request, page.rows, options)
  return { status: 200, body: listText(texts, pagingOf(page, cursorAt, position)) }
}

const noPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

const listText = (texts: readonly string[], paging: object): string =>
  `{"data":[${texts.join(',')}],"paging":${JSON.stringify(paging)}}`
