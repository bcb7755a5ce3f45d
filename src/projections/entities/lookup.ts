import type { Entity } from '../../commands/evolve.ts'
import type { Lookup, Tree } from '../../commands/lookup.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { fromRow } from './entityRow.ts'
import type { EntityRow } from './row.ts'
import type { EntityLists, EntityReads } from './port.ts'

type KindNamed = (name: string) => KindDefinition

/** Entities by id, from the read models. */
export const lookupIn =
  (readModels: Pick<EntityReads, 'get' | 'getMany'>, kindNamed: KindNamed): Lookup =>
  async (ids) => {
    const [id, ...others] = new Set(ids)
    if (id === undefined) return new Map()
    if (others.length === 0) {
      const row = await readModels.get(id)
      return new Map(row && [[id, fromRow(row, kindNamed(row.kind))]])
    }
    const rows = await readModels.getMany([id, ...others])
    return new Map([...rows].map(([found, row]) => [found, fromRow(row, kindNamed(row.kind))]))
  }

/** Parents and children, from the read models. */
export const treeIn = (readModels: Pick<EntityLists, 'list' | 'unsettled'>, kindNamed: KindNamed): Tree => ({
  hasChild: async (parent, kind, deleted) => {
    const include = deleted ? 'all' : 'non-deleted'
    const page = await readModels.list({ kind, parent, include, scopes: [], edges: [], limit: 1 })
    return page.rows.length > 0
  },
  contradictions: async (limit, ids) => {
    const entityOf = (row: EntityRow): Entity => fromRow(row, kindNamed(row.kind))
    const unsettled = await readModels.unsettled(limit, ids)
    return unsettled.map(({ row, parent }) => ({ child: entityOf(row), parent: entityOf(parent) }))
  },
})
