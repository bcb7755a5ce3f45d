import type { Collection, Filter } from 'mongodb'
import type { Source } from '../../mongo/reading.ts'
import { typedCollection } from '../../../stores/mongo/connection.ts'
import type { Generation } from '../../mongo/generations.ts'
import { keptInMongo } from '../../mongo/mongoProjection.ts'
import { prefixRange } from '../../mongo/texts.ts'
import { encodeOrder, fqnIn } from '../../entities/place.ts'
import { facetFrom, type FacetName, type Facets } from '../facets.ts'
import { type EntityRow, type ReferenceRow, statusNumber } from '../../entities/row.ts'
import type { EntityReads } from '../../entities/port.ts'
import type { Search, SearchHits, SearchQuery } from '../port.ts'
import {
  facetIn,
  searchLayout,
  wordIn,
  type SearchDocument,
  type WordDocument,
  asksForOrder,
  filterFor,
} from './documents.ts'
import { searchIn, type HitLocation, type SearchEngine, type FacetFilter } from '../find.ts'
import { settledEngine } from '../settledSearch.ts'
import { keysNear, nearest } from '../near.ts'
import type { Demand, HitFacts } from '../rank.ts'
import { matcherOf } from '../score.ts'
import { facetTerm, nameKey } from '../words.ts'
import { makeTotalCache, type Totals } from '../../mongo/totals.ts'

interface Searched extends Pick<EntityReads, 'get' | 'getMany' | 'getHeads' | 'getReferences'> {
  readonly generation: Generation<SearchDocument>
  readonly totals: Totals<SearchDocument>
}

type Documents = Collection<SearchDocument>

type Hit = Pick<SearchDocument, '_id' | 'place' | 'sortName' | 'updatedAt'>
const hitFields = { place: 1, sortName: 1, updatedAt: 1 } as const

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

const scopeOf = ({ kinds, deleted, ids }: SearchQuery): Filter<SearchDocument> => ({
  status: deleted ? statusNumber.deleted : statusNumber.live,
  kind: kinds.length === 1 ? (kinds[0] as string) : { $in: [...kinds] },
  ...(ids !== undefined && { _id: { $in: [...ids] } }),
})

/** All entities of these kinds, by an ordered index. */
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
  const rows = await rowsOf(
    searched,
    hits.map(({ _id }) => _id),
  )
  return { total, atLeast: false, hits: rows.flatMap((row) => row ?? []).map((row) => ({ row, score: 1 })) }
}

/** The ids of the first `limit` matches in key order. */
const matching = async (
  documents: Documents,
  query: SearchQuery,
  demand: Demand,
  limit: number,
): Promise<readonly string[]> => {
  const found = documents.find({ $and: [scopeOf(query), filterFor(demand)] }).sort({ key: 1 })
  if (!asksForOrder(demand.expression)) {
    const page = found.project<{ _id: string }>({ _id: 1 }).limit(limit).batchSize(limit)
    return (await page.toArray()).map(({ _id }) => _id)
  }
  const matches = matcherOf(demand.expression)
  const ids: string[] = []
  for await (const { _id, terms } of found.project<{ _id: string; terms: string[] }>({ terms: 1 }).batchSize(1000)) {
    if (matches(terms, demand.parts)) ids.push(_id)
    if (ids.length === limit) break
  }
  return ids
}

/** Some members of these documents. */
const membersOf = async <M extends keyof SearchDocument>(
  documents: Documents,
  ids: readonly string[],
  members: readonly M[],
): Promise<Pick<SearchDocument, M | '_id'>[]> => {
  if (ids.length === 0) return []
  const found = documents.find({ _id: { $in: [...ids] } }).batchSize(ids.length + 1)
  const fields = Object.fromEntries(members.map((member) => [member, 1]))
  return found.project<Pick<SearchDocument, M | '_id'>>(fields).toArray()
}

const readFacts = async (documents: Documents, ids: readonly string[]): Promise<HitFacts<string>[]> => {
  const found = await membersOf(documents, ids, ['kind', 'popularity', 'place', 'terms'])
  return found.map(({ _id: id, place, ...facts }) => ({ key: id, id, ...facts, fullyQualifiedName: fqnIn(place, id) }))
}

const placesOf = async (documents: Documents, ids: readonly string[]): Promise<HitLocation<string>[]> => {
  const found = await membersOf(documents, ids, ['kind', 'place'])
  return found.map(({ _id: key, kind, place }) => ({ key, kind, fullyQualifiedName: fqnIn(place, key) }))
}

const readNear = async (documents: Documents, words: readonly string[]): Promise<Map<string, readonly string[]>> => {
  const collection = typedCollection<WordDocument>(documents)
  const found = words.map(async (word): Promise<[string, readonly string[]]> => {
    const keys = [...keysNear(word)]
    const meant = await collection
      .find({ near: { $in: keys } })
      .project<{ _id: string }>({ _id: 1 })
      .toArray()
    return [word, nearest(word, meant.map(wordIn))]
  })
  return new Map(await Promise.all(found))
}

const sorted = async (documents: Documents, ids: readonly string[], query: SearchQuery): Promise<string[]> => {
  const hits = inOrder(await membersOf(documents, ids, ['place', 'sortName', 'updatedAt']), query)
  return hits.slice(query.from, query.from + query.size).map(({ _id }) => _id)
}

/** The condition of a facet value on documents. */
const narrowingOf = ({ kinds, narrowedBy }: FacetFilter, query: SearchQuery): Filter<SearchDocument> => ({
  ...scopeOf({ ...query, kinds }),
  ...(narrowedBy && { terms: facetTerm(narrowedBy.name, narrowedBy.value) }),
})

/** Counts all matches by facet value. */
const countFacets = async (
  documents: Documents,
  filter: Filter<SearchDocument>,
  names: readonly FacetName[],
): Promise<Facets> => {
  const counted = documents.aggregate<{ _id: string; count: number }>([
    { $match: filter },
    { $project: { facets: 1 } },
    { $unwind: '$facets' },
    { $group: { _id: '$facets', count: { $sum: 1 } } },
  ])
  const counts = (await counted.toArray()).map(({ _id, count }) => ({ facet: facetIn(_id), count }))
  const countsOf = (name: FacetName): [string, number][] =>
    counts.flatMap(({ facet: [of, value], count }) => (of === name ? [[value, count]] : []))
  return Object.fromEntries(names.map((name) => [name, facetFrom(countsOf(name))]))
}

const engineOf = (searched: Searched, query: SearchQuery): SearchEngine<string> => {
  const { documents } = searched.generation
  return {
    matching: (demand, limit) => matching(documents, query, demand, limit),
    facts: (ids) => readFacts(documents, ids),
    near: (words) => readNear(documents, words),
    everything: () => searchAll(searched, query),
    sorted: (ids) => sorted(documents, ids, query),
    countWhole: (filter, names) => countFacets(documents, narrowingOf(filter, query), names),
    countFacets: (ids, names) => countFacets(documents, { _id: { $in: [...ids] } }, names),
    places: (ids) => placesOf(documents, ids),
    rows: (ids) => rowsOf(searched, ids),
  }
}

/** The rows of the found entities, in the same order. */
const rowsOf = async (
  { getMany }: Pick<Searched, 'getMany'>,
  ids: readonly string[],
): Promise<(EntityRow | undefined)[]> => {
  const rows = await getMany(ids)
  return ids.map((id) => rows.get(id))
}

const suggest = async (
  { generation, getReferences }: Searched,
  ...[prefix, kinds, limit, deleted = false]: Parameters<Search['suggest']>
): Promise<ReferenceRow[]> => {
  const status = deleted ? statusNumber.deleted : statusNumber.live
  const beginning = encodeOrder(nameKey(prefix) || prefix.toLowerCase())
  if (beginning === '' || kinds.length === 0 || limit === 0) return []
  const found = await generation.documents
    .find({ kind: { $in: [...kinds] }, status, sortName: prefixRange(beginning) })
    .project<{ _id: string }>({ _id: 1 })
    .sort({ sortName: 1, place: 1 })
    .limit(limit)
    .toArray()
  const references = await getReferences(found.map(({ _id }) => _id))
  return found.flatMap(({ _id }) => references.get(_id) ?? [])
}

const searchReads = (
  source: Source<SearchDocument>,
  entities: Pick<EntityReads, 'get' | 'getMany' | 'getHeads' | 'getReferences'>,
): Search => {
  const totals = makeTotalCache<SearchDocument>(source.state)
  const searching = <T>(work: (searched: Searched) => Promise<T>): Promise<T> =>
    source.read((generation) => work({ ...entities, generation, totals }))
  return {
    search: (query) =>
      searching((searched) => searchIn((some) => settledEngine((one) => engineOf(searched, one), some), query)),
    suggest: (...asked) => searching((searched) => suggest(searched, ...asked)),
  }
}

export const searchInMongo = keptInMongo({
  makeLayout: () => searchLayout,
  reads: (source) => (entities: Parameters<typeof searchReads>[1]) => searchReads(source, entities),
})
