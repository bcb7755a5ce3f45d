import { incarnationOf } from '../../events/events.ts'
import { labelKinds, referredKinds } from '../../kinds/registry/kinds.ts'
import type { EntityRow } from '../entities/row.ts'
import { labelFacets } from './facets.ts'
import type { SearchExpression, Text } from './query.ts'
import { defaultParts, facetTerm, type SearchPart } from './words.ts'

/** Most owners and tags that stand for a text; where more match, only the words of their FQNs count. */
const maxLabels = 200

/** The same where some are hidden, whose words must not count. */
const maxSeenLabels = 5000

export interface LabelSearch {
  /** Existing entities of some kinds that match, also soft-deleted ones, of each status up to a number. */
  readonly find: (text: Text, kinds: readonly string[], most: number) => Promise<readonly EntityRow[]>
  /** The kinds of owners and tags whose names may be matched. */
  readonly visibleKinds: readonly string[]
}

/** Whether some owners and tags are hidden. @param seen see {@link LabelSearch.visibleKinds} */
export const hasHiddenKinds = (seen: readonly string[]): boolean => seen.length < labelKinds.length

const labelParts: ReadonlySet<SearchPart> = new Set(labelFacets.map(({ part }) => part))

const inText = async ({ find, visibleKinds }: LabelSearch, text: Text): Promise<Text> => {
  const { parts = defaultParts } = text
  const fields = labelFacets
    .filter(({ part }) => parts.includes(part))
    .map((field) => ({ ...field, kinds: referredKinds(field.part).filter((kind) => visibleKinds.includes(kind)) }))
  if (fields.length === 0) return text
  const [kinds, isHidden] = [fields.flatMap((field) => field.kinds), hasHiddenKinds(visibleKinds)]
  const most = isHidden ? maxSeenLabels : maxLabels
  const found = await find({ ...text, parts: ['displayName', 'path'] }, kinds, most + 1)
  const labels = found.flatMap((row) =>
    fields
      .filter((field) => field.kinds.includes(row.kind))
      .map(({ part, facet }) => ({ part, term: facetTerm(facet, incarnationOf(row)) })),
  )
  const isComplete = isHidden || found.length <= most
  return { ...text, labels, parts: isComplete ? parts.filter((part) => !labelParts.has(part)) : parts }
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
