import { presentLife } from '../../events/lives.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { labelFacets, type FacetName } from '../../projections/search/facets.ts'
import { withInflections } from '../../projections/search/forms.ts'
import { searchParts, type SearchExpression } from '../../projections/search/language/query.ts'
import { facetTerm } from '../../projections/search/words.ts'
import type { Api } from '../deps.ts'

/** Kinds that a facet refers to. */
export const referredKinds = (kinds: readonly KindDefinition[], name: FacetName): string[] => [
  ...new Set(kinds.flatMap(({ fields }) => fields[`${name}s`]?.references?.kinds ?? [])),
]

/** So many owners and tags that a text means are told apart by their lives; for more the words alone decide. */
const mostLabels = 200

type Text = Extract<SearchExpression, { type: 'text' }>
type LabelField = (typeof labelFacets)[number]

export interface LabelsAsked {
  readonly api: Pick<Api, 'kinds' | 'readModels'>
  /** The kinds whose names the caller may know. */
  readonly sees: (kind: string) => boolean
}

/** Are there labels that the caller may not know? */
export const someHidden = ({ api, sees }: LabelsAsked): boolean =>
  labelFacets.some(({ facet }) => referredKinds(api.kinds, facet).some((kind) => !sees(kind)))

interface Labels {
  readonly labels: NonNullable<Text['labels']>
  /** There are no more. */
  readonly all: boolean
}

/** The owners and tags that a text finds and the caller may know, soft-deleted ones too. */
const labelsFor = async ({ api, sees }: LabelsAsked, text: Text, fields: readonly LabelField[]): Promise<Labels> => {
  const kindsOf = new Map(fields.map((field) => [field, referredKinds(api.kinds, field.facet).filter(sees)]))
  const found = await Promise.all(
    [false, true].map((deleted) =>
      api.readModels.search({
        expression: text,
        kinds: [...kindsOf.values()].flat(),
        deleted,
        from: 0,
        size: mostLabels,
        sort: 'fullyQualifiedName',
        descending: false,
      }),
    ),
  )
  const labels = found.flatMap(({ hits }) =>
    hits.flatMap(({ row }) =>
      fields
        .filter((field) => kindsOf.get(field)?.includes(row.kind))
        .map(({ part, facet }) => ({ part, term: facetTerm(facet, presentLife(row)) })),
    ),
  )
  return { labels, all: found.every(({ total }) => total <= mostLabels) }
}

/** Those whose present display names have the words of the text, singular or plural, without typing errors. */
const displayedAs = async (
  asked: LabelsAsked,
  text: Text,
  fields: readonly LabelField[],
): Promise<Labels['labels']> => {
  const forms = withInflections(text) as Text
  return (await labelsFor(asked, { ...forms, parts: ['displayName'], quoted: true }, fields)).labels
}

const amongLabels = async (asked: LabelsAsked, text: Text, field: LabelField): Promise<SearchExpression> => {
  const displayed = await displayedAs(asked, text, [field])
  const { labels, all } = await labelsFor(asked, { ...text, parts: ['path'] }, [field])
  const words: Text = { ...text, parts: [field.part], labels: displayed }
  if (!all && !someHidden(asked)) return words
  const terms = [...labels, ...displayed].map(({ term }) => ({ type: 'term', term }) as const)
  return { type: 'and', of: [words, { type: 'or', of: terms }] }
}

const inText = async (asked: LabelsAsked, text: Text): Promise<SearchExpression> => {
  const field = labelFacets.find(({ part }) => text.parts?.length === 1 && text.parts[0] === part)
  if (field !== undefined) return amongLabels(asked, text, field)
  if (text.parts !== undefined) return text
  if (!someHidden(asked)) return { ...text, labels: await displayedAs(asked, text, labelFacets) }
  const elsewhere = { ...text, parts: searchParts.filter((part) => labelFacets.every((label) => label.part !== part)) }
  return {
    type: 'or',
    of: [elsewhere, ...(await Promise.all(labelFacets.map((each) => amongLabels(asked, text, each))))],
  }
}

/**
 * The expression, in which a text among owners and tags means those that there are, by their FQNs or the display names
 * that they have now: words of what was deleted for good still stand in the index. Names that the caller may not know
 * are not found.
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
    case 'text':
      return inText(asked, expression)
    default:
      return expression
  }
}
