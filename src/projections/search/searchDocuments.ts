import { hashNumber, type DocumentLayout, type TableLayout } from '../documents/port.ts'
import { encodeOrder, placeOf } from '../entities/place.ts'
import { entitiesProjection, statusNumber, type EntityRow } from '../entities/row.ts'
import { facetTextsOf } from './facets.ts'
import { isTypoTarget, deletionKeys } from './similarWords.ts'
import { searchProjection } from './port.ts'
import { keyOf, popularityOf } from './searchRank.ts'
import { searchTextOf } from './searchText.ts'
import { isWord, searchTerms, sortName } from './words.ts'

/** An entity in the search index. */
export interface SearchDocument {
  readonly id: string
  readonly kind: string
  /** `statusNumber` */
  readonly status: number
  /** `placeOf` the entity. */
  readonly place: string
  /** `keyOf` the entity: hits are read in this order. */
  readonly key: number
  readonly revision: bigint
  readonly updatedAt: number
  /** `popularityOf` the entity. */
  readonly popularity: number
  /** `sortName` of the entity, encoded as a place is. */
  readonly sortName: string
  /** `facetTextsOf` the entity. */
  readonly facets: readonly string[]
  /** `searchTerms` of the entity, in their order. */
  readonly terms: readonly string[]
}

/** A word that a mistyped query may mean. */
interface SearchWord {
  readonly number: bigint
  readonly word: string
  /** `deletionKeys` of the word. */
  readonly near: readonly string[]
}

/** Words stay when no entity has them any more, except those of people, see `unusedWords`. */
export const searchWords: TableLayout<SearchWord> = {
  name: 'search_words',
  key: ['number'],
  members: { number: 'position', word: 'text', near: 'list' },
  indexes: { near: [] },
  remains: true,
}

/** Number of documents with a facet text, where these are counted as they are written. */
export const facetCounts: TableLayout<Pick<SearchDocument, 'kind' | 'status'> & { facet: string; n: number }> = {
  name: 'search_facets',
  key: ['kind', 'status', 'facet'],
  members: { kind: 'text', status: 'number', facet: 'text', n: 'number' },
  indexes: {},
}

export const searchDocuments: DocumentLayout<SearchDocument> = {
  ...searchProjection,
  uses: entitiesProjection.name,
  key: ['id'],
  members: {
    id: 'text',
    kind: 'text',
    status: 'number',
    place: 'text',
    key: 'number',
    revision: 'position',
    updatedAt: 'number',
    popularity: 'number',
    sortName: 'text',
    facets: 'list',
    terms: 'list',
  },
  indexes: {},
  serverIndexes: {
    list: { kind: 1, status: 1, place: 1 },
    names: { kind: 1, status: 1, sortName: 1, place: 1 },
    times: { kind: 1, status: 1, updatedAt: 1, place: 1 },
    terms: { terms: 1, status: 1, key: 1 },
  },
  otherTables: [searchWords as TableLayout<never>, facetCounts as TableLayout<never>],
}

export const toSearchDocument = (row: EntityRow): SearchDocument => {
  const text = searchTextOf(row)
  const popularity = popularityOf(row)
  const isGone = row.status === 'gone'
  return {
    id: row.id,
    kind: row.kind,
    status: statusNumber[row.status],
    place: placeOf(row.fullyQualifiedName, row.id),
    key: keyOf({ kind: row.kind, popularity, since: row.since }),
    revision: row.revision,
    updatedAt: row.updatedAt,
    popularity,
    sortName: encodeOrder(sortName(row, text)),
    facets: isGone ? [] : facetTextsOf(row),
    terms: isGone ? [] : searchTerms(row, text),
  }
}

/** The words in these documents that a mistyped query may mean; others, such as codes, are often unique. */
export const typoTargetsIn = (documents: readonly Pick<SearchDocument, 'terms'>[]): Set<string> => {
  const words = new Set<string>()
  for (const { terms } of documents) for (const term of terms) if (isWord(term)) words.add(term.slice(1))
  return new Set([...words].filter(isTypoTarget))
}

const maxKnownWords = 200_000

/** The words in these documents that are not known yet; adds them to the known ones. */
export const newWords = (documents: readonly Pick<SearchDocument, 'terms'>[], known: Set<string>): SearchWord[] => {
  const found = [...typoTargetsIn(documents)].filter((word) => !known.has(word))
  if (known.size + found.length > maxKnownWords) known.clear()
  for (const word of found) known.add(word)
  return found.map((word) => ({ number: hashNumber(word), word, near: [...deletionKeys(word)] }))
}
