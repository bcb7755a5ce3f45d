import { presentLife } from '../../events/lives.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { labelFacets, type FacetName } from '../../projections/search/facets.ts'
import type { SearchExpression } from '../../projections/search/language/query.ts'
import { facetTerm } from '../../projections/search/words.ts'
import type { Api } from '../deps.ts'

/** Kinds that a facet refers to. */
export const referredKinds = (kinds: readonly KindDefinition[], name: FacetName): string[] => [
  ...new Set(kinds.flatMap(({ fields }) => fields[`${name}s`]?.references?.kinds ?? [])),
]

/** So many owners, or tags, that a text means are told apart by their lives; for more the words alone decide. */
const mostLabels = 200

type Text = Extract<SearchExpression, { type: 'text' }>

const asksForLabel = ({ parts }: Text): boolean => parts?.length === 1 && parts[0] === 'labels'

/** Terms of the owners and tags that there are and that a text means; `undefined`: they are too many. */
const termsOf = async ({ kinds, readModels }: Api, text: Text): Promise<SearchExpression[] | undefined> => {
  const terms: SearchExpression[] = []
  for (const facet of labelFacets)
    for (const deleted of [false, true]) {
      const { total, hits } = await readModels.search({
        expression: { ...text, parts: ['path'] },
        kinds: referredKinds(kinds, facet),
        deleted,
        from: 0,
        size: mostLabels,
        sort: 'fullyQualifiedName',
        descending: false,
      })
      if (total > mostLabels) return undefined
      for (const { row } of hits) terms.push({ type: 'term', term: facetTerm(facet, presentLife(row)) })
    }
  return terms
}

/**
 * The expression, in which a text that is looked for among owners and tags means those that there are: the words of one that
 * was deleted for good still stand in the index, whoever has the name now.
 */
export const withPresentLabels = async (api: Api, expression: SearchExpression): Promise<SearchExpression> => {
  switch (expression.type) {
    case 'and':
    case 'or':
      return { ...expression, of: await Promise.all(expression.of.map((part) => withPresentLabels(api, part))) }
    case 'not':
      return { ...expression, of: await withPresentLabels(api, expression.of) }
    case 'text': {
      const terms = asksForLabel(expression) ? await termsOf(api, expression) : undefined
      return terms === undefined ? expression : { type: 'and', of: [expression, { type: 'or', of: terms }] }
    }
    default:
      return expression
  }
}
