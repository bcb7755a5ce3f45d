import { chunksOf, makePageBudget } from '../../shared/bounds.ts'
import { shownLength, type EntityRow } from '../entities/row.ts'
import { typoCandidates, textsIn, withInflections, withSimilarWords } from './forms.ts'
import { settledRow } from '../entities/settledReads.ts'
import { withPresentLabels, type LabelSearch } from './presentLabels.ts'
import { operandsOf, withConditions, type SearchExpression } from './query.ts'
import type { FacetName, Facets } from './facets.ts'
import { highlightsOf, placesMatching } from './highlight.ts'
import type { SearchHit, SearchHits, SearchPlace, SearchQuery } from './port.ts'
import { count, ranked, type Demand, type HitCount, type Matcher, type Scored } from './rank.ts'
import { scorerOf } from './score.ts'
import { searchParts, searchTerms, kindTerm } from './words.ts'

/** A query that can be counted completely: all of some kinds, optionally with one facet value. */
export interface FacetFilter {
  readonly kinds: readonly string[]
  readonly narrowedBy?: Extract<SearchExpression, { type: 'term' }>['facet']
}

/** The query as a facet filter; `undefined` if it asks for more, so that only examined hits are counted. */
const facetFilterOf = ({ kinds, expression }: Pick<SearchQuery, 'kinds' | 'expression'>): FacetFilter | undefined => {
  const [only, ...more] = operandsOf(expression).filter(({ type }) => type !== 'all')
  if (only === undefined) return { kinds }
  if (more.length > 0 || only.type !== 'term') return undefined
  if (only.facet !== undefined) return { kinds, narrowedBy: only.facet }
  const named = kinds.filter((kind) => kindTerm(kind) === only.term)
  return named.length === 0 ? undefined : { kinds: named }
}

/** A hit, and where the page after it begins. A page has one hit more than its size, unless it is the last. */
interface FoundKey<K> {
  readonly key: K
  readonly next: SearchPlace
}

export interface SearchEngine<K> extends Matcher<K> {
  /** All entities of the kinds (those that there are) and status, and the page of them. */
  everything(): Promise<FacetFilter & { readonly total: number; readonly page: readonly FoundKey<K>[] }>
  /** Whether there were more matches than examined. Default: false. */
  readonly isCut?: () => boolean
  /** The page of these in the order of the query, which is not by relevance. */
  sorted(keys: readonly K[]): Promise<readonly FoundKey<K>[]>
  /** The same of all matches, however many. */
  sortedMatches(demand: Demand): Promise<readonly FoundKey<K>[]>
  countFacets(keys: readonly K[], names: readonly FacetName[]): Promise<Facets>
  /** @param without hits that are not counted */
  countWhole(filter: FacetFilter, names: readonly FacetName[], without: readonly K[]): Promise<Facets>
  /** Number of entities of a filter. */
  totalOf(filter: FacetFilter): Promise<number>
  /** Locations of these hits, in any order. */
  places(keys: readonly K[]): Promise<readonly HitLocation<K>[]>
  /** Rows in the same order, of any status; a row that is just gone may be missing. */
  rows(keys: readonly K[]): Promise<readonly (EntityRow | undefined)[]>
}

/** The location of a hit in the hierarchy. */
interface HitLocation<K> extends Pick<EntityRow, 'kind' | 'fullyQualifiedName' | 'status'> {
  readonly key: K
}

/** With fewer exact hits than this, similar words are searched too. */
const minExactHits = 3

/** Factor for the scores of such hits, so that they come last. */
const typoDivisor = 100

interface Matches<K> {
  readonly expression: SearchExpression
  readonly counted: HitCount<K>
}

/** What matches exactly and, apart from it, what matches only by similar words. */
interface Found<K> extends Matches<K> {
  readonly near?: Matches<K> | undefined
}

type EngineOf<K> = (query: SearchQuery) => SearchEngine<K>

type Resolve = (expression: SearchExpression) => Promise<SearchExpression>

/** Resolves owners and tags to those that there are. */
const resolverFor =
  <K>(engineOf: EngineOf<K>, query: SearchQuery): Resolve =>
  async (expression) => {
    const { labelKinds: visibleKinds, ids: _, within: __, ...among } = query
    if (visibleKinds === undefined) return expression
    const find: LabelSearch['find'] = async (text, kinds, most) => {
      const found: EntityRow[] = []
      for (const deleted of [false, true]) {
        const engine = engineOf({ ...among, expression: text, kinds, deleted })
        const rows = await engine.rows(await engine.matching({ expression: text, parts: searchParts }, most))
        for (const row of rows) if (row !== undefined && row.status !== 'gone') found.push(row)
      }
      return found
    }
    return withPresentLabels({ find, visibleKinds }, expression)
  }

/** Whether so few entities match exactly, whatever the query is narrowed to, that similar words are searched too. */
const isFuzzy = async <K>(
  engineOf: EngineOf<K>,
  { fuzzy, ...query }: SearchQuery,
  exact: HitCount<K>,
  resolve: Resolve,
) => {
  if (fuzzy?.expression === undefined || query.sort !== 'relevance' || exact.keys.length >= minExactHits) return false
  const wider = engineOf({ ...query, ...fuzzy, ids: undefined, within: undefined })
  const demand = { expression: await resolve(withInflections(fuzzy.expression)), parts: searchParts }
  return (await wider.matching(demand, minExactHits)).length < minExactHits
}

/** The expression with similar words; `undefined` if there are none. */
const withTypos = async <K>(engine: SearchEngine<K>, expression: SearchExpression) => {
  const near = await engine.near([...new Set(textsIn(expression).flatMap(typoCandidates))])
  return [...near.values()].every((found) => found.length === 0) ? undefined : withSimilarWords(expression, near)
}

const find = async <K>(
  engineOf: EngineOf<K>,
  engine: SearchEngine<K>,
  query: SearchQuery,
  requested: SearchExpression,
) => {
  const resolve = resolverFor(engineOf, query)
  const inflected = withInflections(requested)
  const expression = await resolve(inflected)
  const exact = { expression, counted: await count(engine, expression) }
  if (!(await isFuzzy(engineOf, query, exact.counted, resolve))) return exact
  const similar = await withTypos(engine, inflected)
  if (similar === undefined) return exact
  const others = withConditions(await resolve(similar), [{ type: 'not', of: expression }])
  return { ...exact, near: { expression: others, counted: await count(engine, others) } }
}

const keysOf = <K>({ counted, near }: Found<K>): readonly K[] =>
  near === undefined ? counted.keys : [...counted.keys, ...near.counted.keys]

interface RankedKey<K> extends Scored<K> {
  readonly fuzzy?: true
}

const rankedPage = async <K>(engine: SearchEngine<K>, found: Found<K>, query: SearchQuery) => {
  const end = query.from + query.size + 1
  if (query.size === 0 || query.from >= keysOf(found).length) return []
  const hits: RankedKey<K>[] = await ranked(engine, found.expression, found.counted, end)
  if (hits.length < end && found.near !== undefined) {
    const { expression, counted } = found.near
    for (const { key, score } of await ranked(engine, expression, counted, end - hits.length))
      hits.push({ key, score: Math.round(score) / typoDivisor, fuzzy: true })
  }
  return hits.slice(query.from).map((hit, at) => ({ ...hit, next: { from: query.from + at + 1 } }))
}

/** Number of rows read at a time, as some are very large and may fill the page. */
const rowsAtOnce = 15

interface ReadHits<K> extends Pick<SearchHits, 'hits' | 'next'> {
  /** Those of the page that are no hits any more. */
  readonly dropped: readonly K[]
}

/** The hits of a page in their order, as many as fit. @param shown says how a row matches */
const readHits = async <K, F extends FoundKey<K>>(
  engine: Pick<SearchEngine<K>, 'rows'>,
  query: SearchQuery,
  found: readonly F[],
  shown: (row: EntityRow, found: F) => Pick<SearchHit, 'score' | 'fuzzy'>,
): Promise<ReadHits<K>> => {
  const hasRoom = makePageBudget()
  const hits: SearchHit[] = []
  const dropped: K[] = []
  let next: SearchPlace | undefined
  for (const some of chunksOf(found.slice(0, query.size), rowsAtOnce)) {
    const rows = await engine.rows(some.map(({ key }) => key))
    for (const [at, each] of some.entries()) {
      const row = settledHit(rows[at], query)
      if (row !== undefined && !hasRoom(shownLength(row))) return { hits, next, dropped }
      if (row === undefined) dropped.push(each.key)
      else hits.push({ row, ...shown(row, each) })
      next = each.next
    }
  }
  return { hits, next: found.length > query.size ? next : undefined, dropped }
}

/** The row to show; one that was deleted or restored after indexing is no hit. */
const settledHit = (found: EntityRow | undefined, { deleted, regions = [] }: SearchQuery): EntityRow | undefined => {
  const row = found && settledRow(regions, found)
  return row?.status === (deleted ? 'deleted' : 'live') ? row : undefined
}

const sorted = async <K>(engine: SearchEngine<K>, { expression, counted }: Matches<K>, { size }: SearchQuery) => {
  if (size === 0) return []
  return counted.atLeast ? engine.sortedMatches({ expression, parts: searchParts }) : engine.sorted(counted.keys)
}

const sortedPage = async <K>(engine: SearchEngine<K>, found: Matches<K>, query: SearchQuery) => {
  const scoreOf = scorerOf(found.expression)
  const shown = (row: EntityRow) => ({ score: scoreOf(searchTerms(row)) })
  return readHits(engine, query, await sorted(engine, found, query), shown)
}

const hitsOf = async <K>(engine: SearchEngine<K>, found: Found<K>, query: SearchQuery) =>
  query.sort === 'relevance'
    ? readHits(engine, query, await rankedPage(engine, found, query), (_, { score, fuzzy }) => ({
        score,
        ...(fuzzy && { fuzzy }),
      }))
    : sortedPage(engine, found, query)

/** Marks facets as lower bounds if only some hits were counted. */
const marked = (facets: Facets, atLeast: boolean): Facets =>
  atLeast ? Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, { ...facet, atLeast }])) : facets

type Counts = Pick<SearchHits, 'total' | 'atLeast' | 'facets'>

/** Total and facets of these keys but for the dropped ones. */
const countsOf = async <K>(
  engine: SearchEngine<K>,
  { facets: names = [] }: SearchQuery,
  { keys: found, atLeast }: HitCount<K>,
  dropped: readonly K[] = [],
): Promise<Counts> => {
  const without = new Set(dropped)
  const keys = without.size === 0 ? found : found.filter((key) => !without.has(key))
  const facets = names.length > 0 && { facets: marked(await engine.countFacets(keys, names), atLeast) }
  return { total: keys.length, atLeast, ...facets }
}

const everything = async <K>(engine: SearchEngine<K>, query: SearchQuery): Promise<SearchHits> => {
  const { kinds, total, page } = await engine.everything()
  const { facets = [] } = query
  const { hits, next, dropped } = await readHits(engine, query, page, unranked)
  return {
    total: total - dropped.length,
    atLeast: false,
    hits,
    next,
    ...(facets.length > 0 && { facets: await engine.countWhole({ kinds }, facets, dropped) }),
  }
}

const unranked = () => ({ score: 1 })

/** For more hits than are examined: total and facets, if they can be counted completely. */
const completeCounts = async <K>(
  engine: SearchEngine<K>,
  query: SearchQuery,
  dropped: readonly K[],
): Promise<Counts | undefined> => {
  const { facets: names = [], regions, ids, within } = query
  const filter = (regions ?? ids ?? within) !== undefined ? undefined : facetFilterOf(query)
  if (filter === undefined) return undefined
  const facets = names.length > 0 && { facets: await engine.countWhole(filter, names, dropped) }
  return { total: (await engine.totalOf(filter)) - dropped.length, atLeast: false, ...facets }
}

/** The same with pending deletions and restores applied, and for a selection of ids. */
const everythingSettled = async <K>(engine: SearchEngine<K>, query: SearchQuery): Promise<SearchHits> => {
  const expression = { type: 'all' } as const
  const counted = await count(engine, expression)
  const page = await sorted(engine, { expression, counted }, query)
  const atLeast = counted.atLeast || engine.isCut?.() === true
  const { hits, next, dropped } = await readHits(engine, query, page, unranked)
  return { hits, next, ...(await countsOf(engine, query, { keys: counted.keys, atLeast }, dropped)) }
}

/** Says where rows match. */
const showing = (expression: SearchExpression, { highlight }: SearchQuery) => {
  const matchedIn = placesMatching(expression)
  return (row: EntityRow) => ({
    matchedIn: matchedIn(row),
    ...(highlight && { highlights: highlightsOf(row, expression) }),
  })
}

/** Searches any engine. See `Search.search`. */
export const searchIn = async <K>(engineOf: EngineOf<K>, query: SearchQuery): Promise<SearchHits> => {
  const engine = engineOf(query)
  const nothing = { keys: [], atLeast: false }
  if (query.kinds.length === 0) return { hits: [], ...(await countsOf(engine, query, nothing)) }
  const { regions, ids, within, facets = [] } = query
  if (query.expression === undefined) {
    const isWhole = (regions ?? ids ?? (facets.length > 0 ? within : undefined)) === undefined
    return isWhole ? everything(engine, query) : everythingSettled(engine, query)
  }
  const found: Found<K> = await find(engineOf, engine, query, query.expression)
  const keys = keysOf(found)
  const { hits, next, dropped } = await hitsOf(engine, found, query)
  const exact = showing(found.expression, query)
  const near = found.near && showing(found.near.expression, query)
  const atLeast = found.counted.atLeast || found.near?.counted.atLeast === true || engine.isCut?.() === true
  return {
    hits: hits.map((hit) => ({ ...hit, ...((hit.fuzzy && near) ?? exact)(hit.row) })),
    next,
    ...((atLeast ? await completeCounts(engine, query, dropped) : undefined) ??
      (await countsOf(engine, query, { keys, atLeast }, dropped))),
  }
}
