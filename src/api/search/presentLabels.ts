import { presentLife } from '../../events/lives.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { labelFacets, type FacetName } from '../../projections/search/facets.ts'
import type { SearchExpression } from '../../projections/search/language/query.ts'
import { facetTerm, searchParts } from '../../projections/search/words.ts'
import type { Api } from '../deps.ts'

/** Kinds that a facet refers to. */
export const referredKinds = (kinds: readonly KindDefinition[], name: FacetName): string[] => [
  ...new Set(kinds.flatMap(({ fields }) => fields[`${name}s`]?.references?.kinds ?? [])),
]

/** So many owners, or tags, that a text means are told apart by their lives; for more the words alone decide. */
const mostLabels = 200

type Text = Extract<SearchExpression, { type: 'text' }>

const asksForLabel = ({ parts }: Text): boolean => parts?.length === 1 && parts[0] === 'labels'

export interface LabelsAsked {
  readonly api: Pick<Api, 'kinds' | 'readModels'>
  /** The kinds whose names the caller may know. */
  readonly sees: (kind: string) => boolean
}

/** Are there labels that the caller may not know? */
export const someHidden = ({ api, sees }: LabelsAsked): boolean =>
  labelFacets.some((facet) => referredKinds(api.kinds, facet).some((kind) => !sees(kind)))

/** Terms of the owners and tags that a text means and the caller may know; `undefined`: they are too many. */
const termsOf = async (asked: LabelsAsked, text: Text): Promise<SearchExpression[] | undefined> => {
  const { api, sees } = asked
  const terms: SearchExpression[] = []
  for (const facet of labelFacets)
    for (const deleted of [false, true]) {
      const { total, hits } = await api.readModels.search({
        expression: { ...text, parts: ['path'] },
        kinds: referredKinds(api.kinds, facet).filter(sees),
        deleted,
        from: 0,
        size: mostLabels,
        sort: 'fullyQualifiedName',
        descending: false,
      })
      if (total > mostLabels && !someHidden(asked)) return undefined
      for (const { row } of hits) terms.push({ type: 'term', term: facetTerm(facet, presentLife(row)) })
    }
  return terms
}

const amongLabels = async (asked: LabelsAsked, text: Text): Promise<SearchExpression> => {
  const terms = await termsOf(asked, text)
  return terms === undefined ? text : { type: 'and', of: [text, { type: 'or', of: terms }] }
}

/**
 * The expression, in which a text among owners and tags means those that there are: words of what was deleted for good
 * still stand in the index. Names that the caller may not know are not found.
 */
export const withPresentLabels = async (
  asked: LabelsAsked,
  expression: SearchExpression,
): Promise<SearchExpression> => {
  switch (expression.type) {
    case 'and':
    case 'or':
      return { ...expression, of: await Promise.all(expression.of.map((part) => withPresentLabels(asked, part))) }
    case 'not':
      return { ...expression, of: await withPresentLabels(asked, expression.of) }
    case 'text': {
      if (asksForLabel(expression)) return amongLabels(asked, expression)
      if (expression.parts !== undefined || !someHidden(asked)) return expression
      const elsewhere = { ...expression, parts: searchParts.filter((part) => part !== 'labels') }
      return { type: 'or', of: [elsewhere, await amongLabels(asked, { ...expression, parts: ['labels'] })] }
    }
    default:
      return expression
  }
}
