import { incarnationKey, type Reference } from '../../events/events.ts'
import { pathsWhere } from '../../kinds/edges.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import { fromRow } from '../entities/entityRow.ts'
import type { EntityRow } from '../entities/row.ts'
import { escapeHtml } from '../../shared/escape.ts'
import { facetMembers, isKind, labelFacets, referenceFacets, type ReferenceFacet } from './facets.ts'
import { textsIn } from './forms.ts'
import type { SearchExpression } from './query.ts'
import { matcherOf } from './score.ts'
import { fqnsOf, searchTextOf, type SearchRow, type SearchText } from './searchText.ts'
import { facetTerm, fieldsPart, searchParts, wordSpans, termsOf, type SearchPart } from './words.ts'

/** Highlighted texts of a hit by member, as escaped HTML. */
export type Highlights = Readonly<Record<string, readonly string[]>>

/** Characters shown before the first mark and after the last one in a long text. */
const context = 80
const maxTexts = 5

type IsWanted = (word: string) => boolean

const wantedIn = (expression: SearchExpression, part: SearchPart): IsWanted => {
  const words = new Set<string>()
  const prefixes: string[] = []
  for (const text of textsIn(expression)) {
    if (text.parts?.includes(part) === false && !text.labels?.some((label) => label.part === part)) continue
    const all = [text.words, ...(text.variants ?? []).map((variant) => variant.words)]
    for (const [at, word] of all.flatMap((each) => [...each.entries()])) {
      if (text.prefix && at === text.words.length - 1) prefixes.push(word)
      else words.add(word)
    }
    if (text.joined)
      for (const each of all) (text.prefix ? prefixes : { push: (w: string) => words.add(w) }).push(each.join(''))
  }
  return (word) => words.has(word) || prefixes.some((prefix) => word.startsWith(prefix))
}

/** The place, or the next one if it is within a character of two code units. */
const betweenCharacters = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at)

/** The text with marked words; `undefined` if it has none. */
const marked = (text: string, isWanted: IsWanted): string | undefined => {
  const places = wordSpans(text).filter(({ word }) => isWanted(word))
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const begin = betweenCharacters(text, Math.max(0, first.from - context))
  const end = betweenCharacters(text, Math.min(text.length, Math.min(last.to, first.from + 4 * context) + context))
  let result = begin > 0 ? '…' : ''
  let at = begin
  for (const { from, to } of places) {
    if (to > end) break
    if (from < at) continue
    result += `${escapeHtml(text.slice(at, from))}<em>${escapeHtml(text.slice(from, to))}</em>`
    at = to
  }
  return result + escapeHtml(text.slice(at, end)) + (end < text.length ? '…' : '')
}

/** FQNs of the owners or tags that may match: by their words, or because they are named so now. */
const labelsIn = (expression: SearchExpression, part: SearchPart, references: readonly Reference[]): string[] => {
  if (textsIn(expression).some(({ parts }) => parts?.includes(part) !== false)) return fqnsOf(references)
  const terms = new Set(termsIn(expression))
  const facet = facetOf.get(part) as ReferenceFacet
  return fqnsOf(references.filter((each) => terms.has(facetTerm(facet, incarnationKey(each)))))
}

export const highlightsOf = (row: SearchRow, expression: SearchExpression): Highlights => {
  const { name, displayName, fields, tags, owners, description } = searchTextOf(row)
  const texts: readonly (readonly [string, SearchPart, readonly string[]])[] = [
    ['name', 'name', [name]],
    ['displayName', 'displayName', [displayName]],
    ['fields', fieldsPart(row.kind), fields],
    ['labels', 'tags', labelsIn(expression, 'tags', tags)],
    ['labels', 'owners', labelsIn(expression, 'owners', owners)],
    ['description', 'description', [description]],
  ]
  const found: Record<string, string[]> = {}
  for (const [member, part, lines] of texts) {
    const isWanted = wantedIn(expression, part)
    const all = [...(found[member] ?? []), ...lines.flatMap((line) => marked(line, isWanted) ?? [])]
    if (all.length > 0) found[member] = all.slice(0, maxTexts)
  }
  return found
}

const maxPlaces = 20

/** Required and optional terms, without excluded ones. */
const termsIn = (expression: SearchExpression): string[] => {
  if (expression.type === 'term') return [expression.term]
  if (expression.type === 'text') return (expression.labels ?? []).map(({ term }) => term)
  return expression.type === 'and' || expression.type === 'or' ? expression.of.flatMap(termsIn) : []
}

const facetOf: ReadonlyMap<string, ReferenceFacet> = new Map(referenceFacets.map((name) => [facetMembers[name], name]))

/** Each part as a list that stays the same, for which a matcher prepares itself once. */
const alone = Object.fromEntries(searchParts.map((part) => [part, [part]])) as unknown as Readonly<
  Record<SearchPart, readonly SearchPart[]>
>

const labelParts: ReadonlyMap<string, SearchPart> = new Map(labelFacets.map(({ part }) => [part, part]))

/**
 * Finds where hits match the words, owners, tags, domains and services of a query: in members (`name`, `tags`), columns and
 * fields (`columns.address.city`), or their tags (`columns.address.city.tags`), quoted as in an FQN.
 */
export const placesMatching = (expression: SearchExpression): ((row: EntityRow) => string[]) => {
  const terms = new Set(termsIn(expression))
  const matchers = textsIn(expression).map(matcherOf)
  const matching = (part: SearchPart, texts: readonly string[], among = matchers) => {
    const found = among.length === 0 ? [] : termsOf(part, texts)
    return among.filter((matches) => matches(found, alone[part]))
  }
  const has = (part: SearchPart, ...texts: readonly string[]): boolean => matching(part, texts).length > 0
  const isWanted = (reference: Reference, member: string): boolean => {
    const [facet, part] = [facetOf.get(member), labelParts.get(member)]
    if (facet !== undefined && terms.size > 0 && terms.has(facetTerm(facet, incarnationKey(reference)))) return true
    return part !== undefined && has(part, reference.fullyQualifiedName)
  }
  const inMembers = (row: EntityRow, text: SearchText): string[] => {
    const part = fieldsPart(row.kind)
    const inFields = matching(part, text.fields)
    const isLabelled = terms.size > 0 || has('tags', ...fqnsOf(text.tags)) || has('owners', ...fqnsOf(text.owners))
    if (!isKind(row.kind) || (inFields.length === 0 && !isLabelled)) return []
    const definition = kindNamed(row.kind)
    const { members } = fromRow(row, definition)
    const fields = inFields.length > 0 ? (definition.behaviour.searchFields?.of(members) ?? []) : []
    const isHit = (name: string): boolean => matching(part, [name], inFields).length > 0
    return [
      ...fields.flatMap(({ path, names }) => (names.some(isHit) ? [path] : [])),
      ...(isLabelled ? pathsWhere(definition, members, isWanted) : []),
    ]
  }
  return (row) => {
    const found = searchTextOf(row)
    const texts: readonly (readonly [string, SearchPart, string])[] = [
      ['name', 'name', found.name],
      ['displayName', 'displayName', found.displayName],
      ['fullyQualifiedName', 'path', found.path.slice(0, -1).join(' ')],
      ['description', 'description', found.description],
    ]
    const members = texts.flatMap(([member, part, text]) => (has(part, text) ? [member] : []))
    return [...members, ...inMembers(row, found)].slice(0, maxPlaces)
  }
}
