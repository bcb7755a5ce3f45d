import type { Collection } from 'mongodb'
import { maxIndexed, placeOf, statusNumbers } from '../../entities/mongo/rows.ts'
import type { EntityRow } from '../../entities/row.ts'
import { ofShape } from '../../../stores/mongo/connection.ts'
import type { MongoLayout } from '../../mongo/mongoProjection.ts'
import { onlyDuplicates, writeNewer } from '../../mongo/writes.ts'
import { revisionIndex, type Indexes } from '../../mongo/indexes.ts'
import { numberText, orderly } from '../../mongo/texts.ts'
import { searchProjection } from '../searchProjection.ts'
import { canBeMeant, keysOf } from '../near.ts'
import { keyOf, popularityOf } from '../standing.ts'
import { isWord, searchTerms, sortName } from '../words.ts'

/** What MongoDB keeps of an entity to find it. */
export interface SearchDocument {
  /** The entity's id. */
  _id: string
  kind: string
  /** `statusNumbers` */
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
}

/** A word that a query with typing errors may mean. It stands among the others, so that it is replaced with them. */
export interface WordDocument {
  /** {@link wordId} */
  _id: string
  /** `keysOf` the word. */
  near: string[]
}

const wordPrefix = 'word '

export const wordId = (word: string): string => wordPrefix + word

export const wordIn = ({ _id }: Pick<WordDocument, '_id'>): string => _id.slice(wordPrefix.length)

const indexes: Indexes = {
  list: { kind: 1, status: 1, place: 1 },
  names: { kind: 1, status: 1, sortName: 1, place: 1 },
  times: { kind: 1, status: 1, updatedAt: 1, place: 1 },
  terms: { terms: 1, status: 1, key: 1 },
  near: { near: 1 },
  ...revisionIndex,
}

const toSearchDocument = (row: EntityRow): SearchDocument => ({
  _id: row.id,
  kind: row.kind,
  status: statusNumbers[row.status],
  place: placeOf(row.fullyQualifiedName, row.id),
  revision: numberText(row.revision),
  updatedAt: row.updatedAt,
  sortName: orderly(sortName(row)),
  terms: row.status === 'gone' ? [] : searchTerms(row).slice(0, maxIndexed),
  key: keyOf({ kind: row.kind, popularity: popularityOf(row), since: row.since }),
  popularity: popularityOf(row),
})

/** Words that this process has seen to be there, by collection. */
const knownWords = new WeakMap<object, Set<string>>()
const mostKnown = 200_000

/** Words are only ever added: what several processes add at once is there once. */
const writeWords = async (collection: Collection<SearchDocument>, documents: readonly SearchDocument[]) => {
  const known = knownWords.get(collection) ?? new Set()
  knownWords.set(collection, known)
  const words = new Set<string>()
  for (const { terms } of documents) for (const term of terms) if (!known.has(term) && isWord(term)) words.add(term)
  const added = new Set([...words].map((term) => term.slice(1)).filter(canBeMeant))
  if (added.size > 0)
    await ofShape<WordDocument>(collection)
      .bulkWrite(
        [...added].map((word) => ({ insertOne: { document: { _id: wordId(word), near: [...keysOf(word)] } } })),
        { ordered: false },
      )
      .catch((error: unknown) => {
        if (!onlyDuplicates(error)) throw error
      })
  if (known.size > mostKnown) known.clear()
  for (const term of words) known.add(term)
}

/** The collection of what is searched. */
export const searchLayout: MongoLayout<SearchDocument> = {
  ...searchProjection,
  indexes,
  documentsOf: async (batch) => (await batch.rows()).map(toSearchDocument),
  write: async (collection, documents) => {
    await writeWords(collection, documents)
    await writeNewer(collection, documents)
  },
}
