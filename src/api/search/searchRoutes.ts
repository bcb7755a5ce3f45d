import { route, queryFlag, queryParameter, ok, type Answer, type Parameter } from '../http/route.ts'
import { badQuery, readFlag, readParameter, someOf, type SentQuery } from '../http/queryParameters.ts'
import { idsByLineage } from '../entities/listQuery.ts'
import { lineageFilters } from '../entities/parameters.ts'
import { withFilters, searchFilters } from './searchTerms.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { splitFqn } from '../../kinds/names.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import { entityOf } from '../../events/events.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import {
  facetNames,
  isReferenceFacet,
  labelFacets,
  maxFacetValues,
  type Facet,
  type FacetName,
  type Facets,
} from '../../projections/search/facets.ts'
import type { Highlights } from '../../projections/search/highlight.ts'
import { referredFqn, type ReferenceRow } from '../../projections/entities/row.ts'
import { searchProjection, type SearchQuery } from '../../projections/search/port.ts'
import { hasHiddenKinds } from '../../projections/search/presentLabels.ts'
import {
  beginningWith,
  parseSearchQuery,
  withConditions,
  withoutTerms,
  type SearchExpression,
} from '../../projections/search/query.ts'
import { facetTerm } from '../../projections/search/words.ts'
import type { Api, CatalogRequest, CatalogRoute } from '../deps.ts'
import { referencesByIncarnation, textsFor } from '../entities/answers/present.ts'
import { fullView, referenceText, seenRow, type Visibility } from '../entities/answers/masking.ts'
import { withDependencies } from '../entities/reads/answerDependencies.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { kindNamed, kinds, labelKinds } from '../../kinds/registry/kinds.ts'
import { limits } from '../../shared/limits.ts'

/** `databaseSchema` → `database_schema_search_index`. */
export const searchIndexOf = (kind: string): string =>
  `${kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_search_index`

const q = queryParameter(
  'q',
  'Words (all must match; singular and plural are found together, and where little is found typing errors are ' +
    'forgiven), prefixes (ord*), "phrases" (these very words), field:value, AND, OR, NOT (in capitals), ' +
    'parentheses; * matches all',
  z.string().default('*'),
)

const index = queryParameter(
  'index',
  'all, dataAsset, or <kind>_search_index; several with commas',
  z.string().default('all'),
)

const from = queryParameter('from', 'Number of hits to skip', z.int().min(0).max(limits.searchSkip.value).default(0))

const size = queryParameter(
  'size',
  'Hits to give; fewer come where their texts are too much (see limits): go on behind the last one',
  z.int().min(0).max(1000).default(10),
)

const sorts = {
  _score: 'relevance',
  name: 'name',
  fullyQualifiedName: 'fullyQualifiedName',
  updatedAt: 'updatedAt',
  'name.keyword': 'name',
} as const

const sortField = queryParameter(
  'sort_field',
  'What hits are sorted by',
  z.enum(Object.keys(sorts) as (keyof typeof sorts)[]).default('_score'),
)

const sortOrder = queryParameter(
  'sort_order',
  'Default: desc for _score and updatedAt, else asc; by _score the best hit is always first: asc is refused',
  z.enum(['asc', 'desc']),
)

const facetsParameter = queryParameter(
  'facets',
  `Counts hits by any of ${facetNames.join(', ')}, comma-separated`,
  someOf(facetNames).default([]),
)

const queryParameters: Parameter[] = [
  q,
  index,
  ...searchFilters,
  ...lineageFilters,
  from,
  size,
  queryFlag('deleted', 'Only soft-deleted entities'),
  sortField,
  sortOrder,
  facetsParameter,
  queryFlag('highlight', 'Marks the words in the hits'),
]

const most = queryParameter('limit', 'How many', z.int().min(0).max(100).default(10))

const suggestions = z
  .object({ data: z.array(entityReference) })
  .meta({ id: 'Suggestions', description: 'Entities, starting with those whose names begin with the text.' })

const relation = z
  .literal('gte')
  .optional()
  .describe('The number is a lower bound, since not all hits were examined. Absent: it is exact')

const hitsAnswer = z
  .object({
    took: z.int(),
    timed_out: z.boolean(),
    hits: z.object({
      total: z.object({ value: z.int(), relation: z.enum(['eq', 'gte']) }),
      max_score: z.number().nullable(),
      hits: z.array(
        z.object({
          _index: z.string(),
          _id: z.uuid(),
          _score: z.number(),
          _source: z.record(z.string(), z.unknown()),
          fuzzy: z
            .literal(true)
            .optional()
            .describe('It matches only where a word of the query has a typing error. Such hits come last'),
          matchedIn: z
            .array(z.string())
            .optional()
            .describe(
              'Where the words and tags of the query stand: members, columns and fields (columns.address.city), and ' +
                'their tags (columns.address.city.tags); the first 20. Left out where no word or tag was asked for',
            ),
          highlight: z
            .record(z.string(), z.array(z.string()))
            .optional()
            .describe('Texts by member, with the words of the query in <em>; HTML, escaped'),
        }),
      ),
    }),
    facets: z
      .record(
        z.string(),
        z.array(z.object({ value: z.string(), count: z.int(), displayName: z.string().optional(), relation })),
      )
      .optional()
      .describe(
        `Values with numbers of hits, by facet, most frequent first, at most ${maxFacetValues} each: the others are counted in \`aggregations\``,
      ),
    aggregations: z
      .record(
        z.string(),
        z.object({
          relation,
          doc_count_error_upper_bound: z.int().describe('-1: unknown, because not all hits were examined'),
          sum_other_doc_count: z.int(),
          buckets: z.array(z.object({ key: z.string(), doc_count: z.int(), relation })),
        }),
      )
      .optional()
      .describe('The same in the format of Elasticsearch'),
  })
  .meta({ id: 'SearchResult', description: 'Hits in the format of Elasticsearch.' })

/**
 * What the caller may search and view in an index: its kinds, those of which the caller may find everything (`whole`), and
 * what narrows an expression to what may be found. @throws DomainError `not_found`
 */
const readSearchScope = async (request: CatalogRequest, index = request.query.get('index') ?? 'all') => {
  const { access } = request
  const inIndex = (name: string) => (kind: KindDefinition) =>
    name === 'all' || (name === 'dataAsset' && kind.traits.dataAsset === true) || name === searchIndexOf(kind.name)
  const names = index.split(',').map((name) => name.trim())
  const found = kinds.filter((kind) => names.some((name) => inIndex(name)(kind)))
  const unknown = names.find((name) => !kinds.some(inIndex(name)))
  if (unknown !== undefined) {
    throw notFound(
      `There is no search index ${unknown}. There are all, dataAsset, ` +
        `${kinds.map((kind) => searchIndexOf(kind.name)).join(', ')}.`,
    )
  }
  const may = (kind: string) => access.may('search', kind)
  const kindsSeen = found.map(({ name }) => name).filter((kind) => may(kind) !== 'no')
  const whole = kindsSeen.filter((kind) => may(kind) === 'yes')
  const isWhole = whole.length === kindsSeen.length
  const own = isWhole ? [] : await access.own()
  const restrict = (expression: SearchExpression | undefined) => {
    if (isWhole) return expression
    const terms = [...whole.map((kind) => facetTerm('kind', kind)), ...own.map((owner) => facetTerm('owner', owner))]
    return withConditions(expression, [{ type: 'or', of: terms.map((term) => ({ type: 'term', term })) }])
  }
  return { kinds: kindsSeen, whole, restrict }
}

const readSort = (query: SentQuery): Pick<SearchQuery, 'sort' | 'descending'> => {
  const sort = sorts[readParameter(query, sortField)]
  const usual = sort === 'relevance' || sort === 'updatedAt' ? 'desc' : 'asc'
  const order = readParameter(query, sortOrder) ?? usual
  if (sort === 'relevance' && order === 'asc')
    throw badQuery('sort_order', 'must be desc where hits are sorted by _score: the best hit is always first')
  return { sort, descending: order === 'desc' }
}

/** Shows entities as values of a facet: by FQN if the caller may know it, and by id where several have it. */
const makeFacetValues = (rows: readonly ReferenceRow[], sees: Visibility) => {
  const known = Map.groupBy(rows, (row) => (sees(row.kind) ? referredFqn(row) : undefined))
  return (row: ReferenceRow): { readonly value: string; readonly displayName?: string } => {
    const { id, kind } = row
    if (!sees(kind)) return { value: sees.hideId(id) }
    const { fullyQualifiedName = '', displayName } = JSON.parse(row.reference) as Record<string, string>
    if (known.get(fullyQualifiedName)?.length !== 1)
      return { value: id, displayName: `${displayName ?? fullyQualifiedName} (${kind})` }
    return { value: fullyQualifiedName, ...(displayName !== undefined && { displayName }) }
  }
}

/** Facets as answers show them, without incarnations that have ended. */
const presentFacets = async (api: Api, facets: Facets, sees: Visibility): Promise<JsonObject> => {
  const entries = Object.entries(facets) as [FacetName, Facet][]
  const ids = entries
    .filter(([name]) => isReferenceFacet(name))
    .flatMap(([, { values }]) => values.map(({ value }) => entityOf(value)))
  const references = await referencesByIncarnation(ids, { at: api.readModels, sees: fullView })
  const shown: Record<string, (JsonObject & { value: string; count: number })[]> = {}
  const aggregations: Record<string, Json> = {}
  for (const [name, { values, others, atLeast }] of entries) {
    const relation = atLeast && { relation: 'gte' }
    const rows = values.flatMap(({ value }) => references.get(value) ?? [])
    const shownAs = makeFacetValues(rows, sees)
    const present = values.flatMap(({ value, count }) => {
      const row = references.get(value)
      if (isReferenceFacet(name) && row === undefined) return []
      return { count, ...(row === undefined ? { value } : shownAs(row)), ...relation }
    })
    shown[name] = present.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    aggregations[name] = {
      ...relation,
      doc_count_error_upper_bound: relation === undefined ? 0 : -1,
      sum_other_doc_count: others,
      buckets: shown[name].map(({ value, count }) => ({ key: value, doc_count: count, ...relation })),
    }
  }
  return { facets: shown, aggregations }
}

/** The expression of `q` with the filters, and what the caller may know of it. */
export const readSearch = async (request: CatalogRequest) => ({
  expression: await withFilters(request, readExpression(request)),
  labelKinds: labelKinds.filter(request.access.sees),
})

const readExpression = (request: CatalogRequest): SearchExpression | undefined => {
  const parsed = parseSearchQuery(request.query.get('q') ?? '*')
  if ('expression' in parsed) return parsed.expression
  throw badQuery('q', `column ${parsed.error.column}: ${parsed.error.message}`)
}

const search = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const begun = performance.now()
  const { query } = request
  await waitForProjection(api, searchProjection.name)
  const requested = await readSearch(request)
  const { kinds, restrict } = await readSearchScope(request)
  const whole = await readSearchScope(request, 'all')
  const wanted: SearchQuery = {
    ...requested,
    expression: restrict(requested.expression),
    kinds,
    ids: await idsByLineage({ ...request, past: undefined }),
    deleted: readFlag(query, 'deleted'),
    from: readParameter(query, from),
    size: readParameter(query, size),
    ...readSort(query),
    facets: readParameter(query, facetsParameter),
    highlight: readFlag(query, 'highlight'),
    fuzzy: { kinds: whole.kinds, expression: whole.restrict(withoutTerms(readExpression(request))) },
  }
  const { hits, total, atLeast, facets } = await api.readModels.search(wanted)
  const rows = hits.map(({ row }) => row)
  const sources = await textsFor(request, rows)
  const hidden = hasHiddenKinds(requested.labelKinds)
  const texts = hits.map(({ row, score, fuzzy, matchedIn, highlights }, place) => {
    const marks =
      highlights === undefined ? '' : `,"highlight":${JSON.stringify(hidden ? withoutLabels(highlights) : highlights)}`
    const places = matchedIn?.filter((path) => !hidden || !isLabel(path)) ?? []
    const matched = places.length === 0 ? '' : `,"matchedIn":${JSON.stringify(places)}`
    const guessed = fuzzy ? ',"fuzzy":true' : ''
    const source = withType(sources[place] as string, kindNamed(row.kind))
    return `{"_index":"${searchIndexOf(row.kind)}","_id":"${row.id}","_score":${score},"_source":${source}${guessed}${matched}${marks}}`
  })
  const counts =
    facets === undefined ? '' : `,${JSON.stringify(await presentFacets(api, facets, request.access.sees)).slice(1, -1)}`
  const best = hits.reduce<number | null>((max, { score }) => Math.max(max ?? score, score), null)
  const took = Math.round(performance.now() - begun)
  const count = `{"value":${total},"relation":"${atLeast ? 'gte' : 'eq'}"}`
  return {
    status: 200,
    body: `{"took":${took},"timed_out":false,"hits":{"total":${count},"max_score":${best},"hits":[${texts.join(',')}]}${counts}}`,
  }
}

/** Whether a path leads to owners or tags. */
const isLabel = (path: string): boolean => labelFacets.some(({ part }) => part === splitFqn(path)?.at(-1))

const withoutLabels = (marks: Highlights): Highlights =>
  Object.fromEntries(Object.entries(marks).filter(([member]) => member !== 'labels'))

/** Adds `entityType`, by which search clients distinguish kinds, unless the kind has such a member. */
const withType = (text: string, { name, fields }: KindDefinition): string =>
  Object.hasOwn(fields, 'entityType') ? text : `{"entityType":"${name}",${text.slice(1)}`

/** Suggestions: names with this prefix first, then other words with it. */
const findSuggestions = async (
  { readModels }: Api,
  text: string,
  { kinds, whole, restrict }: Awaited<ReturnType<typeof readSearchScope>>,
  limit: number,
): Promise<readonly ReferenceRow[]> => {
  const named = await readModels.suggest(text, whole, limit)
  if (named.length === limit) return named
  const { hits } = await readModels.search({
    expression: restrict(beginningWith(text)),
    kinds,
    deleted: false,
    from: 0,
    size: limit,
    sort: 'relevance',
    descending: true,
  })
  const known = new Set(named.map(({ id }) => id))
  return [...named, ...hits.map(({ row }) => row).filter(({ id }) => !known.has(id))].slice(0, limit)
}

const suggest = async (request: CatalogRequest): Promise<Answer> => {
  await waitForProjection(request.api, searchProjection.name)
  const prefix = (request.query.get('q') as string).slice(0, limits.suggestText.value)
  const findable = await readSearchScope(request)
  const rows = await findSuggestions(request.api, prefix, findable, readParameter(request.query, most))
  const texts = rows.map((row) => referenceText(seenRow(row, fullView)))
  return { status: 200, body: `{"data":[${texts.join(',')}]}` }
}

export const searchRoutes: CatalogRoute[] = [
  route('get', '/v1/search/query', 'search', {
    summary: 'Search for entities',
    tag: 'search',
    permission: { operation: 'search' },
    bulkhead: 'search',
    parameters: queryParameters,
    answers: ok('Hits, in the shape of Elasticsearch', hitsAnswer),
    handle: (request) => withDependencies(request, search),
  }),
  route('get', '/v1/search/suggest', 'suggest', {
    summary: 'Entities by prefixes of words of their names, for type-ahead',
    tag: 'search',
    permission: { operation: 'search' },
    bulkhead: 'search',
    parameters: [
      {
        ...q,
        required: true,
        description:
          'The beginning of a name; or words, or beginnings of words, of name, display name, synonyms and the names above',
      },
      index,
      most,
    ],
    answers: ok('References', suggestions),
    handle: (request) => withDependencies(request, suggest),
  }),
]
