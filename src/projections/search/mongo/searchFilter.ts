import type { Filter } from 'mongodb'
import { prefixRange } from '../../mongo/texts.ts'
import type { SearchDocument } from './documents.ts'
import { type SearchExpression } from '../query.ts'
import { searchParts, type SearchPart } from '../words.ts'
import type { Demand } from '../rank.ts'
import { sequencesOf, type Sequence } from '../asked.ts'

type SearchFilter = Filter<SearchDocument>
type Text = Extract<SearchExpression, { type: 'text' }>

const everything: SearchFilter = {}
const nothing: SearchFilter = { _id: { $in: [] } }

const allOf = (filters: SearchFilter[]): SearchFilter => {
  if (filters.length === 0) return everything
  return filters.length === 1 ? (filters[0] as SearchFilter) : { $and: filters }
}

const anyOf = (filters: SearchFilter[]): SearchFilter => {
  if (filters.length === 0) return nothing
  return filters.length === 1 ? (filters[0] as SearchFilter) : { $or: filters }
}

const beginsWith = (beginning: string): SearchFilter =>
  ({ terms: { $elemMatch: prefixRange(beginning) } }) as SearchFilter

/** All terms of the sequence, in any order. */
const holding = ({ terms, prefix }: Sequence): SearchFilter => {
  const whole = prefix ? terms.slice(0, -1) : terms
  const filters: SearchFilter[] = [...new Set(whole)].map((term) => ({ terms: term }))
  return allOf(prefix ? [...filters, beginsWith(terms.at(-1) as string)] : filters)
}

const isSingle = ({ terms }: Sequence): boolean => terms.length === 1

/** A filter cannot express adjacency: it matches too much and excludes nothing. Readers check the terms. */
const textFilter = (text: Text, parts: readonly SearchPart[], demanded: boolean): SearchFilter => {
  const sequences = sequencesOf(text, parts).filter((sequence) => demanded || isSingle(sequence))
  const words = sequences.filter((sequence) => isSingle(sequence) && !sequence.prefix).flatMap(({ terms }) => terms)
  const others = sequences.filter((sequence) => !isSingle(sequence) || sequence.prefix).map(holding)
  if (words.length === 0) return anyOf(others)
  return anyOf([{ terms: words.length === 1 ? (words[0] as string) : { $in: words } }, ...others])
}

const filterOf = (expression: SearchExpression, parts: readonly SearchPart[], demanded: boolean): SearchFilter => {
  switch (expression.type) {
    case 'all':
      return everything
    case 'and':
      return allOf(expression.of.map((part) => filterOf(part, parts, demanded)))
    case 'or':
      return anyOf(expression.of.map((part) => filterOf(part, parts, demanded)))
    case 'not':
      return { $nor: [filterOf(expression.of, searchParts, !demanded)] }
    case 'term':
      return { terms: expression.term }
    case 'text':
      return textFilter(expression, parts, demanded)
  }
}

/** A filter that matches at least everything wanted. */
export const filterFor = ({ expression, parts, called }: Demand): SearchFilter => {
  const filter = filterOf(expression, parts, true)
  return called === undefined ? filter : allOf([{ terms: { $in: [...called] } }, filter])
}

/** Whether the expression needs adjacency, so that the filter matches too much. */
export const asksForOrder = (expression: SearchExpression): boolean => {
  if (expression.type === 'text') return expression.words.length > 1
  if (expression.type === 'and' || expression.type === 'or') return expression.of.some(asksForOrder)
  return expression.type === 'not' && asksForOrder(expression.of)
}
