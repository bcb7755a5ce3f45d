import type { Collection, Filter } from 'mongodb'
import type { Generation } from '../../entities/mongo/generations.ts'
import { unshown, type Totals } from '../../entities/mongo/lists.ts'
import { chunksOf } from '../../entities/mongo/relations.ts'
import {
  fromDocument,
  orderly,
  rangeOf,
  referenceFields,
  statusNumbers,
  toReferenceRow,
  type EntityDocument,
  type ReferenceDocument,
} from '../../entities/mongo/rows.ts'
import { asksForOrder, filterFor } from './searchFilter.ts'
import type { EntityRow, ReferenceRow, SearchHits, SearchQuery } from '../../entities/readModels.ts'
import type { SearchExpression } from '../language/query.ts'
import { asksForText, maxHits, scoreOf, scores, type Score } from '../rank.ts'
import { nameKey, searchTerms } from '../words.ts'

type Entities = Collection<EntityDocument>

/** A hit with what hits are ordered by. */
type Hit = Pick<EntityDocument, '_id' | 'place' | 'sortName' | 'updatedAt'>
const hitFields = { place: 1, sortName: 1, updatedAt: 1 } as const

type Scored = Hit & { score: number }

/** Up to so many hits are scored by their terms; of more, the server is asked for those of each score. */
const scoredByTerms = 500

const idsAtOnce = 2000

const orders = {
  relevance: ['place'],
  fullyQualifiedName: ['place'],
  name: ['sortName', 'place'],
  updatedAt: ['updatedAt', 'place'],
} as const

const directionOf = ({ sort, descending }: SearchQuery): 1 | -1 => (descending && sort !== 'relevance' ? -1 : 1)

const inOrder = <T extends Hit>(hits: readonly T[], query: SearchQuery): T[] => {
  const direction = directionOf(query)
  return hits.toSorted((a, b) => {
    for (const field of orders[query.sort]) {
      if (a[field] !== b[field]) return a[field] < b[field] ? -direction : direction
    }
    return 0
  })
}

const scopeOf = ({ kinds, deleted }: SearchQuery): Filter<EntityDocument> => ({
  status: deleted ? statusNumbers.deleted : statusNumbers.live,
  kind: kinds.length === 1 ? (kinds[0] as string) : { $in: [...kinds] },
})

/** Everything of these kinds: a walk along the index of the order. */
const searchAll = async (generation: Generation, totals: Totals, query: SearchQuery): Promise<SearchHits> => {
  const scope = scopeOf(query)
  const direction = directionOf(query)
  const page = generation.entities
    .find(scope)
    .project<EntityDocument>(unshown)
    .sort(orders[query.sort].map((field): [string, 1 | -1] => [field, direction]))
    .skip(query.from)
    .limit(query.size)
  const [total, documents] = await Promise.all([
    totals.count(generation, scope),
    query.size === 0 ? [] : page.toArray(),
  ])
  return { total, atLeast: false, hits: documents.map((document) => ({ row: fromDocument(document), score: 1 })) }
}

/** The first `limit` of those that reach this score, in id order. */
const hitsOf = async (
  entities: Entities,
  query: SearchQuery,
  expression: SearchExpression,
  score: Score,
  limit: number,
): Promise<Hit[]> => {
  const filter = filterFor(expression, score)
  if (filter === undefined) return []
  const found = entities.find({ $and: [scopeOf(query), filter] }).sort({ _id: 1 })
  if (!asksForOrder(expression)) return found.project<Hit>(hitFields).limit(limit).batchSize(limit).toArray()
  const hits: Hit[] = []
  const candidates = found.project<Hit & { terms: string[] }>({ ...hitFields, terms: 1 }).batchSize(1000)
  for await (const { terms, ...hit } of candidates) {
    if (scoreOf(expression, terms) >= score) hits.push(hit)
    if (hits.length === limit) break
  }
  return hits
}

const byTerms = async (entities: Entities, expression: SearchExpression, hits: readonly Hit[]): Promise<Scored[]> => {
  const found = entities
    .find({ _id: { $in: hits.map(({ _id }) => _id) } })
    .project<{ _id: string; terms: string[] }>({ terms: 1 })
    .batchSize(scoredByTerms)
  const scored = new Map((await found.toArray()).map(({ _id, terms }) => [_id, scoreOf(expression, terms)]))
  return hits.map((hit) => ({ ...hit, score: scored.get(hit._id) ?? 1 }))
}

/** Hits by score, each score in order, as far as the page reaches. */
const ranked = async (
  entities: Entities,
  query: SearchQuery,
  expression: SearchExpression,
  all: readonly Hit[],
): Promise<Scored[]> => {
  if (!asksForText(expression)) return inOrder(all, query).map((hit) => ({ ...hit, score: 1 }))
  if (all.length <= scoredByTerms) {
    const scored = Map.groupBy(await byTerms(entities, expression, all), ({ score }) => score)
    return scores.flatMap((score) => inOrder(scored.get(score) ?? [], query))
  }
  const result: Scored[] = []
  const seen = new Set<string>()
  for (const score of scores) {
    if (result.length >= query.from + query.size) break
    const hits = score === 1 ? all : await hitsOf(entities, query, expression, score, maxHits)
    for (const hit of inOrder(hits, query)) if (!seen.has(hit._id)) result.push({ ...hit, score })
    for (const { _id } of hits) seen.add(_id)
  }
  return result
}

const rowsOf = async (entities: Entities, hits: readonly Hit[]): Promise<EntityRow[]> => {
  const rows = new Map<string, EntityRow>()
  for (const ids of chunksOf(
    hits.map(({ _id }) => _id),
    idsAtOnce,
  )) {
    const documents = entities.find({ _id: { $in: ids } }).project<EntityDocument>(unshown)
    for await (const document of documents) rows.set(document._id, fromDocument(document))
  }
  return hits.flatMap(({ _id }) => rows.get(_id) ?? [])
}

/** See {@link import('../../entities/readModels.ts').ReadModels.search}. */
export const search = async (generation: Generation, totals: Totals, query: SearchQuery): Promise<SearchHits> => {
  const { expression, from, size } = query
  const { entities } = generation
  if (query.kinds.length === 0) return { total: 0, atLeast: false, hits: [] }
  if (expression === undefined) return searchAll(generation, totals, query)
  const all = await hitsOf(entities, query, expression, 1, maxHits + 1)
  const atLeast = all.length > maxHits
  if (atLeast) all.pop()
  const counted = { total: all.length, atLeast }
  if (size === 0) return { ...counted, hits: [] }
  if (query.sort !== 'relevance') {
    const rows = await rowsOf(entities, inOrder(all, query).slice(from, from + size))
    return { ...counted, hits: rows.map((row) => ({ row, score: scoreOf(expression, searchTerms(row)) })) }
  }
  const page = (await ranked(entities, query, expression, all)).slice(from, from + size)
  const scoreById = new Map(page.map(({ _id, score }) => [_id, score]))
  const rows = await rowsOf(entities, page)
  return { ...counted, hits: rows.map((row) => ({ row, score: scoreById.get(row.id) ?? 1 })) }
}

/** See {@link import('../../entities/readModels.ts').ReadModels.suggest}. */
export const suggest = async (
  { entities }: Generation,
  prefix: string,
  kinds: readonly string[],
  limit: number,
): Promise<ReferenceRow[]> => {
  const beginning = orderly(nameKey(prefix) || prefix.toLowerCase())
  if (beginning === '' || kinds.length === 0 || limit === 0) return []
  const documents = await entities
    .find({ kind: { $in: [...kinds] }, status: statusNumbers.live, sortName: rangeOf(beginning) })
    .project<ReferenceDocument>(referenceFields)
    .sort({ sortName: 1, place: 1 })
    .limit(limit)
    .toArray()
  return documents.map(toReferenceRow)
}
