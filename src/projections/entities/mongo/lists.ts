import type { Collection, Filter } from 'mongodb'
import type { Generation } from '../../mongo/generations.ts'
import type { Totals } from '../../mongo/totals.ts'
import {
  edgeText,
  fieldsListed,
  placeOf,
  placesBelow,
  shownStatuses,
  statusNumbers,
  toListedRow,
  type EntityDocument,
  type ListedDocument,
} from './rows.ts'
import { makeRoom } from '../../../shared/room.ts'
import type { ListedRow } from '../row.ts'
import type { ListKey, ListPage, ListQuery } from '../port.ts'

type Entities = Collection<EntityDocument>
type EntityFilter = Filter<EntityDocument>

/** A range of places. */
export interface Range {
  $gt?: string
  $gte?: string
  $lt?: string
  $lte?: string
}

/** What a list shows, apart from the page: one filter for each status, so that each is one range of an index. */
interface Shown {
  readonly filters: readonly EntityFilter[]
  /** Where all of it lies; nowhere when `undefined`. */
  readonly range: Range | undefined
}

/** The range below all of these FQNs, which lie one above the other; else there is none. */
export const rangeBelow = (scopes: readonly string[]): Range | undefined => {
  const last = scopes.reduce((longest, scope) => (scope.length > longest.length ? scope : longest), '')
  if (!scopes.every((scope) => scope === last || last.startsWith(`${scope}.`))) return undefined
  return last === '' ? {} : placesBelow(last)
}

/** The part of the range on one side of a place. */
export const clipped = (range: Range, side: '$gt' | '$gte' | '$lt' | '$lte', place: string | undefined): Range => {
  if (place === undefined) return range
  const bound = side.startsWith('$g') ? range.$gte : range.$lt
  if (bound === undefined) return { ...range, [side]: place }
  if (side.startsWith('$g')) return place < bound ? range : { $lt: range.$lt as string, [side]: place }
  return place >= bound ? range : { $gte: range.$gte as string, [side]: place }
}

const within = (filter: EntityFilter, range: Range): EntityFilter =>
  Object.keys(range).length === 0 ? filter : ({ ...filter, place: range } as EntityFilter)

const shownBy = ({ kind, parent, scopes, edges, entityStatus, include }: ListQuery): Shown => {
  const texts = edges.map(edgeText)
  const filter: EntityFilter = {
    kind,
    ...(parent !== undefined && { parent }),
    ...(entityStatus !== undefined && { entityStatus }),
    ...(texts.length > 0 && { edges: texts.length === 1 ? (texts[0] as string) : { $all: texts } }),
  }
  return { filters: statusesOf(include).map((status) => ({ ...filter, status })), range: rangeBelow(scopes) }
}

const statusesOf = (include: ListQuery['include']): readonly number[] => {
  if (include === 'all') return shownStatuses
  return [include === 'deleted' ? statusNumbers.deleted : statusNumbers.live]
}

/** Merges lists that are ordered by place, each at most `limit` long. */
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
  readonly filters: readonly EntityFilter[]
  readonly range: Range
  readonly backwards: boolean
  /** Where the page begins, or with `backwards` ends. */
  readonly from: string | undefined
  readonly more: boolean
}

/** The documents that a page has room for: those that follow are not asked for. */
const roomy = async (
  documents: AsyncIterable<ListedDocument> | Iterable<ListedDocument>,
): Promise<{ taken: ListedDocument[]; cut: boolean }> => {
  const hasRoom = makeRoom()
  const taken: ListedDocument[] = []
  for await (const document of documents) {
    const { basic, more, references } = toListedRow(document)
    if (!hasRoom(basic.length + more.length + references.length)) return { taken, cut: true }
    taken.push(document)
  }
  return { taken, cut: false }
}

/** Reads up to `limit` rows, and whether there are more. */
const readPage = async (reading: Reading, limit: number): Promise<{ rows: ListedRow[]; more: boolean }> => {
  const { entities, filters, backwards, from } = reading
  const range = clipped(reading.range, backwards ? '$lt' : '$gt', from)
  const pages = await Promise.all(
    filters.map((filter) =>
      roomy(
        entities
          .find(within(filter, range))
          .project<ListedDocument>(fieldsListed(reading.more))
          .sort({ place: backwards ? -1 : 1 })
          .limit(limit + 1)
          .batchSize(Math.min(limit + 1, 10_000)),
      ),
    ),
  )
  const merged = mergePlaces(
    pages.map(({ taken }) => taken),
    backwards,
    limit + 1,
  )
  const { taken, cut } = await roomy(merged)
  const rows = taken.slice(0, limit).map(toListedRow)
  const more = cut || pages.some((page) => page.cut) || taken.length > limit
  return { rows: backwards ? rows.reverse() : rows, more }
}

/** Does anything stand at the place or on the side of it that the page does not go to? */
const anyBehind = async ({ entities, filters, range, backwards, from }: Reading): Promise<boolean> => {
  if (from === undefined) return false
  const behind = clipped(range, backwards ? '$gte' : '$lte', from)
  const found = await Promise.all(
    filters.map((filter) =>
      entities
        .find(within(filter, behind))
        .project({ _id: 1 })
        .sort({ place: backwards ? 1 : -1 })
        .limit(1)
        .toArray(),
    ),
  )
  return found.some((documents) => documents.length > 0)
}

const placeIn = (key: ListKey | undefined): string | undefined => key && placeOf(key.fullyQualifiedName, key.id)

const nothing: ListPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

/** Reads one page of a list: a walk along an index for each status, what lies behind it, and the total. */
export const listPage = async (
  generation: Generation<EntityDocument>,
  totals: Totals<EntityDocument>,
  query: ListQuery,
): Promise<ListPage> => {
  const { filters, range } = shownBy(query)
  if (range === undefined) return nothing
  const counting = Promise.all(filters.map((filter) => totals.count(generation, within(filter, range))))
  const sum = async (): Promise<number> => (await counting).reduce((total, count) => total + count, 0)
  if (query.limit === 0) return { ...nothing, total: await sum() }
  const backwards = query.before !== undefined
  const from = placeIn(query.before ?? query.after)
  const reading: Reading = {
    entities: generation.documents,
    filters,
    range,
    backwards,
    from,
    more: query.more === true,
  }
  const [{ rows, more }, behind, total] = await Promise.all([readPage(reading, query.limit), anyBehind(reading), sum()])
  return { rows, total, hasBefore: backwards ? more : behind, hasAfter: backwards ? behind : more }
}
