import type { SearchExpression, SearchPart } from '../language/query.ts'
import type { Demand } from '../rank.ts'
import { sequencesOf, type Sequence } from '../score.ts'
import { gap, kindTerm, searchParts } from '../words.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { wordsTable } from './searchIndex.ts'

/** Terms of the index that begin so; `undefined` when they are too many to be asked for one by one. */
export type TermsBeginning = (beginning: string) => readonly string[] | undefined

/** The index knows the hits of beginnings up to this length, with the letter of the part; see `searchIndex.ts`. */
export const indexedBeginnings = [2, 3, 4]
const longestIndexed = 4

/** Beginnings of more terms than this are faster read as one list, though all of it is read before the first hit is known. */
const maxTerms = 32

/** Looks terms up in the index itself, from one to the next. */
export const termsIn = (file: SqliteFile, table: ReturnType<typeof wordsTable>): TermsBeginning => {
  return (beginning) => {
    const next = file.statement(`SELECT term FROM temp.${table}_terms WHERE term >= ? LIMIT 1`)
    const terms: string[] = []
    for (let from = beginning; ;) {
      const [term] = (next.get(from) ?? []) as [string?]
      if (term?.startsWith(beginning) !== true) return terms
      if (terms.length === maxTerms) return undefined
      terms.push(term)
      from = `${term} `
    }
  }
}

const quoted = (terms: readonly string[]): string => `"${terms.join(' ').replaceAll('"', '""')}"`

/** Every entity has this term. */
const everything = quoted([gap])

const anyOf = (matches: readonly string[]): string | undefined => {
  if (matches.length < 2) return matches[0]
  return `(${matches.join(' OR ')})`
}

/** Beginnings of single words as the words that there are: hits of words are given in order, without reading all of them. */
const matchesOf = ({ terms, prefix }: Sequence, termsBeginning: TermsBeginning): readonly string[] => {
  if (!prefix) return [quoted(terms)]
  const [term = ''] = terms
  const complete = terms.length === 1 && term.length > longestIndexed ? termsBeginning(term) : undefined
  return complete?.map((term) => quoted([term])) ?? [`${quoted(terms)} *`]
}

/** The expression in the language of the index; `undefined` matches nothing. */
const toMatch = (
  expression: SearchExpression,
  parts: readonly SearchPart[],
  termsBeginning: TermsBeginning,
): string | undefined => {
  switch (expression.type) {
    case 'all':
      return everything
    case 'text':
      return anyOf(sequencesOf(expression, parts).flatMap((sequence) => matchesOf(sequence, termsBeginning)))
    case 'term':
      return quoted([expression.term])
    case 'or':
      return anyOf(
        expression.of.map((part) => toMatch(part, parts, termsBeginning)).filter((match) => match !== undefined),
      )
    case 'not':
      return allOf([expression], parts, termsBeginning)
    case 'and':
      return allOf(expression.of, parts, termsBeginning)
  }
}

const allOf = (
  expressions: readonly SearchExpression[],
  parts: readonly SearchPart[],
  termsBeginning: TermsBeginning,
): string | undefined => {
  const wanted: string[] = []
  const unwanted: string[] = []
  for (const expression of expressions) {
    const negated = expression.type === 'not'
    const match = negated
      ? toMatch(expression.of, searchParts, termsBeginning)
      : toMatch(expression, parts, termsBeginning)
    if (negated) unwanted.push(...(match === undefined ? [] : [match]))
    else if (match === undefined) return undefined
    else wanted.push(match)
  }
  const positive =
    wanted.length === 0 ? everything : wanted.length === 1 ? (wanted[0] as string) : `(${wanted.join(' AND ')})`
  const negative = anyOf(unwanted)
  return negative === undefined ? positive : `(${positive} NOT ${negative})`
}

/** What is demanded, in the language of the index; `undefined`: nothing matches. */
export const matchFor = ({ expression, parts, called }: Demand, termsBeginning: TermsBeginning): string | undefined => {
  const match = toMatch(expression, parts, termsBeginning)
  if (match === undefined || called === undefined) return match
  return `(${anyOf(called.map((term) => quoted([term])))} AND ${match})`
}

/** A match, of these kinds alone. */
export const ofKinds = (match: string, kinds: readonly string[]): string =>
  `(${match} AND ${anyOf(kinds.map((kind) => quoted([kindTerm(kind)])))})`
