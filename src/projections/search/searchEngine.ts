import { entityOf, incarnationOf } from '../../events/events.ts'
import type { DocumentMatch, Documents, Query } from '../documents/port.ts'
import { counters } from '../entities/entityDocuments.ts'
import { compareCodePoints, encodeOrder, fqnIn, prefixRange } from '../entities/place.ts'
import type { EntityReads } from '../entities/port.ts'
import { compareKeys } from '../entities/page.ts'
import { statusOf, type Pending } from '../entities/pending.ts'
import { settledReference } from '../entities/settledReads.ts'
import { statuses, statusNumber, type ReferenceRow, type Status } from '../entities/row.ts'
import { facetsCounted, facetText, type FacetCount, type FacetName } from './facets.ts'
import { searchIn, type FacetFilter, type SearchEngine } from './find.ts'
import { keysNear, nearest } from './similarWords.ts'
import type { Search, SearchQuery } from './port.ts'
import { maxHits, type Demand } from './rank.ts'
import { facetCounts, searchWords, type SearchDocument } from './searchDocuments.ts'
import { facetTerm, nameKey } from './words.ts'

type SearchDocuments = Documents<SearchDocument>

/** An index of words with its documents, which it calls by keys. */
export interface SearchIndex<K extends string | number, D extends SearchDocuments = SearchDocuments> {
  readonly documents: D
  /** The member that is the key. */
  readonly by: 'id' | 'key'
  readonly entities: Pick<EntityReads, 'getMany' | 'getReferences'>
  /** The first matches in key order. */
  matching(documents: D, query: SearchQuery, demand: Demand, limit: number): Promise<readonly K[]>
  /** What selects all matches in any order, which may be of any status. */
  selection(documents: D, query: SearchQuery, demand: Demand): Promise<SearchSelection>
  /** Facet texts of everything of this status. */
  countWhole(documents: D, filter: FacetFilter, status: number): Promise<readonly FacetCount[]>
}

type Where = DocumentMatch<SearchDocument>

const orders: Readonly<Record<SearchQuery['sort'], readonly (keyof SearchDocument)[]>> = {
  relevance: ['place'],
  fullyQualifiedName: ['place'],
  name: ['sortName', 'place'],
  updatedAt: ['updatedAt', 'place'],
}

const numberOfStatus = (deleted: boolean): number => (deleted ? statusNumber.deleted : statusNumber.live)

type Scope = Pick<SearchQuery, 'kinds' | 'deleted' | 'ids' | 'within' | 'regions'>

/** The searched status: any if changes are pending. */
export const searchedStatus = ({ deleted, regions }: Pick<Scope, 'deleted' | 'regions'>) =>
  regions === undefined ? numberOfStatus(deleted) : { $lte: statusNumber.deleted }

export const scopeOf = ({ kinds, ids, within, ...of }: Scope): Where => ({
  status: searchedStatus(of),
  kind: { $in: kinds },
  ...(within !== undefined && { place: within }),
  ...(ids !== undefined && { id: { $in: ids } }),
})

/** The number of entities by kind, where they are counted as they are written. */
export const countedKinds = async (
  documents: SearchDocuments,
  status: ReturnType<typeof searchedStatus>,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>()
  for (const { kind, n } of await documents.in(counters).find({ where: { scope: '', status } }))
    counts.set(kind, (counts.get(kind) ?? 0) + n)
  return counts
}

/** Kinds of the query that may have entities, and the number of these. */
const presentOf = async (documents: SearchDocuments, query: Scope) => {
  if (!documents.embedded) return { kinds: query.kinds, count: () => documents.count({ where: scopeOf(query) }) }
  const counts = await countedKinds(documents, numberOfStatus(query.deleted))
  const kinds = query.kinds.filter((kind) => counts.has(kind))
  if (query.within !== undefined)
    return { kinds, count: () => documents.count({ where: scopeOf({ ...query, kinds }), index: 'place' }) }
  return { kinds, count: () => totalOf(documents, { kinds }, numberOfStatus(query.deleted)) }
}

type Page = Pick<SearchQuery, 'from' | 'after' | 'size' | 'sort' | 'descending'>

export const pageMembers = ['id', 'key', 'place', 'sortName', 'updatedAt'] as const

/** The condition for what comes after these values of the sort members. Equal values are ordered by place. */
const comingAfter = (members: readonly (keyof SearchDocument)[], values: SearchQuery['after'], sign: 1 | -1): Where => {
  if (values === undefined) return {}
  const side = sign === 1 ? '$gt' : '$lt'
  const [first = 'place', ...others] = members
  const behind = { [first]: { [side]: values[0] } }
  if (others.length === 0) return behind
  return { [first]: { [`${side}e`]: values[0] }, $or: [behind, { place: { [side]: values[1] } }] }
}

export type SearchSelection = Pick<Query<SearchDocument>, 'where' | 'index' | 'merged' | 'members'> & {
  /** Documents of which this is true, of a server. */
  readonly only?: ((document: SearchDocument) => boolean) | undefined
}

const readPage = async (
  documents: SearchDocuments,
  { from, after, size, sort, descending }: Page,
  selection: SearchSelection,
): Promise<SearchDocument[]> => {
  if (size === 0) return []
  const sign = descending && sort !== 'relevance' ? -1 : 1
  const order = Object.fromEntries(orders[sort].map((member) => [member, sign]))
  const where = { ...selection.where, ...comingAfter(orders[sort], after, sign) }
  return documents.find({ members: pageMembers, ...selection, where, sort: order, skip: from, limit: size })
}

const readNear = async (documents: SearchDocuments, words: readonly string[]) => {
  const found = words.map(async (word) => {
    const where = { near: { $in: [...keysNear(word)] } }
    const meant = await documents.in(searchWords).find({ where, index: 'near', members: ['word'] })
    const near = nearest(
      word,
      meant.map((each) => each.word),
    )
    return [word, near] as const
  })
  return new Map(await Promise.all(found))
}

/** The number of documents with each facet text. */
export const facetCountsOf = (documents: readonly Pick<SearchDocument, 'facets'>[]): FacetCount[] => {
  const counts = new Map<string, number>()
  for (const { facets } of documents) for (const text of facets) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts]
}

/** Number of documents of a filter. */
const totalOf = async (documents: SearchDocuments, { kinds, narrowedBy: by }: FacetFilter, status: number) => {
  const where = { kind: { $in: kinds }, status }
  if (!documents.embedded)
    return documents.count({ where: by ? { ...where, terms: facetTerm(by.name, by.value) } : where })
  const facet = by ? facetText(by.name, by.value) : prefixRange(facetText('kind', ''))
  const counts = await documents.in(facetCounts).find({ where: { ...where, facet } })
  return counts.reduce((sum, { n }) => sum + n, 0)
}

const engineOf = <K extends string | number, D extends SearchDocuments>(
  { documents, by, entities, ...index }: SearchIndex<K, D>,
  query: SearchQuery,
): SearchEngine<K> => {
  const keyOf = (document: SearchDocument): K => document[by] as K
  const located = (document: SearchDocument) => ({
    ...document,
    key: keyOf(document),
    fullyQualifiedName: fqnIn(document.place, document.id),
  })
  const get = (keys: readonly K[], members: readonly (keyof SearchDocument)[]) =>
    keys.length === 0 ? [] : documents.get(keys, ['id', 'key', ...members])
  const pageOf = async (selection: SearchSelection) =>
    (await readPage(documents, { ...query, size: query.size && query.size + 1 }, selection)).map((document) => ({
      key: keyOf(document),
      next: { from: 0, after: orders[query.sort].map((member) => document[member] as string | number) },
    }))
  const { regions = [] } = query
  const existingAmong = async (incarnations: readonly string[]) => {
    const found = await entities.getReferences([...new Set(incarnations.map(entityOf))])
    const rows = [...found.values()].map((row) => (regions.length === 0 ? row : settledReference(regions, row)))
    return new Set(rows.filter(({ status }) => status !== 'gone').map(incarnationOf))
  }
  const facetsOf = (counts: readonly FacetCount[], names: readonly FacetName[]) =>
    facetsCounted(counts, names, existingAmong)
  return {
    matching: (demand, limit) => index.matching(documents, query, demand, limit),
    facts: async (keys) => (await get(keys, ['kind', 'place', 'popularity', 'terms'])).map(located),
    near: (words) => readNear(documents, words),
    everything: async () => {
      const { kinds, count } = await presentOf(documents, query)
      // A separate condition, since that of a page may be on places too.
      const within = query.within && { $and: [{ place: query.within }] }
      const where = { status: numberOfStatus(query.deleted), kind: { $in: kinds }, ...within }
      const [total, page] = await Promise.all([count(), kinds.length === 0 ? [] : pageOf({ where, merged: 'kind' })])
      return { kinds, total, page }
    },
    sorted: (keys) => pageOf({ where: { [by]: { $in: keys } }, index: by }),
    sortedMatches: async (demand) => pageOf(await index.selection(documents, query, demand)),
    countFacets: async (keys, names) => facetsOf(facetCountsOf(await documents.get(keys, ['facets'])), names),
    countWhole: async (filter, names, without) => {
      const counts = await index.countWhole(documents, filter, numberOfStatus(query.deleted))
      const uncounted = facetCountsOf(await get(without, ['facets']))
      return facetsOf([...counts, ...uncounted.map(([text, count]) => [text, -count] as const)], names)
    },
    totalOf: (filter) => totalOf(documents, filter, numberOfStatus(query.deleted)),
    places: async (keys) =>
      (await get(keys, ['kind', 'place', 'status'])).map((document) => ({
        ...located(document),
        status: statuses[document.status] as Status,
      })),
    rows: async (keys) => {
      const found = by === 'id' ? [] : await get(keys, [])
      const ids = new Map<K, string>(found.map((document) => [keyOf(document), document.id]))
      const idsOfKeys = keys.map((key) => (by === 'id' ? String(key) : (ids.get(key) ?? '')))
      const rows = await entities.getMany(idsOfKeys)
      return idsOfKeys.map((id) => rows.get(id))
    },
  }
}

const suggest = async (
  { documents, entities }: Pick<SearchIndex<never>, 'documents' | 'entities'>,
  ...[prefix, requestedKinds, limit, deleted = false]: Parameters<Search['suggest']>
): Promise<ReferenceRow[]> => {
  const beginning = encodeOrder(nameKey(prefix) || prefix.toLowerCase())
  const { kinds } = await presentOf(documents, { kinds: requestedKinds, deleted })
  if (beginning === '' || kinds.length === 0) return []
  const where = { status: numberOfStatus(deleted), kind: { $in: kinds }, sortName: prefixRange(beginning) }
  const page = { from: 0, size: limit, sort: 'name', descending: false } as const
  const found = await readPage(documents, page, { where, merged: 'kind' })
  const references = await entities.getReferences(found.map(({ id }) => id))
  const status = deleted ? 'deleted' : 'live'
  return found.flatMap(({ id }) => references.get(id) ?? []).filter((reference) => reference.status === status)
}

/** Searches in an index. */
export const makeSearch = <K extends string | number, D extends SearchDocuments>(index: SearchIndex<K, D>): Search => ({
  search: (query) =>
    index.documents.together((documents) =>
      searchIn((some) => settledEngine(engineOf({ ...index, documents }, some), some), query),
    ),
  suggest: (...args) => index.documents.together((documents) => suggest({ ...index, documents }, ...args)),
})

const maxReferences = 10_000

/** Ordered by name, FQN and id, without duplicates. */
const inOrder = (rows: readonly ReferenceRow[]): ReferenceRow[] => {
  const named = [...new Map(rows.map((row) => [row.id, row])).values()].map((row) => {
    const { name, fullyQualifiedName } = JSON.parse(row.reference) as { name: string; fullyQualifiedName: string }
    return { row, id: row.id, fullyQualifiedName, name: nameKey(name) || name.toLowerCase() }
  })
  return named.sort((a, b) => compareCodePoints(a.name, b.name) || compareKeys(a, b)).map(({ row }) => row)
}

/** A search that applies pending deletions and restores. */
export const settledSearch = (search: Search, regionsNow: Pending['searchRegions']): Search => ({
  search: async (query) => {
    const regions = await regionsNow()
    return search.search(regions.length === 0 ? query : { ...query, regions })
  },
  suggest: async (prefix, kinds, limit, deleted = false) => {
    const regions = await regionsNow()
    if (regions.length === 0) return search.suggest(prefix, kinds, limit, deleted)
    const wanted = deleted ? 'deleted' : 'live'
    const rows = await search.suggest(prefix, kinds, maxReferences, deleted)
    if (regions.some(({ status }) => status === wanted))
      rows.push(...(await search.suggest(prefix, kinds, maxReferences, !deleted)))
    const found = rows.map((row) => settledReference(regions, row)).filter(({ status }) => status === wanted)
    return inOrder(found).slice(0, limit)
  },
})

/** Number of hits that are examined at most when pending changes must be applied. */
const maxExamined = 64 * maxHits

/** An engine that applies pending deletions and restores: it finds entities whatever their status in the index. */
const settledEngine = <K>(
  engine: SearchEngine<K>,
  { regions, deleted }: Pick<SearchQuery, 'regions' | 'deleted'>,
): SearchEngine<K> => {
  if (regions === undefined) return engine
  const wanted = deleted ? 'deleted' : 'live'
  const known = new Map<K, boolean>()
  let cut = false
  const hitsAmong = async (keys: readonly K[]): Promise<readonly K[]> => {
    const unknown = keys.filter((key) => !known.has(key))
    for (const { key, ...place } of unknown.length === 0 ? [] : await engine.places(unknown))
      known.set(key, statusOf(regions, place) === wanted)
    return keys.filter((key) => known.get(key) === true)
  }
  const matching: SearchEngine<K>['matching'] = async (demand, limit) => {
    for (let examined = maxHits + 1; ; examined *= 4) {
      const keys = await engine.matching(demand, examined)
      const hits = await hitsAmong(keys)
      if (hits.length >= limit || keys.length < examined) return hits.slice(0, limit)
      cut ||= examined > maxExamined
      if (cut) return hits
    }
  }
  return { ...engine, matching, isCut: () => cut }
}
