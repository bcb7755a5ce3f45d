import type { EntityRow, ReferenceRow } from '../entities/row.ts'
import type { SearchExpression } from './language/query.ts'

export interface SearchQuery {
  /** From `parseSearchQuery`; `undefined` matches all. */
  readonly expression: SearchExpression | undefined
  readonly kinds: readonly string[]
  readonly deleted: boolean
  readonly from: number
  readonly size: number
  /** Ties are ordered by FQN, then by id. `name`: as `sortName` in `words.ts` gives it. */
  readonly sort: 'relevance' | 'fullyQualifiedName' | 'name' | 'updatedAt'
  /** Reverses the whole order. Relevance is always best first. */
  readonly descending: boolean
}

export interface SearchHits {
  readonly total: number
  /** True when counting stopped at a bound: there are at least `total`. */
  readonly atLeast: boolean
  readonly hits: readonly { readonly row: EntityRow; readonly score: number }[]
}

/** Finds entities by their words. */
export interface Search {
  /** What matches, ordered as `rank.ts` says. Finds everything that was applied before the call. */
  search(query: SearchQuery): Promise<SearchHits>
  /**
   * Live entities of these kinds whose names begin so, for type-ahead; case, diacritics, spaces and punctuation do not
   * matter. Ordered by name, then by FQN. A prefix of nothing finds nothing.
   */
  suggest(prefix: string, kinds: readonly string[], limit: number): Promise<ReferenceRow[]>
}
