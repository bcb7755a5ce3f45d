import type { SearchExpression, Variant } from './query.ts'
import { mayHaveErrors } from './near.ts'

/** Plurals that no rule makes, as data catalogs have them. */
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
]
const irregularForms = new Map(irregular.flatMap(([one, many]) => [[one, many] as const, [many, one] as const]))

/** Shorter words have no forms: they are abbreviations. */
const shortest = 3

const plain = /^[a-z]+$/
const sibilant = /(?:s|x|z|ch|sh)$/

const plural = (word: string): string => {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return sibilant.test(word) ? `${word}es` : `${word}s`
}

/** What may be the singular of a word: English does not say whether `es` or `s` was added. */
const singulars = (word: string): string[] => {
  if (!word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return []
  if (word.endsWith('ies')) return word.length > 4 ? [`${word.slice(0, -3)}y`] : []
  const without = word.slice(0, -1)
  const shorter = word.slice(0, -2)
  return word.endsWith('es') && sibilant.test(shorter) ? [shorter, without] : [without]
}

/** What may be the singular or plural of an English word; none of one that is short or has other letters. */
export const inflections = (word: string): string[] => {
  if (word.length < shortest || !plain.test(word)) return []
  const known = irregularForms.get(word)
  if (known !== undefined) return [known]
  return word.endsWith('s') && !word.endsWith('ss')
    ? [...singulars(word), ...(word.endsWith('us') ? [`${word}es`] : [])].filter((form) => form.length >= shortest)
    : [plural(word)]
}

type Text = Extract<SearchExpression, { type: 'text' }>

/** Changes the texts that must be there; what is excluded stays as it is. */
export const mapTexts = (expression: SearchExpression, change: (text: Text) => SearchExpression): SearchExpression => {
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

/** Finds singular and plural together: the last word of a name is the one that has a number. */
export const withInflections = (expression: SearchExpression): SearchExpression =>
  mapTexts(expression, (text) => {
    if (text.quoted || text.prefix) return text
    const variants = variantsOf(text, inflections(text.words.at(-1) as string), 'inflected')
    return variants.length === 0 ? text : { ...text, variants }
  })

/** Words with a typing error that may be forgiven. */
export const mayBeMistyped = (text: Text): readonly string[] =>
  text.quoted || text.prefix ? [] : text.words.filter((word) => mayHaveErrors(word))

/** Lets words stand for those of the query that are `near` them. */
export const withNear = (
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
