import { type SearchExpression } from '../query.ts'
import { searchParts, type SearchPart } from '../words.ts'
import type { Demand } from '../rank.ts'
import { sequencesOf, type Sequence } from '../asked.ts'
import { gap, kindTerm } from '../words.ts'
import type { SqliteFile } from '../../sqlite/file.ts'

/** The index knows the hits of beginnings up to this length, with the letter of the part; see `tables.ts`. */
export const indexedBeginnings = [2, 3, 4]
const longestIndexed = 4

/** Terms one after the other, in the language of the index. */
const quoted = (terms: readonly string[]): string => `"${terms.join(' ').replaceAll('"', '""')}"`

/** Beginnings of more terms are faster read as one list, although all of it is read before the first hit. */
const maxTerms = 32

interface Beginning {
  readonly terms: readonly string[]
  readonly all: boolean
}

/** The terms of the index that begin so: all, or the first of more than can be asked for one by one. */
const termsBeginning = (file: SqliteFile, beginning: string): Beginning => {
  const next = file.statement('SELECT term FROM temp.search_terms WHERE term >= ? LIMIT 1')
  const terms: string[] = []
  for (let from = beginning; ;) {
    const [term] = (next.get(from) ?? []) as [string?]
    if (term?.startsWith(beginning) !== true) return { terms, all: true }
    if (terms.length === maxTerms) return { terms, all: false }
    terms.push(term)
    from = `${term} `
  }
}

/** Every entity has this term. */
const everything = quoted([gap])

const anyOf = (matches: readonly string[]): string | undefined => {
  if (matches.length < 2) return matches[0]
  return `(${matches.join(' OR ')})`
}

/**
 * Beginnings that very many words have are read to their end before the first hit. `fewer`: some of the words are looked
 * for instead; `more`: a shorter beginning, whose hits the index knows. Whatever both find first, `all` finds first.
 */
export type Extent = 'all' | 'fewer' | 'more'

const opposite = { all: 'all', fewer: 'more', more: 'fewer' } as const

/** What an expression is made for. */
interface Making {
  readonly file: SqliteFile
  readonly extent: Extent
}

const indexedBeginningOf = (term: string): string => [...term].slice(0, longestIndexed).join('')

/** Beginnings of single words as the words that there are: their hits come in order, without reading all. */
const beginningOf = (terms: readonly string[], { file, extent }: Making): readonly string[] => {
  const [term = ''] = terms
  const whole = `${quoted(terms)} *`
  if (terms.length !== 1 || term.length <= longestIndexed) return [whole]
  const words = termsBeginning(file, term)
  if (words.all || extent === 'fewer') return words.terms.map((each) => quoted([each]))
  return [extent === 'all' ? whole : `${quoted([indexedBeginningOf(term)])} *`]
}

const matchesOf = ({ terms, prefix }: Sequence, making: Making): readonly string[] =>
  prefix ? beginningOf(terms, making) : [quoted(terms)]

/** The expression in the language of the index; `undefined` matches nothing. */
const toMatch = (expression: SearchExpression, parts: readonly SearchPart[], making: Making): string | undefined => {
  switch (expression.type) {
    case 'all':
      return everything
    case 'text':
      return anyOf(sequencesOf(expression, parts).flatMap((sequence) => matchesOf(sequence, making)))
    case 'term':
      return quoted([expression.term])
    case 'or':
      return anyOf(expression.of.map((part) => toMatch(part, parts, making)).filter((match) => match !== undefined))
    case 'not':
      return allOf([expression], parts, making)
    case 'and':
      return allOf(expression.of, parts, making)
  }
}

const allOf = (
  expressions: readonly SearchExpression[],
  parts: readonly SearchPart[],
  making: Making,
): string | undefined => {
  const without = { ...making, extent: opposite[making.extent] }
  const wanted: string[] = []
  const unwanted: string[] = []
  for (const expression of expressions) {
    const negated = expression.type === 'not'
    const match = negated ? toMatch(expression.of, searchParts, without) : toMatch(expression, parts, making)
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
export const matchFor = (
  { expression, parts, called }: Demand,
  file: SqliteFile,
  extent: Extent = 'all',
): string | undefined => {
  const match = toMatch(expression, parts, { file, extent })
  if (match === undefined || called === undefined) return match
  return `(${anyOf(called.map((term) => quoted([term])))} AND ${match})`
}

/** What kinds hits may be of: one of these, or any but these. */
export interface KindFilter {
  readonly kinds: readonly string[]
  readonly without: boolean
}

/** A match, of these kinds alone. */
export const ofKinds = (match: string, { kinds, without }: KindFilter): string => {
  const listed = anyOf(kinds.map((kind) => quoted([kindTerm(kind)])))
  return listed === undefined ? match : `(${match} ${without ? 'NOT' : 'AND'} ${listed})`
}
