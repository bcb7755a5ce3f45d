import type { Filter } from 'mongodb'
import { once } from '../../../shared/once.ts'
import { maxIndexed } from '../../documents/mongoFields.ts'
import { encodeOrder, placeOf } from '../../entities/place.ts'
import { type EntityRow, statusNumber, entitiesProjection } from '../../entities/row.ts'
import { mongoBatching, type MongoLayout } from '../../mongo/mongoProjection.ts'
import type { DocumentChanges, Writing } from '../../mongo/storing.ts'
import { upserting } from '../../mongo/writes.ts'
import type { Indexes } from '../../mongo/indexes.ts'
import { numberText, prefixRange } from '../../mongo/texts.ts'
import { searchProjection } from '../port.ts'
import { facetNames, facetValuesOf, type FacetName } from '../facets.ts'
import { canBeMeant, keysOf } from '../near.ts'
import { keyOf, popularityOf } from '../searchRank.ts'
import { searchTextOf } from '../searchText.ts'
import { isWord, searchTerms, sortName, searchParts, type SearchPart } from '../words.ts'
import type { SearchExpression } from '../query.ts'
import type { Demand } from '../rank.ts'
import { sequencesOf, type Sequence } from '../queryTerms.ts'

export interface SearchDocument {
  _id: string
  kind: string
  /** `statusNumber` */
  status: number
  /** `placeOf` */
  place: string
  /** `numberText` */
  revision: string
  updatedAt: number
  /** `sortName` of the entity, `orderly`. */
  sortName: string
  /** `searchTerms` of the entity, in their order; the first {@link maxIndexed} of them. */
  terms: string[]
  /** `keyOf` the entity: hits are read in this order. */
  key: number
  /** `popularityOf` the entity. */
  popularity: number
  /** {@link facetText} of each value of a facet that it has; the first {@link mostFacets} of them. */
  facets: string[]
}

/** An indexed word for typo tolerance, stored with the other documents so that it is replaced with them. */
export interface WordDocument {
  /** {@link wordId} */
  _id: string
  /** `keysOf` the word. */
  near: string[]
}

/** Facet names contain no space. */
const facetText = (name: FacetName, value: string): string => `${name} ${value}`

export const facetIn = (text: string): [name: FacetName, value: string] => {
  const space = text.indexOf(' ')
  return [text.slice(0, space) as FacetName, text.slice(space + 1)]
}

/** Largest number of facet values, about 2 MB of a document. */
const mostFacets = 50_000

const wordPrefix = 'word '

const wordId = (word: string): string => wordPrefix + word

export const wordIn = ({ _id }: Pick<WordDocument, '_id'>): string => _id.slice(wordPrefix.length)

const indexes: Indexes = {
  list: { kind: 1, status: 1, place: 1 },
  names: { kind: 1, status: 1, sortName: 1, place: 1 },
  times: { kind: 1, status: 1, updatedAt: 1, place: 1 },
  terms: { terms: 1, status: 1, key: 1 },
  near: { near: 1 },
}

const toSearchDocument = (row: EntityRow, text = searchTextOf(row)): SearchDocument => ({
  _id: row.id,
  kind: row.kind,
  status: statusNumber[row.status],
  place: placeOf(row.fullyQualifiedName, row.id),
  revision: numberText(row.revision),
  updatedAt: row.updatedAt,
  sortName: encodeOrder(sortName(row, text)),
  terms: row.status === 'gone' ? [] : searchTerms(row, text).slice(0, maxIndexed),
  key: keyOf({ kind: row.kind, popularity: popularityOf(row), since: row.since }),
  popularity: popularityOf(row),
  facets: row.status === 'gone' ? [] : facetTexts(row).slice(0, mostFacets),
})

const facetTexts = (row: EntityRow): string[] =>
  facetNames.flatMap((name) => facetValuesOf(row, name).map((value) => facetText(name, value)))

/** Words known to be stored, by collection. */
const knownIn = once<object, Set<string>>(() => new Set())
const mostKnown = 200_000

type SearchWriting = Writing<SearchDocument>

/** Words not known to be stored. */
const newWords = (writing: SearchWriting): ReadonlySet<string> => {
  const known = knownIn(writing.generation.documents)
  const words = new Set<string>()
  for (const { terms } of writing.documents)
    for (const term of terms) if (!known.has(term) && isWord(term)) words.add(term)
  return words
}

const remember = (writing: SearchWriting): void => {
  const known = knownIn(writing.generation.documents)
  if (known.size > mostKnown) known.clear()
  for (const word of newWords(writing)) known.add(word)
}

const wordDocuments = (words: ReadonlySet<string>): WordDocument[] => {
  const meant = new Set([...words].map((term) => term.slice(1)).filter(canBeMeant))
  return [...meant].map((word) => ({ _id: wordId(word), near: [...keysOf(word)] }))
}

const isFirst = ({ revision }: SearchDocument): boolean => revision === firstRevision
const firstRevision = numberText(0n)

/** A document takes the place of older ones alone. */
const writesOf = (writing: SearchWriting): DocumentChanges => ({
  added: [...wordDocuments(newWords(writing)), ...writing.documents.filter(isFirst)],
  upserts: writing.documents
    .filter((document) => !isFirst(document))
    .map((document) => upserting(document, { _id: document._id, revision: { $lt: document.revision } })),
})

/** The layout of the search collection. Words are only added, and concurrent additions are idempotent. */
export const searchLayout: MongoLayout<SearchDocument> = {
  ...searchProjection,
  batching: mongoBatching,
  uses: entitiesProjection.name,
  indexes,
  mayKeep: new RegExp(`^${wordPrefix}`),
  documentsOf: async (batch) => (await batch.rows()).map((row) => toSearchDocument(row)),
  writesOf,
  stored: remember,
}

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
