import type { Collection, Filter } from 'mongodb'
import type { Generation } from '../../mongo/generations.ts'
import { edgeText, listedRows, shownStatus, type EntityDocument, type RowCodec } from './rows.ts'
import { makePageBudget } from '../../../shared/bounds.ts'
import { shownLength, type ListedRow, statusNumber } from '../row.ts'
import { pageOfWalk } from '../page.ts'
import { clipped, placeOf, placesBelow, rangeBelow, type PlaceRange } from '../place.ts'
import type { ListKey, ListPage, ListQuery, PendingNames } from '../port.ts'
import type { Totals } from '../../mongo/batchReads.ts'

type Entities = Collection<EntityDocument>
type EntityFilter = Filter<EntityDocument>

/**
 * The filter of a list, for a single query: with two, an entity deleted in between would be shown twice or not at all.
 */
interface Asked {
  readonly filter: EntityFilter
  /** The range of all matches; `undefined` if there are none. */
  readonly range: PlaceRange | undefined
}

const within = (filter: EntityFilter, range: PlaceRange): EntityFilter =>
  Object.keys(range).length === 0 ? filter : ({ ...filter, place: range } as EntityFilter)

const shownBy = (
  { kind, parent, scopes, edges, lacking = [], entityStatus, include, own, ids }: ListQuery,
  conditions: readonly EntityFilter[],
): Asked => {
  const texts = edges.map(edgeText)
  const filter: EntityFilter = {
    kind,
    ...(parent !== undefined && { parent }),
    ...(entityStatus !== undefined && { entityStatus }),
    ...(ids !== undefined && { _id: { $in: [...ids] } }),
    ...(own === true && { inherited: { $exists: false } }),
    ...(texts.length > 0 && { edges: texts.length === 1 ? (texts[0] as string) : { $all: texts } }),
    ...(conditions.length + lacking.length > 0 && {
      $and: [...conditions, ...lacking.map((edge): EntityFilter => ({ edges: { $ne: edgeText(edge) } }))],
    }),
  }
  return { filter: { ...filter, status: statusOf(include) }, range: rangeBelow(scopes) }
}

/** Conditions on children as conditions on ids: parents with such a child are looked up first. */
const childConditions = async (
  { documents }: Generation<EntityDocument>,
  { children = [] }: ListQuery,
): Promise<EntityFilter[]> =>
  Promise.all(
    children.map(async ({ kind, some }): Promise<EntityFilter> => {
      const parents = (await documents.distinct('parent', { kind, status: statusNumber.live })).filter(
        (parent) => parent !== undefined && parent !== null,
      )
      return { _id: some ? { $in: parents } : { $nin: parents } }
    }),
  )

const statusOf = (include: ListQuery['include']): number | typeof shownStatus => {
  if (include === 'all') return shownStatus
  return include === 'deleted' ? statusNumber.deleted : statusNumber.live
}

/** Merges lists ordered by place, up to `limit`. */
export const mergePlaces = <T extends { place: string }>(
  lists: readonly T[][],
  backwards: boolean,
  limit: number,
): T[] => {
  if (lists.length === 1) return lists[0] as T[]
  const sign = backwards ? -1 : 1
  return lists
    .flat()
    .sort((a, b) => (a.place < b.place ? -sign : sign))
    .slice(0, limit)
}

interface Reading {
  readonly entities: Entities
  readonly filter: EntityFilter
  readonly range: PlaceRange
  readonly backwards: boolean
  /** Start of the page, or with `backwards` its end. */
  readonly from: string | undefined
  readonly withRequested: boolean
}

/** The rows that fit on a page; later ones are not read. */
const roomy = async (
  documents: AsyncIterable<EntityDocument>,
  { toRow }: RowCodec<ListedRow>,
): Promise<{ found: ListedRow[]; cut: boolean }> => {
  const hasRoom = makePageBudget()
  const found: ListedRow[] = []
  for await (const document of documents) {
    const row = toRow(document)
    if (!hasRoom(shownLength(row))) return { found, cut: true }
    found.push(row)
  }
  return { found, cut: false }
}

const readPage = async (reading: Reading, limit: number): Promise<{ found: ListedRow[]; cut: boolean }> => {
  const { entities, filter, backwards, from } = reading
  const range = clipped(reading.range, backwards ? '$lt' : '$gt', from)
  const shown = listedRows(reading.withRequested)
  const documents = entities
    .find(within(filter, range))
    .project<EntityDocument>(shown.fields)
    .sort({ place: backwards ? -1 : 1 })
    .limit(limit + 1)
    .batchSize(Math.min(limit + 1, 10_000))
  return roomy(documents, shown)
}

/** Whether anything is at the place or on its other side. */
const anyBehind = async ({ entities, filter, range, backwards, from }: Reading): Promise<boolean> => {
  if (from === undefined) return false
  const behind = clipped(range, backwards ? '$gte' : '$lte', from)
  const found = await entities
    .find(within(filter, behind))
    .project({ _id: 1 })
    .sort({ place: backwards ? 1 : -1 })
    .limit(1)
    .toArray()
  return found.length > 0
}

const placeIn = (key: ListKey | undefined): string | undefined => key && placeOf(key.fullyQualifiedName, key.id)

const nothing: ListPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

export const listPage = async (
  generation: Generation<EntityDocument>,
  totals: Totals<EntityDocument>,
  query: ListQuery,
): Promise<ListPage> => {
  const conditions = await childConditions(generation, query)
  const { filter, range } = shownBy(query, conditions)
  if (range === undefined) return nothing
  const counted = within(filter, range)
  const anew = query.countAnew === true || conditions.length > 0
  const counting = anew ? generation.documents.countDocuments(counted) : totals.count(generation, counted)
  if (query.limit === 0) return { ...nothing, total: await counting }
  const backwards = query.before !== undefined
  const from = placeIn(query.before ?? query.after)
  const withRequested = query.withRequested === true
  const reading: Reading = { entities: generation.documents, filter, range, backwards, from, withRequested }
  const [walked, behind, total] = await Promise.all([readPage(reading, query.limit), anyBehind(reading), counting])
  return { total, ...pageOfWalk(query, { ...walked, behind }) }
}

/** The parts of a range that are not below any of these disjoint FQNs. */
const partsBeside = (range: PlaceRange, names: readonly string[]): PlaceRange[] => {
  const parts: PlaceRange[] = []
  let rest = range
  const cuts = names.map(placesBelow).toSorted((a, b) => (a.$gte < b.$gte ? -1 : 1))
  for (const { $gte, $lt } of cuts) {
    if (rest.$lt !== undefined && $gte >= rest.$lt) break
    if (rest.$gte !== undefined && $lt <= rest.$gte) continue
    if (rest.$gte === undefined || rest.$gte < $gte) parts.push({ ...rest, $lt: $gte })
    rest = { ...rest, $gte: $lt }
    if (rest.$lt !== undefined && rest.$lt <= $lt) return parts
  }
  return [...parts, rest]
}

/** See {@link EntityLists.countSettled}: below a pending name live and deleted entities are counted together. */
export const countSettled = async (
  generation: Generation<EntityDocument>,
  totals: Totals<EntityDocument>,
  query: ListQuery,
  { hidden, gone, restored }: PendingNames,
): Promise<number> => {
  const conditions = await childConditions(generation, query)
  const countIn = async (asked: Partial<ListQuery>, besides: readonly string[], below?: string): Promise<number> => {
    const scopes = below === undefined ? query.scopes : [...query.scopes, below]
    const { filter, range } = shownBy({ ...query, ...asked, scopes }, conditions)
    const parts = range === undefined ? [] : partsBeside(range, besides)
    return sum(await Promise.all(parts.map((part) => totals.count(generation, within(filter, part)))))
  }
  if (query.include === 'all') return countIn({}, gone)
  const own = restored.map((name) => countIn({ include: 'deleted', own: true }, hidden, name))
  const beside = countIn({}, [...hidden, ...restored])
  if (query.include === 'deleted') {
    const below = hidden.map((name) => countIn({ include: 'all' }, gone, name))
    return sum(await Promise.all([beside, ...below, ...own]))
  }
  const back = restored.map((name) => countIn({ include: 'all' }, hidden, name))
  return sum(await Promise.all([beside, ...back])) - sum(await Promise.all(own))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
