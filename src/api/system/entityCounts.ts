import { LRUCache } from 'lru-cache'
import { measuresOf } from '../../kinds/edges.ts'
import { kinds } from '../../kinds/registry/kinds.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { EntityLists, ListQuery } from '../../projections/entities/port.ts'
import { mapInChunks } from '../../shared/bounds.ts'

/** Live entities of a kind. */
export interface EntityCount {
  readonly kind: string
  readonly total: number
  /** Without a description and without an owner, of kinds that coverage counts. */
  readonly undescribed?: number
  readonly unowned?: number
}

type Lists = Pick<EntityLists, 'list'>

const countKind = async (lists: Lists, definition: KindDefinition): Promise<EntityCount> => {
  const kind = definition.name
  const count = async (edges: ListQuery['edges']): Promise<number> =>
    (await lists.list({ kind, include: 'non-deleted', scopes: [], edges, limit: 0 })).total
  const total = await count([])
  if (total === 0 || measuresOf(definition).length === 0) return { kind, total }
  const without = async (rel: string): Promise<number> => total - (await count([{ rel, target: 'true' }]))
  return { kind, total, undescribed: await without('described'), unowned: await without('owned') }
}

/** How long numbers are kept, in milliseconds: counting a large kind takes a while, and scrapes come often. */
const cacheTime = 60_000

/** Counts the entities of every kind, at most once a minute. */
export const makeEntityCounts = (lists: () => Lists): (() => Promise<readonly EntityCount[]>) => {
  const fetchMethod = () => mapInChunks(kinds, 4, (definition) => countKind(lists(), definition))
  const cache = new LRUCache<'all', readonly EntityCount[]>({ max: 1, ttl: cacheTime, ttlResolution: 0, fetchMethod })
  return () => cache.forceFetch('all')
}
