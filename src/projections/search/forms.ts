import type { SearchExpression, Text, Variant } from './query.ts'
import { allowsTypos } from './similarWords.ts'

const irregular: readonly (readonly [string, string])[] = [
  ['person', 'people'],
  ['child', 'children'],
  ['index', 'indices'],
  ['vertex', 'vertices'],
  ['matrix', 'matrices'],
  ['datum', 'data'],
  ['criterion', 'criteria'],
  ['analysis', 'analyses'],
  ['leaf', 'leaves'],
  ['half', 'halves'],
  ['life', 'lives'],
  ['shelf', 'shelves'],
  ['medium', 'media'],
  ['quiz', 'quizzes'],
]
const irregularForms = new Map(irregular.flatMap(([one, many]) => [[one, many] as const, [many, one] as const]))

/** Shorter words count as abbreviations, without inflection. */
const shortest = 3

const plain = /^[a-z]+$/
const sibilant = /(?:s|x|z|ch|sh)$/

const plurals = (word: string): string[] => {
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ies`]
  if (sibilant.test(word)) return [`${word}es`]
  return word.endsWith('o') ? [`${word}s`, `${word}es`] : [`${word}s`]
}

/** What may be the singular of a word with -s: what is no word finds nothing. */
const singulars = (word: string): string[] => [
  ...(word.endsWith('ies') ? [`${word.slice(0, -3)}y`] : []),
  ...(/(?:s|x|z|ch|sh|o)es$/.test(word) ? [word.slice(0, -2)] : []),
  word.slice(0, -1),
]

/** Possible singulars and plurals of an English word; none for short words and other scripts. */
export const inflections = (word: string): string[] => {
  if (word.length < shortest || !plain.test(word)) return []
  const known = irregularForms.get(word)
  const isPlural = word.endsWith('s') && !word.endsWith('ss')
  const regular = isPlural ? [...singulars(word), ...(word.endsWith('us') ? [`${word}es`] : [])] : plurals(word)
  return [...(known === undefined ? [] : [known]), ...regular].filter((form) => form.length >= shortest)
}

/** Maps the required texts of an expression; excluded ones are unchanged. */
const mapTexts = (expression: SearchExpression, change: (text: Text) => SearchExpression): SearchExpression => {
  if (expression.type === 'text') return change(expression)
  if (expression.type !== 'and' && expression.type !== 'or') return expression
  return { ...expression, of: expression.of.map((part) => mapTexts(part, change)) }
}

export const textsIn = (expression: SearchExpression): Text[] => {
  if (expression.type === 'text') return [expression]
  return expression.type === 'and' || expression.type === 'or' ? expression.of.flatMap(textsIn) : []
}

const variantsOf = ({ words }: Text, last: readonly string[], form: Variant['form']): Variant[] =>
  last.map((word) => ({ words: [...words.slice(0, -1), word], form }))

/** Adds singular and plural forms of the last word of each text. */
export const withInflections = (expression: SearchExpression): SearchExpression =>
  mapTexts(expression, (text) => {
    if (text.quoted || text.prefix) return text
    const variants = variantsOf(text, inflections(text.words.at(-1) as string), 'inflected')
    return variants.length === 0 ? text : { ...text, variants }
  })

/** Words of a query that may have typing errors. */
export const typoCandidates = (text: Text): readonly string[] =>
  text.quoted || text.prefix ? [] : text.words.filter((word) => allowsTypos(word))

/** Adds similar words (`near`) to the words of the query. */
export const withSimilarWords = (
  expression: SearchExpression,
  near: ReadonlyMap<string, readonly string[]>,
): SearchExpression =>
  mapTexts(expression, (text) => {
    if (text.quoted || text.prefix) return text
    const added = text.words.flatMap((word, at): Variant[] =>
      (near.get(word) ?? [])
        .flatMap((other) => [other, ...(at === text.words.length - 1 ? inflections(other) : [])])
        .map((other) => ({ words: text.words.with(at, other), form: 'near' })),
    )
    return added.length === 0 ? text : { ...text, variants: [...(text.variants ?? []), ...added] }
  })
