import type { Collection, Filter } from 'mongodb'
import type { Generation } from '../../mongo/generations.ts'
import { orderly, rangeOf } from '../../mongo/texts.ts'
import type { Source } from '../../mongo/source.ts'
import { makeTotals, type Totals } from '../../mongo/totals.ts'
import { statusNumbers } from '../../entities/mongo/rows.ts'
import { asksForOrder, filterFor } from './searchFilter.ts'
import type { EntityRow, ReferenceRow } from '../../entities/row.ts'
import type { EntityReads } from '../../entities/port.ts'
import type { Search, SearchHits, SearchQuery } from '../port.ts'
import type { SearchDocument } from './documents.ts'
import type { SearchExpression } from '../language/query.ts'
import { asksForText, maxHits, scoreOf, scores, type Score } from '../rank.ts'
import { nameKey, searchTerms } from '../words.ts'

/** What is searched, with the entities that are found. */
interface Searched extends Pick<EntityReads, 'getMany' | 'getReferences'> {
  readonly generation: Generation<SearchDocument>
  readonly totals: Totals<SearchDocument>
}

type Documents = Collection<SearchDocument>

/** A hit with what hits are ordered by. */
type Hit = Pick<SearchDocument, '_id' | 'place' | 'sortName' | 'updatedAt'>
const hitFields = { place: 1, sortName: 1, updatedAt: 1 } as const

type Scored = Hit & { score: number }

/** Up to so many hits are scored by their terms; of more, the server is asked for those of each score. */
const scoredByTerms = 500

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

const scopeOf = ({ kinds, deleted }: SearchQuery): Filter<SearchDocument> => ({
  status: deleted ? statusNumbers.deleted : statusNumbers.live,
  kind: kinds.length === 1 ? (kinds[0] as string) : { $in: [...kinds] },
})

/** Everything of these kinds: a walk along the index of the order. */
const searchAll = async (searched: Searched, query: SearchQuery): Promise<SearchHits> => {
  const { generation, totals } = searched
  const scope = scopeOf(query)
  const direction = directionOf(query)
  const page = generation.documents
    .find(scope)
    .project<Hit>(hitFields)
    .sort(orders[query.sort].map((field): [string, 1 | -1] => [field, direction]))
    .skip(query.from)
    .limit(query.size)
  const [total, hits] = await Promise.all([totals.count(generation, scope), query.size === 0 ? [] : page.toArray()])
  return { total, atLeast: false, hits: (await rowsOf(searched, hits)).map((row) => ({ row, score: 1 })) }
}

/** The first `limit` of those that reach this score, in id order. */
const hitsOf = async (
  documents: Documents,
  query: SearchQuery,
  expression: SearchExpression,
  score: Score,
  limit: number,
): Promise<Hit[]> => {
  const filter = filterFor(expression, score)
  if (filter === undefined) return []
  const found = documents.find({ $and: [scopeOf(query), filter] }).sort({ _id: 1 })
  if (!asksForOrder(expression)) return found.project<Hit>(hitFields).limit(limit).batchSize(limit).toArray()
  const hits: Hit[] = []
  const candidates = found.project<Hit & { terms: string[] }>({ ...hitFields, terms: 1 }).batchSize(1000)
  for await (const { terms, ...hit } of candidates) {
    if (scoreOf(expression, terms) >= score) hits.push(hit)
    if (hits.length === limit) break
  }
  return hits
}

const byTerms = async (documents: Documents, expression: SearchExpression, hits: readonly Hit[]): Promise<Scored[]> => {
  const found = documents
    .find({ _id: { $in: hits.map(({ _id }) => _id) } })
    .project<{ _id: string; terms: string[] }>({ terms: 1 })
    .batchSize(scoredByTerms)
  const scored = new Map((await found.toArray()).map(({ _id, terms }) => [_id, scoreOf(expression, terms)]))
  return hits.map((hit) => ({ ...hit, score: scored.get(hit._id) ?? 1 }))
}

/** Hits by score, each score in order, as far as the page reaches. */
const ranked = async (
  documents: Documents,
  query: SearchQuery,
  expression: SearchExpression,
  all: readonly Hit[],
): Promise<Scored[]> => {
  if (!asksForText(expression)) return inOrder(all, query).map((hit) => ({ ...hit, score: 1 }))
  if (all.length <= scoredByTerms) {
    const scored = Map.groupBy(await byTerms(documents, expression, all), ({ score }) => score)
    return scores.flatMap((score) => inOrder(scored.get(score) ?? [], query))
  }
  const result: Scored[] = []
  const seen = new Set<string>()
  for (const score of scores) {
    if (result.length >= query.from + query.size) break
    const hits = score === 1 ? all : await hitsOf(documents, query, expression, score, maxHits)
    for (const hit of inOrder(hits, query)) if (!seen.has(hit._id)) result.push({ ...hit, score })
    for (const { _id } of hits) seen.add(_id)
  }
  return result
}

/** The entities that were found, in the same order. */
const rowsOf = async ({ getMany }: Pick<Searched, 'getMany'>, hits: readonly Hit[]): Promise<EntityRow[]> => {
  const rows = await getMany(hits.map(({ _id }) => _id))
  return hits.flatMap(({ _id }) => rows.get(_id) ?? [])
}

/** See {@link import('../port.ts').Search.search}. */
const search = async (searched: Searched, query: SearchQuery): Promise<SearchHits> => {
  const { expression, from, size } = query
  const { documents } = searched.generation
  if (query.kinds.length === 0) return { total: 0, atLeast: false, hits: [] }
  if (expression === undefined) return searchAll(searched, query)
  const all = await hitsOf(documents, query, expression, 1, maxHits + 1)
  const atLeast = all.length > maxHits
  if (atLeast) all.pop()
  const counted = { total: all.length, atLeast }
  if (size === 0) return { ...counted, hits: [] }
  if (query.sort !== 'relevance') {
    const rows = await rowsOf(searched, inOrder(all, query).slice(from, from + size))
    return { ...counted, hits: rows.map((row) => ({ row, score: scoreOf(expression, searchTerms(row)) })) }
  }
  const page = (await ranked(documents, query, expression, all)).slice(from, from + size)
  const scoreById = new Map(page.map(({ _id, score }) => [_id, score]))
  const rows = await rowsOf(searched, page)
  return { ...counted, hits: rows.map((row) => ({ row, score: scoreById.get(row.id) ?? 1 })) }
}

/** See {@link import('../port.ts').Search.suggest}. */
const suggest = async (
  { generation, getReferences }: Searched,
  prefix: string,
  kinds: readonly string[],
  limit: number,
): Promise<ReferenceRow[]> => {
  const beginning = orderly(nameKey(prefix) || prefix.toLowerCase())
  if (beginning === '' || kinds.length === 0 || limit === 0) return []
  const found = await generation.documents
    .find({ kind: { $in: [...kinds] }, status: statusNumbers.live, sortName: rangeOf(beginning) })
    .project<{ _id: string }>({ _id: 1 })
    .sort({ sortName: 1, place: 1 })
    .limit(limit)
    .toArray()
  const references = await getReferences(found.map(({ _id }) => _id))
  return found.flatMap(({ _id }) => references.get(_id) ?? [])
}

/** Searches whatever collection is current. @param entities where those that are found are read */
export const searchReads = (
  source: Source<SearchDocument>,
  entities: Pick<EntityReads, 'getMany' | 'getReferences'>,
): Search => {
  const totals = makeTotals<SearchDocument>()
  const searched = async (): Promise<Searched> => ({ ...entities, generation: await source.current(), totals })
  return {
    search: async (query) => search(await searched(), query),
    suggest: async (prefix, kinds, limit) => suggest(await searched(), prefix, kinds, limit),
  }
}
