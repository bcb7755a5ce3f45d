import { filledText, queryParameter, type Parameter } from '../http/route.ts'
import { incarnationOf } from '../../events/events.ts'
import { referredKinds } from '../../kinds/registry/kinds.ts'
import { facetMembers, type FacetName, facetNames, isReferenceFacet } from '../../projections/search/facets.ts'
import { withConditions, type SearchExpression } from '../../projections/search/query.ts'
import { facetTerm } from '../../projections/search/words.ts'
import type { CatalogRequest } from '../deps.ts'
import { fqnText } from '../http/queryParameters.ts'
import { z } from 'zod'
import { validationStates } from '../../kinds/definitions/contracts.ts'
import { findTargets } from '../entities/listQuery.ts'

/** Facets as filters; kinds are selected by `index`. */
const filters = facetNames.filter((name) => name !== 'kind')

export const searchFilters: readonly Parameter[] = filters.map((name) =>
  queryParameter(
    name,
    `Only hits with this value of the facet ${name}${isReferenceFacet(name) ? ': an FQN or an id' : ''}`,
    name === 'validation' ? z.enum(validationStates) : isReferenceFacet(name) ? fqnText : filledText,
  ),
)

/** Any value of the facet that the text means. */
const conditionOf = async (request: CatalogRequest, name: FacetName, text: string): Promise<SearchExpression> => {
  if (!isReferenceFacet(name)) return { type: 'term', term: facetTerm(name, text) }
  const meant = await findTargets({ ...request, past: undefined }, text, referredKinds(facetMembers[name]))
  const terms = meant.map(incarnationOf).map((value): SearchExpression => {
    return { type: 'term', term: facetTerm(name, value), facet: { name, value } }
  })
  return terms.length === 1 ? (terms[0] as SearchExpression) : { type: 'or', of: terms }
}

export const withFilters = async (
  request: CatalogRequest,
  expression: SearchExpression | undefined,
): Promise<SearchExpression | undefined> => {
  const wanted = filters.flatMap((name) => {
    const text = request.query.get(name)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (wanted.length === 0) return expression
  return withConditions(expression, await Promise.all(wanted.map(([name, text]) => conditionOf(request, name, text))))
}
