import { entitiesProjection } from '../../entities/entitiesProjection.ts'
import { maxIndexed } from '../../entities/mongo/rows.ts'
import { encodeOrder, placeOf } from '../../entities/place.ts'
import { type EntityRow, statusNumber } from '../../entities/row.ts'
import { mongoBatching, type MongoLayout } from '../../mongo/mongoProjection.ts'
import type { Writing } from '../../mongo/storing.ts'
import type { Indexes } from '../../mongo/indexes.ts'
import { numberText } from '../../mongo/texts.ts'
import { searchProjection } from '../searchProjection.ts'
import { facetNames, facetValuesOf, type FacetName } from '../facets.ts'
import { canBeMeant, keysOf } from '../near.ts'
import { keyOf, popularityOf } from '../searchRank.ts'
import { searchTextOf } from '../searchText.ts'
import { isWord, searchTerms, sortName } from '../words.ts'

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
const knownWords = new WeakMap<object, Set<string>>()
const mostKnown = 200_000

const knownIn = (collection: object): Set<string> => {
  const known = knownWords.get(collection) ?? new Set()
  knownWords.set(collection, known)
  return known
}

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

/** The layout of the search collection. Words are only added, and concurrent additions are idempotent. */
export const searchLayout: MongoLayout<SearchDocument> = {
  ...searchProjection,
  batching: mongoBatching,
  uses: entitiesProjection.name,
  indexes,
  mayKeep: new RegExp(`^${wordPrefix}`),
  documentsOf: async (batch) => (await batch.rows()).map((row) => toSearchDocument(row)),
  writesOf: (writing) => ({ added: wordDocuments(newWords(writing)), newer: writing.documents }),
  stored: remember,
}
