import type { EntityLists, EntityReads, ListKey, ListPage, Related } from '../../../projections/entities/port.ts'
import { compareKeys } from '../../../projections/entities/page.ts'
import { prefetchRows } from '../../../projections/entities/lookup.ts'
import { shownLength, type EntityHead, type ListRow, type ReferenceRow } from '../../../projections/entities/row.ts'
import { toRow, type ViewRow } from '../../../projections/entities/entityRow.ts'
import type { Identity } from '../../../projections/history.ts'
import type { TimelineQuery, Timeline } from '../../../projections/timeline/port.ts'
import type { Entity } from '../../../commands/evolve.ts'
import { relationsOf } from '../../../kinds/edges.ts'
import { chunksOf, mapInChunks, makePageBudget } from '../../../shared/bounds.ts'
import { kindNamed, kinds } from '../../../kinds/registry/kinds.ts'
import type { Api } from '../../deps.ts'

/** The catalog at a point in time. The read models implement the present. */
export type PointInTime = Pick<EntityReads, 'get' | 'getReferences'> &
  Pick<EntityLists, 'list' | 'relatedTo' | 'childrenOf' | 'countBelow'> & {
    getMany(ids: readonly string[]): Promise<ReadonlyMap<string, ListRow>>
  }

/** A position, -1 for before everything, and present conditions for entries of a list of the past. */
export type TimelineMoment = Pick<TimelineQuery, 'position' | 'current'>

type Stores = Pick<Api, 'readModels' | 'history'>

/** Entities folded from their own events, with the inherited deletions of the timeline, without those that were gone. */
export const settledAt = async (
  { statusesAt }: Pick<Timeline, 'statusesAt'>,
  own: readonly Entity[],
  position: bigint,
): Promise<Entity[]> => {
  const inheriting = own.filter(({ parent }) => parent !== undefined)
  const spans = await statusesAt(inheriting, position)
  const settled = own.map((entity) => ({ ...entity, status: spans.get(entity.id)?.status ?? entity.status }))
  return settled.filter(({ status }) => status !== 'gone')
}

/** Number of streams or relations read concurrently. */
const lookUpsAtOnce = 50

/** Entities at a position, from their events, without those that were gone. */
const entitiesAt = async ({ readModels, history }: Stores, identities: readonly Identity[], position: bigint) => {
  const own = await mapInChunks(identities, lookUpsAtOnce, (identity) => history.asOf(identity, { position }))
  return settledAt(
    readModels,
    own.flatMap((entity) => entity ?? []),
    position,
  )
}

const rowsAt = async (
  api: Stores,
  identities: readonly Identity[],
  position: bigint,
): Promise<Map<string, ViewRow>> => {
  const entities = await entitiesAt(api, identities, position)
  return new Map(entities.map((entity) => [entity.id, toRow(entity, kindNamed(entity.kind))]))
}

/** The catalog at a position that the timeline shows. */
export const pointInTime = (api: Stores, { position, current = {} }: TimelineMoment): PointInTime => {
  const { readModels } = api
  const listed = (narrowed: Pick<TimelineQuery, 'kind' | 'limit'> & Partial<TimelineQuery>) =>
    readModels.listAsOf({ include: 'all', scopes: [], edges: [], ...narrowed, position })
  const related = async (keys: readonly ListKey[], of: string): Promise<Related[]> => {
    const rows = await referencesAt(api, [...new Set(keys.map(({ id }) => id))], position)
    return keys.flatMap(({ id }) => {
      const row = rows.get(id)
      return row === undefined ? [] : [{ of, row }]
    })
  }
  return {
    get: async (id) => {
      const [entity] = await entitiesAt(api, [...(await readModels.getHeads([id])).values()], position)
      return entity && toRow(entity, kindNamed(entity.kind))
    },
    getReferences: (ids) => referencesAt(api, ids, position),
    getMany: async (ids) => rowsAt(api, [...(await readModels.getHeads(ids)).values()], position),
    list: (query) => listAt(api, { ...query, position, current }),
    countBelow: async (kind, scope) =>
      (await listed({ kind, include: 'non-deleted', scopes: [scope], limit: 0 })).total,
    childrenOf: async (ids, kind, limit) => {
      const lists = await mapInChunks(ids, lookUpsAtOnce, async (parent) =>
        related((await listed({ kind, parent, limit })).keys, parent),
      )
      return lists.flat()
    },
    relatedTo: async (targets, rel, limit) => {
      const referring = kinds.filter((kind) => relationsOf(kind).includes(rel))
      const lists = await mapInChunks(targets, lookUpsAtOnce, async (target) => {
        const found = await mapInChunks(referring, lookUpsAtOnce, ({ name }) =>
          listed({ kind: name, edges: [{ rel, target }], limit }),
        )
        const keys = found.flatMap((page) => page.keys)
        return related(keys.sort(compareKeys).slice(0, limit), target)
      })
      return lists.flat()
    },
  }
}

/** The catalog at a moment, or the present one. */
export const catalogAt = (api: Stores, moment: TimelineMoment | undefined): PointInTime =>
  moment === undefined ? api.readModels : pointInTime(api, moment)

/**
 * The rows that are as they were at the position: no later event changed them, and no deletion of an ancestor has begun
 * or ended without an event of theirs.
 */
const unchangedSince = async <R extends EntityHead>(
  { readModels }: Pick<Stores, 'readModels'>,
  rows: Iterable<R>,
  position: bigint,
): Promise<Map<string, R>> => {
  const unchanged = [...rows].filter((row) => row.position <= position)
  const inheriting = unchanged.filter(({ parent }) => parent !== undefined)
  const spans = await readModels.statusesAt(inheriting, position)
  const same = unchanged.filter(({ id, status }) => (spans.get(id)?.status ?? status) === status)
  return new Map(same.map((row) => [row.id, row]))
}

/** References at the position: unchanged ones from the read models, others folded from their streams. */
const referencesAt = async (
  api: Stores,
  ids: readonly string[],
  position: bigint,
): Promise<Map<string, ReferenceRow>> => {
  const { readModels } = api
  const present = await readModels.getReferences(ids)
  // Read after the rows: what is unchanged now was unchanged then.
  const heads = await readModels.getHeads(ids)
  const unchanged = await unchangedSince(api, heads.values(), position)
  const changed = [...heads.values()].filter(({ id }) => !unchanged.has(id))
  const rows = await rowsAt(api, changed, position)
  return new Map(
    [...heads.keys()].flatMap((id) => {
      const row = rows.get(id) ?? (unchanged.has(id) ? present.get(id) : undefined)
      return row === undefined ? [] : [[id, row] as const]
    }),
  )
}

/** Number of histories read concurrently, as some entities are large. */
const rowsAtOnce = 15

/** Keys, with the stored rows of unchanged entities; of large ones only as many as fit. */
const knownRowsAt = async (api: Stores, keys: readonly ListKey[], position: bigint) => {
  const { rows, left } = await prefetchRows(
    api.readModels,
    keys.map(({ id }) => id),
  )
  const unchanged = await unchangedSince(api, rows.values(), position)
  const end = keys.findIndex(({ id }) => left.has(id))
  return keys.slice(0, end === -1 ? undefined : end).map((key) => ({ key, row: unchanged.get(key.id) }))
}

/** Past rows of a kind at a position, in order, as many as fit on a page. */
const listedAt = async (api: Stores, kind: string, keys: readonly ListKey[], position: bigint): Promise<ListRow[]> => {
  const hasRoom = makePageBudget()
  const rows: ListRow[] = []
  for (const some of chunksOf(await knownRowsAt(api, keys, position), rowsAtOnce)) {
    const changed = some.flatMap(({ key: { id }, row }) => (row === undefined ? { kind, id } : []))
    const found = await rowsAt(api, changed, position)
    for (const { key, row = found.get(key.id) } of some) {
      if (row === undefined)
        throw new Error(
          `${kind} ${key.id} is said to have been there at ${position}, and its stream says that it was not.`,
        )
      if (!hasRoom(shownLength(row))) return rows
      rows.push(row)
    }
  }
  return rows
}

export const listAt = async (api: Stores, query: TimelineQuery): Promise<ListPage> => {
  const { keys, total, hasBefore, hasAfter } = await api.readModels.listAsOf(query)
  const backwards = query.before !== undefined
  const nearest = backwards ? keys.toReversed() : keys
  const read = await listedAt(api, query.kind, nearest, query.position)
  const rows = backwards ? read.toReversed() : read
  const cut = rows.length < keys.length
  return { rows, total, hasBefore: hasBefore || (cut && backwards), hasAfter: hasAfter || (cut && !backwards) }
}
