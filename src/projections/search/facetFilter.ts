import type { SearchExpression } from './query.ts'
import type { SearchQuery } from './port.ts'
import { kindTerm } from './words.ts'

/** What can be counted whole, however many hits there are: everything of some kinds, or what one value narrows it to. */
export interface FacetFilter {
  readonly kinds: readonly string[]
  readonly narrowedBy?: Extract<SearchExpression, { type: 'term' }>['facet']
}

/** `undefined`: more is asked of hits, so that only those are counted that were looked at. */
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
