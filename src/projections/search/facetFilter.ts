import type { SearchExpression } from './query.ts'
import type { SearchQuery } from './port.ts'
import { kindTerm } from './words.ts'

/** A query that can be counted completely: all of some kinds, optionally with one facet value. */
export interface FacetFilter {
  readonly kinds: readonly string[]
  readonly narrowedBy?: Extract<SearchExpression, { type: 'term' }>['facet']
}

/** The query as a facet filter; `undefined` if it asks for more, so that only examined hits are counted. */
export const facetFilterOf = ({
  kinds,
  expression,
}: Pick<SearchQuery, 'kinds' | 'expression'>): FacetFilter | undefined => {
  const asked = expression?.type === 'and' ? expression.of : expression === undefined ? [] : [expression]
  const [only, ...more] = asked.filter(({ type }) => type !== 'all')
  if (only === undefined) return { kinds }
  if (more.length > 0 || only.type !== 'term') return undefined
  if (only.facet !== undefined) return { kinds, narrowedBy: only.facet }
  const named = kinds.filter((kind) => kindTerm(kind) === only.term)
  return named.length === 0 ? undefined : { kinds: named }
}
