import type { EntityRow, ReferenceRow } from '../entities/row.ts'
import type { Region } from '../entities/pending.ts'
import type { PlaceRange } from '../entities/place.ts'
import type { FacetName, Facets } from './facets.ts'
import type { Highlights } from './highlight.ts'
import type { SearchExpression } from './query.ts'
import type { Projection } from '../projection.ts'

/** The search projection: terms and popularity of each entity. */
export const searchProjection: Pick<Projection, 'name' | 'version'> = {
  name: 'search',
  version: 15,
}

/** Where a page begins: a number of hits to skip, or after a hit with these values of the sort members. */
export interface SearchPlace {
  readonly from: number
  /** Not by relevance, unless there is no expression. */
  readonly after?: readonly (string | number)[] | undefined
}

export interface SearchQuery extends SearchPlace {
  /** From `parseSearchQuery`; `undefined` matches all. */
  readonly expression: SearchExpression | undefined
  /** Kinds of owners and tags that words find by their present names; absent: only by indexed words. See `presentLabels.ts`. */
  readonly labelKinds?: readonly string[]
  readonly kinds: readonly string[]
  /** Restricts the search to these ids, at most 10,000. */
  readonly ids?: readonly string[] | undefined
  /** Restricts the search to these places. */
  readonly within?: PlaceRange | undefined
  readonly deleted: boolean
  readonly size: number
  /** Ties are ordered by FQN, then by id. `name`: as `sortName` in `words.ts` gives it. */
  readonly sort: 'relevance' | 'fullyQualifiedName' | 'name' | 'updatedAt'
  /** Reverses the order; relevance is always best first. */
  readonly descending: boolean
  /**
   * By relevance, similar words match too where fewer than three entities match this wider query exactly; so narrowing a
   * query never adds hits. Absent: only exact matches, as in every selection.
   */
  readonly fuzzy?: Pick<SearchQuery, 'expression' | 'kinds'>
  readonly facets?: readonly FacetName[]
  readonly highlight?: boolean
  /** Regions with pending deletions and restores, which are applied. */
  readonly regions?: readonly Region[]
}

export interface SearchHits {
  readonly total: number
  /** Whether `total` is a lower bound. */
  readonly atLeast: boolean
  readonly hits: readonly SearchHit[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: SearchPlace | undefined
  /** Facets of all hits; with `atLeast` only of the first ones in key order. */
  readonly facets?: Facets
}

export interface SearchHit {
  readonly row: EntityRow
  readonly score: number
  /** Whether it matches only by similar words. */
  readonly fuzzy?: true
  /** Where the hit matches, see `placesMatching`; absent without a query. */
  readonly matchedIn?: readonly string[]
  readonly highlights?: Highlights
}

export interface Search {
  /** Searches; ordered by `rank.ts`. Includes everything applied before the call. */
  search(query: SearchQuery): Promise<SearchHits>
  /**
   * Live (or deleted) entities of these kinds by name prefix, ignoring case, accents, spaces and punctuation.
   * Ordered by name, then by FQN. An empty prefix finds nothing.
   */
  suggest(prefix: string, kinds: readonly string[], limit: number, deleted?: boolean): Promise<ReferenceRow[]>
}
