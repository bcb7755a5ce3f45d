import { queryParameter, type Parameter } from '../http/route.ts'
import { incarnationOf } from '../../events/events.ts'
import { labelFacets, type FacetName, facetNames, referringFacets } from '../../projections/search/facets.ts'
import { withInflections } from '../../projections/search/forms.ts'
import { type SearchExpression } from '../../projections/search/query.ts'
import { searchParts, facetTerm, isHashed } from '../../projections/search/words.ts'
import type { Api, CatalogRequest } from '../deps.ts'
import { badQuery } from '../http/queryParameters.ts'
import { z } from 'zod'
import { validationStates } from '../../kinds/definitions/contracts.ts'
import { buildFqn, splitFqn } from '../../kinds/names.ts'
import { firstKnown } from '../entities/listQuery.ts'
import { kinds } from '../../kinds/registry/kinds.ts'

/** Kinds that a facet refers to. */
const referredKinds = (name: FacetName): string[] => [
  ...new Set(kinds.flatMap(({ fields }) => fields[`${name}s`]?.references?.kinds ?? [])),
]

/** Number of owners and tags matched by incarnation; beyond that only words count. */
const mostLabels = 200

type Text = Extract<SearchExpression, { type: 'text' }>
type LabelField = (typeof labelFacets)[number]

interface LabelsAsked {
  readonly api: Pick<Api, 'readModels'>
  /** The kinds whose names the caller may know. */
  readonly sees: (kind: string) => boolean
}

/** Whether some labels are hidden from the caller. */
export const someHidden = ({ sees }: Pick<LabelsAsked, 'sees'>): boolean =>
  labelFacets.some(({ facet }) => referredKinds(facet).some((kind) => !sees(kind)))

interface Labels {
  readonly labels: NonNullable<Text['labels']>
  /** Whether the result is complete. */
  readonly all: boolean
}

/** Owners and tags matching a text that the caller may know, including soft-deleted ones. */
const labelsFor = async ({ api, sees }: LabelsAsked, text: Text, fields: readonly LabelField[]): Promise<Labels> => {
  const kindsOf = new Map(fields.map((field) => [field, referredKinds(field.facet).filter(sees)]))
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
        .map(({ part, facet }) => ({ part, term: facetTerm(facet, incarnationOf(row)) })),
    ),
  )
  return { labels, all: found.every(({ total }) => total <= mostLabels) }
}

/** Matches by present display name, singular or plural, without typo tolerance. */
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
 * The expression with texts for owners and tags resolved to existing ones, by FQN or present display name, since words
 * of hard-deleted ones remain in the index. Names that the caller may not know are not matched.
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

/** Facets as filters; kinds are selected by `index`. */
const filters = facetNames.filter((name) => name !== 'kind')

const referring: ReadonlySet<FacetName> = new Set(referringFacets)

export const searchFilters: readonly Parameter[] = filters.map((name) =>
  queryParameter(
    name,
    `Only hits with this value of the facet ${name}${referring.has(name) ? ': an FQN or an id' : ''}`,
    name === 'validation' ? z.enum(validationStates) : z.string(),
  ),
)

/** The term of a filter value; `undefined` if nothing can match. @throws DomainError `invalid` */
const valueOf = async (request: CatalogRequest, name: FacetName, text: string): Promise<string | undefined> => {
  if (name === 'service') {
    const parts = splitFqn(text)
    if (parts === undefined) throw badQuery(name, 'is no fully qualified name')
    return buildFqn(parts)
  }
  if (name === 'validation' && !(validationStates as readonly string[]).includes(text))
    throw badQuery(name, `must be one of ${validationStates.join(', ')}`)
  if (!referring.has(name)) return text
  const row = await firstKnown(request, text, referredKinds(name))
  return row === undefined ? undefined : incarnationOf(row)
}

const nothing: SearchExpression = { type: 'or', of: [] }

export const narrowed = async (
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
      if (value === undefined) return nothing
      const term = { type: 'term', term: facetTerm(name, value) } as const
      return isHashed(name) ? { ...term, facet: { name, value } } : term
    }),
  )
  const asked = expression === undefined ? [] : expression.type === 'and' ? expression.of : [expression]
  return { type: 'and', of: [...asked, ...terms] }
}
