import { memoize } from '../../shared/memoize.ts'
import { operandsOf, type SearchExpression, type Text, type Variant } from './query.ts'
import { defaultParts, nameTerm, partLetters, searchParts, type SearchPart } from './words.ts'

export type Form = Variant['form'] | 'exact'

/** Consecutive terms; the last one may be a prefix. */
export interface Sequence {
  readonly terms: readonly string[]
  readonly prefix: boolean
  readonly part: SearchPart
  readonly form: Form
}

const joinedTerm = (terms: readonly string[]): string =>
  (terms[0] as string).charAt(0) + terms.map((term) => term.slice(1)).join('')

export const sequencesOf = (text: Text, parts: readonly SearchPart[]): Sequence[] => {
  const wanted = parts.filter((part) => (text.parts ?? defaultParts).includes(part))
  const variants = [{ words: text.words, form: 'exact' as const }, ...(text.variants ?? [])]
  const labels = (text.labels ?? []).filter(({ part }) => parts.includes(part))
  const called = labels.map(({ part, term }): Sequence => ({ terms: [term], prefix: false, part, form: 'exact' }))
  const written = variants.flatMap(({ words, form }) =>
    wanted.flatMap((part) => {
      const letter = partLetters[part]
      const apart = { terms: words.map((word) => letter + word), prefix: text.prefix, part, form }
      return text.joined ? [apart, { ...apart, terms: [joinedTerm(apart.terms)] }] : [apart]
    }),
  )
  return [...written, ...called]
}

const isTerm = (one: SearchExpression): boolean => one.type === 'term' || (one.type === 'or' && one.of.every(isTerm))

/** The `nameTerm`s of entities named like the query; `undefined` if the query asks for more than a sequence of words. */
export const exactTerms = (expression: SearchExpression): string[] | undefined => {
  const texts = operandsOf(expression).filter((one) => !isTerm(one) && one.type !== 'not')
  if (texts.length === 0 || !texts.every((text): text is Text => text.type === 'text')) return undefined
  if (texts.some(({ parts }) => parts?.some((part) => part === 'name' || part === 'displayName') === false))
    return undefined
  const before = texts.slice(0, -1).flatMap(({ words }) => words)
  const { words, variants = [] } = texts.at(-1) as Text
  const keys = [words, ...variants.map((variant) => variant.words)].map((last) => [...before, ...last].join(''))
  return keys[0] === '' ? undefined : keys.map(nameTerm)
}

const termsAsked = function* (expression: SearchExpression): Generator<string> {
  if (expression.type === 'term') yield expression.term
  else if (expression.type === 'text') {
    for (const { terms } of sequencesOf(expression, searchParts)) yield terms[0] as string
  } else if (expression.type === 'not') yield* termsAsked(expression.of)
  else if (expression.type !== 'all') for (const part of expression.of) yield* termsAsked(part)
}

/** Compiles a query to terms, once for all entities. */
export const queryTerms = (expression: SearchExpression) => {
  const nameTerms = exactTerms(expression)
  const sequences = memoize((text: Text) => memoize((parts: readonly SearchPart[]) => sequencesOf(text, parts)))
  return {
    sequences: (text: Text, parts: readonly SearchPart[]): readonly Sequence[] => sequences(text)(parts),
    nameTerms,
    /** Those whose places are needed: the first of each sequence, and required ones. */
    terms: new Set([...termsAsked(expression), ...(nameTerms ?? [])]),
  }
}

export type QueryTerms = ReturnType<typeof queryTerms>
