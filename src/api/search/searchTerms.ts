import { filledText, queryParameter, type Parameter } from '../http/route.ts'
import { incarnationOf } from '../../events/events.ts'
import { referredKinds, serviceKinds } from '../../kinds/registry/kinds.ts'
import { type FacetName, facetNames, referringFacets, relationOf } from '../../projections/search/facets.ts'
import type { SearchExpression } from '../../projections/search/query.ts'
import { facetTerm, isHashed } from '../../projections/search/words.ts'
import type { CatalogRequest } from '../deps.ts'
import { fqnText } from '../http/queryParameters.ts'
import { z } from 'zod'
import { validationStates } from '../../kinds/definitions/contracts.ts'
import { findScope, findTarget } from '../entities/listQuery.ts'

/** Facets as filters; kinds are selected by `index`. */
const filters = facetNames.filter((name) => name !== 'kind')

/** Facets by referenced entities. */
export const referenceFacets: ReadonlySet<FacetName> = new Set(referringFacets)

export const searchFilters: readonly Parameter[] = filters.map((name) =>
  queryParameter(
    name,
    `Only hits with this value of the facet ${name}${referenceFacets.has(name) || name === 'service' ? ': an FQN or an id' : ''}`,
    name === 'validation' ? z.enum(validationStates) : name === 'service' ? fqnText : filledText,
  ),
)

/** The term of a filter value; `undefined` if nothing can match. */
const valueOf = async (request: CatalogRequest, name: FacetName, text: string): Promise<string | undefined> => {
  if (name === 'service') return findScope({ ...request, past: undefined }, text, serviceKinds)
  if (!referenceFacets.has(name)) return text
  const row = await findTarget({ ...request, past: undefined }, text, referredKinds(relationOf(name)))
  return row === undefined ? undefined : incarnationOf(row)
}

const matchNothing: SearchExpression = { type: 'or', of: [] }

export const withFilters = async (
  request: CatalogRequest,
  expression: SearchExpression | undefined,
): Promise<SearchExpression | undefined> => {
  const wanted = filters.flatMap((name) => {
    const text = request.query.get(name)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (wanted.length === 0) return expression
  const terms = await Promise.all(
    wanted.map(async ([name, text]): Promise<SearchExpression> => {
      const value = await valueOf(request, name, text)
      if (value === undefined) return matchNothing
      const term = { type: 'term', term: facetTerm(name, value) } as const
      return isHashed(name) ? { ...term, facet: { name, value } } : term
    }),
  )
  return withConditions(expression, terms)
}

/** The expression, and these conditions. */
export const withConditions = (
  expression: SearchExpression | undefined,
  conditions: readonly SearchExpression[],
): SearchExpression => {
  const operands = expression === undefined ? [] : expression.type === 'and' ? expression.of : [expression]
  return { type: 'and', of: [...operands, ...conditions] }
}
