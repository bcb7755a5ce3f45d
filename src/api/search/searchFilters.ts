import { badQuery } from '../http/queryParameters.ts'
import { z } from 'zod'
import { presentLife } from '../../events/lives.ts'
import { validationStates } from '../../kinds/definitions/contracts.ts'
import { buildFqn, splitFqn } from '../../kinds/names.ts'
import { facetNames, referringFacets, type FacetName } from '../../projections/search/facets.ts'
import type { SearchExpression } from '../../projections/search/language/query.ts'
import { facetTerm, isHashed } from '../../projections/search/words.ts'
import type { Api } from '../deps.ts'
import type { ApiRequest, Parameter } from '../http/route.ts'
import { referredKinds } from './presentLabels.ts'
import { firstKnown } from '../entities/listQuery.ts'

/** Facets that a search can be narrowed by; kinds are chosen by `index`. */
const filters = facetNames.filter((name) => name !== 'kind')

const referring: ReadonlySet<FacetName> = new Set(referringFacets)

export const searchFilters: readonly Parameter[] = filters.map((name) => ({
  name,
  in: 'query',
  description: `Only hits with this value of the facet ${name}${referring.has(name) ? ': an FQN or an id' : ''}`,
  schema: name === 'validation' ? z.enum(validationStates) : z.string(),
}))

/** What hits must have; `undefined` when nothing can have it. @throws DomainError `invalid` */
const valueOf = async (api: Api, request: ApiRequest, name: FacetName, text: string): Promise<string | undefined> => {
  if (name === 'service') {
    const parts = splitFqn(text)
    if (parts === undefined) throw badQuery(name, 'is no fully qualified name')
    return buildFqn(parts)
  }
  if (name === 'validation' && !(validationStates as readonly string[]).includes(text))
    throw badQuery(name, `must be one of ${validationStates.join(', ')}`)
  if (!referring.has(name)) return text
  const row = await firstKnown(api, request, text, referredKinds(api.kinds, name))
  return row === undefined ? undefined : presentLife(row)
}

const nothing: SearchExpression = { type: 'or', of: [] }

export const narrowed = async (
  api: Api,
  request: ApiRequest,
  expression: SearchExpression | undefined,
): Promise<SearchExpression | undefined> => {
  const wanted = filters.flatMap((name) => {
    const text = request.query.get(name)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (wanted.length === 0) return expression
  const terms = await Promise.all(
    wanted.map(async ([name, text]): Promise<SearchExpression> => {
      const value = await valueOf(api, request, name, text)
      if (value === undefined) return nothing
      const term = { type: 'term', term: facetTerm(name, value) } as const
      return isHashed(name) ? { ...term, facet: { name, value } } : term
    }),
  )
  const asked = expression === undefined ? [] : expression.type === 'and' ? expression.of : [expression]
  return { type: 'and', of: [...asked, ...terms] }
}
