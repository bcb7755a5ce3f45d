import type { Edge, ReferenceRow } from '../../../projections/entities/row.ts'
import type { ListKey, Related } from '../../../projections/entities/port.ts'
import { compareKeys } from '../../../projections/entities/codePointOrder.ts'
import { toRow } from '../../../projections/entities/entityRow.ts'
import { relationsOf } from '../../../kinds/edges.ts'
import { mapInChunks } from '../../../shared/chunks.ts'
import type { Api } from '../../deps.ts'
import type { Relations } from '../seen.ts'

/** Children, relations and numbers that answers are computed from. */
export type Computing = Pick<Relations, 'relatedTo' | 'childrenOf' | 'countBelow'>

const streamsAtOnce = 50

/** How others refer to an entity: as it is, or where its life has ended since, as it was. */
const referenceThen = async (
  api: Api,
  present: ReferenceRow | undefined,
  { kind, id, position }: { kind: string; id: string; position: bigint },
): Promise<ReferenceRow[]> => {
  if (present !== undefined && present.status !== 'gone' && present.born === 0n) return [present]
  const then = await api.history.asOf({ kind, id }, { position })
  if (then === undefined) return []
  if (present !== undefined && present.status !== 'gone' && present.born === then.born) return [present]
  return [toRow(then, api.kindNamed(kind))]
}

interface Narrowed {
  readonly kind: string
  readonly parent?: string
  readonly edges: readonly Edge[]
}

/** What answers are computed from, as it was at a position. @param at is asked for it where something is computed */
export const pastRelations = (api: Api, at: () => Promise<bigint>): Computing => {
  const listed = async (narrowed: Narrowed, limit: number): Promise<readonly ListKey[]> => {
    const query = { ...narrowed, include: 'all', scopes: [], limit, position: await at() } as const
    return (await api.readModels.listAsOf(query)).keys
  }
  const related = async (
    found: readonly (ListKey & { readonly kind: string })[],
    of: string,
    rel: string,
  ): Promise<Related[]> => {
    const position = await at()
    const present = await api.readModels.getReferences(found.map(({ id }) => id))
    const rows = await mapInChunks(found, streamsAtOnce, ({ kind, id }) =>
      referenceThen(api, present.get(id), { kind, id, position }),
    )
    return rows.flat().map((row) => ({ of, rel, row }))
  }
  return {
    countBelow: async (kind, scope) => {
      const query = {
        kind,
        include: 'non-deleted',
        scopes: [scope],
        edges: [],
        limit: 0,
        position: await at(),
      } as const
      return (await api.readModels.listAsOf(query)).total
    },
    childrenOf: async (ids, kind, limit) => {
      const lists = await mapInChunks(ids, streamsAtOnce, async (parent) => {
        const keys = await listed({ kind, parent, edges: [] }, limit)
        return related(
          keys.map((key) => ({ ...key, kind })),
          parent,
          kind,
        )
      })
      return lists.flat()
    },
    relatedTo: async (targets, rel, limit) => {
      const kinds = api.kinds.filter((kind) => relationsOf(kind).includes(rel))
      const lists = await mapInChunks(targets, streamsAtOnce, async (target) => {
        const found = await mapInChunks(kinds, streamsAtOnce, async ({ name }) => {
          const keys = await listed({ kind: name, edges: [{ rel, target }] }, limit)
          return keys.map((key) => ({ ...key, kind: name }))
        })
        return related(found.flat().sort(compareKeys).slice(0, limit), target, rel)
      })
      return lists.flat()
    },
  }
}
