import type { EntityRow, ReferenceRow } from '../entities/row.ts'
import type { Region } from '../entities/pending.ts'
import type { FacetName, Facets } from './facets.ts'
import type { Highlights } from './highlight.ts'
import type { SearchExpression } from './query.ts'

export interface SearchQuery {
  /** From `parseSearchQuery`; `undefined` matches all. */
  readonly expression: SearchExpression | undefined
  readonly kinds: readonly string[]
  /** Only some of these, at most 10,000. */
  readonly ids?: readonly string[] | undefined
  readonly deleted: boolean
  readonly from: number
  readonly size: number
  /** Ties are ordered by FQN, then by id. `name`: as `sortName` in `words.ts` gives it. */
  readonly sort: 'relevance' | 'fullyQualifiedName' | 'name' | 'updatedAt'
  /** Reverses the whole order. Relevance is always best first. */
  readonly descending: boolean
  readonly facets?: readonly FacetName[]
  /** Are the words of the query to be marked in the hits? */
  readonly highlight?: boolean
  /** Where rows do not show yet what holds: entities are found as they are by definition. */
  readonly regions?: readonly Region[]
}

export interface SearchHits {
  readonly total: number
  /** True when counting stopped at a bound: there are at least `total`. */
  readonly atLeast: boolean
  readonly hits: readonly SearchHit[]
  /** Over all hits; with `atLeast` over those that come first in the order of keys, as there are more than are counted. */
  readonly facets?: Facets
}

export interface SearchHit {
  readonly row: EntityRow
  readonly score: number
  /** Where what was asked for stands, see `matchedIn.ts`; left out where nothing was asked for. */
  readonly matchedIn?: readonly string[]
  readonly highlights?: Highlights
}

export interface Search {
  /** What matches, ordered as `rank.ts` says. Finds everything that was applied before the call. */
  search(query: SearchQuery): Promise<SearchHits>
  /**
   * Live (or deleted) entities of these kinds whose names begin so; case, diacritics, spaces and punctuation do not
   * matter. By name, then by FQN. A prefix of nothing finds nothing.
   */
  suggest(prefix: string, kinds: readonly string[], limit: number, deleted?: boolean): Promise<ReferenceRow[]>
}
