import { incarnationOf } from '../../events/events.ts'
import { labelKinds, referredKinds } from '../../kinds/registry/kinds.ts'
import { labelFacets } from './facets.ts'
import { withInflections } from './forms.ts'
import type { SearchHits, SearchQuery } from './port.ts'
import type { SearchExpression, Text } from './query.ts'
import { facetTerm, searchParts } from './words.ts'

/** Number of owners and tags matched by incarnation; beyond that only words count. */
const maxLabels = 200

type LabelField = (typeof labelFacets)[number]

interface LabelSearch {
  readonly search: (query: SearchQuery) => Promise<SearchHits>
  /** The kinds of owners and tags whose names may be matched. */
  readonly visibleKinds: readonly string[]
}

interface Labels {
  readonly labels: NonNullable<Text['labels']>
  /** Whether the result is complete. */
  readonly isComplete: boolean
}

/** Owners and tags matching a text, including soft-deleted ones. */
const labelsFor = async (
  { search, visibleKinds }: LabelSearch,
  text: Text,
  fields: readonly LabelField[],
): Promise<Labels> => {
  const kindsOf = new Map(
    fields.map((field) => [field, referredKinds(field.part).filter((kind) => visibleKinds.includes(kind))]),
  )
  const query = {
    expression: text,
    kinds: [...kindsOf.values()].flat(),
    from: 0,
    size: maxLabels,
    sort: 'relevance',
    descending: true,
  } as const
  const found = [
    await search({ ...query, fuzzy: query, deleted: false }),
    await search({ ...query, fuzzy: query, deleted: true }),
  ]
  const labels = found.flatMap(({ hits }) =>
    hits.flatMap(({ row }) =>
      fields
        .filter((field) => kindsOf.get(field)?.includes(row.kind))
        .map(({ part, facet }) => ({ part, term: facetTerm(facet, incarnationOf(row)) })),
    ),
  )
  return { labels, isComplete: found.every(({ total }) => total <= maxLabels) }
}

/** Matches by present display name, singular or plural, without typo tolerance. */
const displayedAs = async (
  labelSearch: LabelSearch,
  text: Text,
  fields: readonly LabelField[],
): Promise<Labels['labels']> => {
  const forms = withInflections(text) as Text
  return (await labelsFor(labelSearch, { ...forms, parts: ['displayName'], quoted: true }, fields)).labels
}

/** Whether some owners and tags are hidden. @param seen see {@link LabelSearch.visibleKinds} */
export const hasHiddenKinds = (seen: readonly string[]): boolean => seen.length < labelKinds.length

const amongLabels = async (labelSearch: LabelSearch, text: Text, field: LabelField): Promise<SearchExpression> => {
  const displayed = await displayedAs(labelSearch, text, [field])
  const { labels, isComplete } = await labelsFor(labelSearch, { ...text, parts: ['path'] }, [field])
  const words: Text = { ...text, parts: [field.part], labels: displayed }
  if (!isComplete && !hasHiddenKinds(labelSearch.visibleKinds)) return words
  const terms = [...labels, ...displayed].map(({ term }) => ({ type: 'term', term }) as const)
  return { type: 'and', of: [words, { type: 'or', of: terms }] }
}

const inText = async (labelSearch: LabelSearch, text: Text): Promise<SearchExpression> => {
  const field = labelFacets.find(({ part }) => text.parts?.length === 1 && text.parts[0] === part)
  if (field !== undefined) return amongLabels(labelSearch, text, field)
  if (text.parts !== undefined) return text
  if (!hasHiddenKinds(labelSearch.visibleKinds))
    return { ...text, labels: await displayedAs(labelSearch, text, labelFacets) }
  const elsewhere = { ...text, parts: searchParts.filter((part) => labelFacets.every((label) => label.part !== part)) }
  const among: SearchExpression[] = []
  for (const each of labelFacets) among.push(await amongLabels(labelSearch, text, each))
  return { type: 'or', of: [elsewhere, ...among] }
}

/**
 * The expression with texts for owners and tags resolved to existing ones, by FQN or present display name, since words
 * of hard-deleted ones remain in the index. Names that the caller may not know are not matched.
 */
export const withPresentLabels = async (
  labelSearch: LabelSearch,
  expression: SearchExpression,
): Promise<SearchExpression> => {
  switch (expression.type) {
    case 'and':
    case 'or': {
      const of: SearchExpression[] = []
      for (const part of expression.of) of.push(await withPresentLabels(labelSearch, part))
      return { ...expression, of }
    }
    case 'not':
      return { ...expression, of: await withPresentLabels(labelSearch, expression.of) }
    case 'text':
      return inText(labelSearch, expression)
    default:
      return expression
  }
}
