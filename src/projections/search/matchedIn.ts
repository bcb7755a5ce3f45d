import { incarnationKey, type Reference } from '../../events/events.ts'
import { pathsWhere } from '../../kinds/edges.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import { fromRow } from '../entities/entityRow.ts'
import type { EntityRow } from '../entities/row.ts'
import { isKind, labelFacets, referringFacets, relationOf } from './facets.ts'
import { textsIn } from './forms.ts'
import type { SearchExpression } from './query.ts'
import type { SearchPart } from './words.ts'
import { matcherOf } from './score.ts'
import { searchTextOf, type SearchText } from './searchText.ts'
import { facetTerm, fieldsPart, lines, termsOf, type HashedFacet } from './words.ts'

/** Number of places reported per hit. */
const most = 20

/** Required and optional terms, without excluded ones. */
const termsIn = (expression: SearchExpression): string[] => {
  if (expression.type === 'term') return [expression.term]
  if (expression.type === 'text') return (expression.labels ?? []).map(({ term }) => term)
  return expression.type === 'and' || expression.type === 'or' ? expression.of.flatMap(termsIn) : []
}

const facetOf: ReadonlyMap<string, HashedFacet> = new Map(referringFacets.map((name) => [relationOf(name), name]))

const labelParts: ReadonlyMap<string, SearchPart> = new Map(labelFacets.map(({ part }) => [part, part]))

/**
 * Finds where hits match the words, owners, tags and domains of a query: in members (`name`, `tags`), columns and
 * fields (`columns.address.city`), or their tags (`columns.address.city.tags`), quoted as in an FQN.
 */
export const placesMatching = (expression: SearchExpression): ((row: EntityRow) => string[]) => {
  const terms = new Set(termsIn(expression))
  const matchers = textsIn(expression).map(matcherOf)
  const has = (part: SearchPart, text: string): boolean =>
    text !== '' && matchers.length > 0 && matchersMatch(termsOf(part, text), part)
  const matchersMatch = (found: readonly string[], part: SearchPart): boolean =>
    matchers.some((matches) => matches(found, [part]))
  const isWanted = (reference: Reference, member: string): boolean => {
    const [facet, part] = [facetOf.get(member), labelParts.get(member)]
    if (facet !== undefined && terms.size > 0 && terms.has(facetTerm(facet, incarnationKey(reference)))) return true
    return part !== undefined && has(part, reference.fullyQualifiedName)
  }
  const inMembers = (row: EntityRow, text: SearchText): string[] => {
    const part = fieldsPart(row.kind)
    const isInFields = has(part, lines(text.fields))
    const isLabelled = terms.size > 0 || has('tags', lines(text.tags)) || has('owners', lines(text.owners))
    if (!isKind(row.kind) || (!isInFields && !isLabelled)) return []
    const definition = kindNamed(row.kind)
    const { members } = fromRow(row, definition)
    const fields = isInFields ? (definition.behaviour.searchFields?.of(members) ?? []) : []
    return [
      ...fields.flatMap(({ path, names }) => (names.some((name) => has(part, name)) ? [path] : [])),
      ...(isLabelled ? pathsWhere(definition, members, isWanted) : []),
    ]
  }
  return (row) => {
    const found = searchTextOf(row)
    const texts: readonly (readonly [string, SearchPart, string])[] = [
      ['name', 'name', found.name],
      ['displayName', 'displayName', found.displayName],
      ['fullyQualifiedName', 'path', lines(found.path.slice(0, -1))],
      ['description', 'description', found.description],
    ]
    const members = texts.flatMap(([member, part, text]) => (has(part, text) ? [member] : []))
    return [...members, ...inMembers(row, found)].slice(0, most)
  }
}
