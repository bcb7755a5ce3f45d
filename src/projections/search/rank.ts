import type { SearchExpression, SearchPart } from './language/query.ts'
import { entityStatusTerm, kindTerm, nameTerm, partLetters, searchParts } from './words.ts'

/**
 * How well a hit matches, best first; this is its score. No engine counts words: the same hit has the same score
 * everywhere, whatever else is stored.
 * - 4: the query's words are the name, the display name or the FQN
 * - 3: the whole query matches with what it asks for standing in the names
 * - 2: the same with the names, the columns and fields, the tags and owners
 * - 1: it matches
 *
 * Hits of one score are ordered by FQN, then by id. Of more than {@link maxHits} hits of one score the first so many in the
 * order of their ids are taken; ids are hashes, so that is a sample that no engine and no history of changes influences.
 */
export const scores = [4, 3, 2, 1] as const
export type Score = (typeof scores)[number]

/** Hits that are counted, and ordered, for one query. */
export const maxHits = 10_000

/** Where the words of a query must stand for this score; exclusions look everywhere. */
export const partsOf = (score: Score): readonly SearchPart[] =>
  score >= 3 ? ['name'] : score === 2 ? ['name', 'fields', 'labels'] : searchParts

type Text = Extract<SearchExpression, { type: 'text' }>

/** The `nameTerm` that hits of score 4 have; `undefined` when the query is more than a sequence of words. */
export const exactTerm = (expression: SearchExpression): string | undefined => {
  const texts = expression.type === 'and' ? expression.of : [expression]
  if (!texts.every((text): text is Text => text.type === 'text')) return undefined
  if (texts.some(({ prefix, parts }) => prefix || parts?.includes('name') === false)) return undefined
  const key = texts.flatMap(({ words }) => words).join('')
  return key === '' ? undefined : nameTerm(key)
}

/** Does it ask for any text that must be there? Without one all hits have score 1. */
export const asksForText = (expression: SearchExpression): boolean => {
  if (expression.type === 'text') return true
  return (expression.type === 'and' || expression.type === 'or') && expression.of.some(asksForText)
}

/** Terms that stand one after the other, the last one perhaps only as a beginning. */
export interface Sequence {
  readonly terms: readonly string[]
  readonly prefix: boolean
}

/** Any of these matches the text in these parts. */
export const sequencesOf = (text: Text, parts: readonly SearchPart[]): Sequence[] =>
  parts
    .filter((part) => text.parts === undefined || text.parts.includes(part))
    .flatMap((part) => {
      const letter = partLetters[part]
      const apart = { terms: text.words.map((word) => letter + word), prefix: text.prefix }
      return text.joined ? [apart, { terms: [letter + text.words.join('')], prefix: text.prefix }] : [apart]
    })

const stands = ({ terms: wanted, prefix }: Sequence, terms: readonly string[]): boolean =>
  terms.some((_, start) =>
    wanted.every((term, index) => {
      const found = terms[start + index]
      return prefix && index === wanted.length - 1 ? found?.startsWith(term) === true : found === term
    }),
  )

const matches = (expression: SearchExpression, terms: readonly string[], parts: readonly SearchPart[]): boolean => {
  switch (expression.type) {
    case 'all':
      return true
    case 'and':
      return expression.of.every((part) => matches(part, terms, parts))
    case 'or':
      return expression.of.some((part) => matches(part, terms, parts))
    case 'not':
      return !matches(expression.of, terms, searchParts)
    case 'kind':
      return terms.includes(kindTerm(expression.value))
    case 'entityStatus':
      return terms.includes(entityStatusTerm(expression.value))
    case 'text':
      return sequencesOf(expression, parts).some((sequence) => stands(sequence, terms))
  }
}

/**
 * What every engine must come to, without an index.
 * @param terms `searchTerms` of the entity
 * @returns 0 when it does not match
 */
export const scoreOf = (expression: SearchExpression | undefined, terms: readonly string[]): Score | 0 => {
  if (expression === undefined) return 1
  if (!matches(expression, terms, searchParts)) return 0
  if (!asksForText(expression)) return 1
  const exact = exactTerm(expression)
  if (exact !== undefined && terms.includes(exact)) return 4
  return scores.find((score) => score < 4 && matches(expression, terms, partsOf(score))) ?? 1
}
