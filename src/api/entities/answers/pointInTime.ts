import type { EntityLists, EntityReads, ListKey, ListPage, Related } from '../../../projections/entities/port.ts'
import { compareKeys } from '../../../projections/entities/page.ts'
import { prefetchRows } from '../../../projections/entities/lookup.ts'
import { shownLength, type EntityHead, type ListRow, type ReferenceRow } from '../../../projections/entities/row.ts'
import { toPastRow } from '../../../projections/entities/entityRow.ts'
import type { History } from '../../../projections/history.ts'
import { settledAt, type TimelineRows } from '../../../projections/timeline/timelineRows.ts'
import type { TimelineQuery, Timeline } from '../../../projections/timeline/port.ts'
import { relationsOf } from '../../../kinds/edges.ts'
import { chunksOf, mapInChunks, makePageBudget } from '../../../shared/bounds.ts'
import { kindNamed, kinds } from '../../../kinds/registry/kinds.ts'

/** The catalog at a point in time. The read models implement the present. */
export type PointInTime = Pick<EntityReads, 'get' | 'getReferences'> &
  Pick<EntityLists, 'list' | 'relatedTo' | 'childrenOf' | 'countBelow'> & {
    getMany(ids: readonly string[]): Promise<ReadonlyMap<string, ListRow>>
  }

/** A position, -1 for before everything, and present conditions for entries of a list of the past. */
export type TimelineMoment = Pick<TimelineQuery, 'position' | 'current'>

interface Stores {
  readonly readModels: EntityReads & Timeline
  readonly history: Pick<History, 'asOf'>
  readonly timelineRows: TimelineRows
}

/** Number of streams or relations read concurrently. */
const lookUpsAtOnce = 50

/** The catalog at a position that the timeline shows. */
export const pointInTime = (api: Stores, { position, current = {} }: TimelineMoment): PointInTime => {
  const { readModels } = api
  const listed = (narrowed: Pick<TimelineQuery, 'kind' | 'limit'> & Partial<TimelineQuery>) =>
    readModels.listAsOf({ include: 'all', scopes: [], edges: [], ...narrowed, position })
  const related = async (keys: readonly ListKey[], of: string, rel: string): Promise<Related[]> => {
    const rows = await referencesAt(api, [...new Set(keys.map(({ id }) => id))], position)
    return keys.flatMap(({ id }) => {
      const row = rows.get(id)
      return row === undefined ? [] : [{ of, rel, row }]
    })
  }
  return {
    get: async (id) => {
      const head = (await readModels.getHeads([id])).get(id)
      const own = head && (await api.history.asOf(head, { position }))
      const entity = await settledAt(readModels, own, position)
      return entity && toPastRow(entity, kindNamed(entity.kind))
    },
    getReferences: (ids) => referencesAt(api, ids, position),
    getMany: async (ids) => {
      const heads = [...(await readModels.getHeads(ids)).values()]
      const rows = await mapInChunks(heads, lookUpsAtOnce, (head) => api.timelineRows.rowAt(head, position))
      return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])))
    },
    list: (query) => listAt(api, { ...query, position, current }),
    countBelow: async (kind, scope) =>
      (await listed({ kind, include: 'non-deleted', scopes: [scope], limit: 0 })).total,
    childrenOf: async (ids, kind, limit) => {
      const lists = await mapInChunks(ids, lookUpsAtOnce, async (parent) =>
        related((await listed({ kind, parent, limit })).keys, parent, kind),
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
        return related(keys.sort(compareKeys).slice(0, limit), target, rel)
      })
      return lists.flat()
    },
  }
}

/** The catalog at a moment, or the present one. */
export const catalogAt = (api: Stores & { readonly readModels: PointInTime }, moment: TimelineMoment | undefined) =>
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
  { readModels, timelineRows }: Stores,
  ids: readonly string[],
  position: bigint,
): Promise<Map<string, ReferenceRow>> => {
  const present = await readModels.getReferences(ids)
  // Read after the rows: what is unchanged now was unchanged then.
  const heads = await readModels.getHeads(ids)
  const unchanged = await unchangedSince({ readModels }, heads.values(), position)
  const rows = await mapInChunks([...heads.values()], lookUpsAtOnce, async ({ kind, id }) =>
    unchanged.has(id) ? present.get(id) : timelineRows.rowAt({ kind, id }, position),
  )
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])))
}

/** Number of histories read concurrently, as some entities are large. */
const rowsAtOnce = 15

/** Keys with past rows that are known without history: unchanged rows as stored; of large ones only as many as fit. */
const knownRowsAt = async (api: Stores, keys: readonly ListKey[], position: bigint) => {
  const known = new Map(keys.map(({ id }) => [id, api.timelineRows.cached(id, position)]))
  const unknown = [...known].flatMap(([id, row]) => (row === undefined ? [id] : []))
  const { rows, left } = await prefetchRows(api.readModels, unknown)
  const unchanged = await unchangedSince(api, rows.values(), position)
  const end = keys.findIndex(({ id }) => left.has(id))
  return keys
    .slice(0, end === -1 ? undefined : end)
    .map((key) => ({ key, row: known.get(key.id) ?? unchanged.get(key.id) }))
}

const requireRowAt = async (api: Stores, kind: string, id: string, position: bigint): Promise<ListRow> => {
  const then = await api.timelineRows.rowAt({ kind, id }, position)
  if (then === undefined)
    throw new Error(`${kind} ${id} is said to have been there at ${position}, and its stream says that it was not.`)
  return then
}

/** Past rows of a kind at a position, in order, as many as fit on a page. */
const rowsAt = async (api: Stores, kind: string, keys: readonly ListKey[], position: bigint): Promise<ListRow[]> => {
  const hasRoom = makePageBudget()
  const rows: ListRow[] = []
  for (const some of chunksOf(await knownRowsAt(api, keys, position), rowsAtOnce)) {
    const read = some.map(async ({ key: { id }, row }) => row ?? requireRowAt(api, kind, id, position))
    for (const row of await Promise.all(read)) {
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
  const read = await rowsAt(api, query.kind, nearest, query.position)
  const rows = backwards ? read.toReversed() : read
  const cut = rows.length < keys.length
  return { rows, total, hasBefore: hasBefore || (cut && backwards), hasAfter: hasAfter || (cut && !backwards) }
}
