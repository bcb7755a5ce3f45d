import type { Entity } from '../../commands/evolve.ts'
import type { StatusMismatch, Hierarchy } from '../../commands/lookup.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { childKinds, descendantKinds, kinds } from '../../kinds/registry/kinds.ts'
import { chunksOf } from '../../shared/bounds.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import { fromRow } from './entityRow.ts'
import { prefetchRows } from './lookup.ts'
import { pagesOf } from './page.ts'
import type { EntityLists, EntityReads, ListQuery } from './port.ts'
import { statuses, type EntityHead, type EntityRow, type HeadRow } from './row.ts'

/** A child whose status contradicts its parent's: see `processes/cascade.ts`. */
export interface MismatchRow {
  readonly row: EntityRow
  readonly parent: EntityRow
}

type Reads = Pick<EntityReads, 'get' | 'getMany' | 'getHeads'> & Pick<EntityLists, 'list' | 'headsBelow'>

const idsAtOnce = 1000

type Related = Pick<EntityHead, 'status' | 'born' | 'parentBorn' | 'inherited'>

/** See {@link readMismatches}. */
export const contradicts = (child: Related, parent: Related): boolean => {
  if (child.status === 'gone') return false
  if (parent.status === 'gone' || parent.born > child.parentBorn) return true
  return parent.status === 'deleted' ? child.status === 'live' : child.inherited
}

/** Children that contradict one of these parents, at most `limit` of each sort. */
const childrenOf = async (reads: Reads, parents: readonly HeadRow[], limit: number): Promise<HeadRow[]> => {
  const idsOf = (status: HeadRow['status']) => parents.flatMap((parent) => (parent.status === status ? parent.id : []))
  const [live, deleted, gone] = [idsOf('live'), idsOf('deleted'), idsOf('gone')]
  const reborn = parents.filter(({ born }) => born > 0n)
  const queries: Parameters<EntityLists['headsBelow']>[0][] = [
    { parents: [...deleted, ...gone], status: 'live' },
    { parents: gone, status: 'deleted' },
    { parents: live, status: 'deleted', inherited: true },
    ...reborn.flatMap(({ id, born }) =>
      (['live', 'deleted'] as const).map((status) => ({ parents: [id], status, bornBefore: born })),
    ),
  ]
  const found: HeadRow[] = []
  for (const each of queries) if (each.parents.length > 0) found.push(...(await reads.headsBelow(each, limit)))
  return found
}

/** Ids of children and of the parents that they contradict, if either is among these ids. */
const pairsAmong = async (reads: Reads, limit: number, ids: readonly string[]): Promise<[string, string][]> => {
  const pairs = new Map<string, string>()
  for (const some of limit === 0 ? [] : chunksOf(ids, idsAtOnce)) {
    const heads = await reads.getHeads(some)
    const own = [...heads.values()]
    const above = await reads.getHeads([...new Set(own.flatMap(({ parent }) => parent ?? []))])
    for (const child of [...own, ...(await childrenOf(reads, own, limit))]) {
      const parent = above.get(child.parent ?? '') ?? heads.get(child.parent ?? '')
      if (parent !== undefined && contradicts(child, parent)) pairs.set(child.id, parent.id)
    }
    if (pairs.size >= limit) break
  }
  return [...pairs].slice(0, limit)
}

/**
 * Children whose status contradicts their parent's: live below a deleted parent; not gone below a gone parent or a later
 * incarnation; deleted with a parent that is live again. Only with the child or the parent among `ids`. At most `limit`,
 * fewer (at least one) if their texts are too long: see `limits.pageText`.
 */
export const readMismatches = async (reads: Reads, limit: number, ids: readonly string[]): Promise<MismatchRow[]> => {
  const pairs = await pairsAmong(reads, limit, ids)
  const [first] = pairs
  if (first === undefined) return []
  const rows = new Map([...(await reads.getMany(first)), ...(await prefetchRows(reads, pairs.flat())).rows])
  return pairs.flatMap(([child, above]) => {
    const [row, parent] = [rows.get(child), rows.get(above)]
    return row && parent && contradicts(row, parent) ? [{ row, parent }] : []
  })
}

/** The descendants that may yet have to follow an entity of this status. */
const included = { live: 'deleted', deleted: 'non-deleted', gone: 'all' } as const

async function* idsBelow(reads: Reads, root: EntityHead, kind: string, include: ListQuery['include']) {
  const query = { kind, include, scopes: [root.fullyQualifiedName], edges: [], limit: Infinity, total: 0 }
  for await (const { rows } of pagesOf(reads, query)) yield rows.map(({ id }) => id)
}

/** See `Hierarchy.restoresDescendant`: entities deleted with their parent are restored with it. */
const restoresDescendant = async (readModels: Reads, root: Entity, kind: string): Promise<boolean> => {
  const rows = new Map<string, HeadRow>()
  const read = async (ids: readonly string[]): Promise<void> => {
    const missing = ids.filter((id) => !rows.has(id))
    if (missing.length > 0) for (const [id, row] of await readModels.getHeads(missing)) rows.set(id, row)
  }
  const goesWith = async (row: HeadRow | undefined): Promise<boolean> => {
    if (row?.parent === undefined || !row.inherited) return false
    if (row.parent === root.id) return true
    await read([row.parent])
    const above = rows.get(row.parent)
    return above?.status === 'live' || goesWith(above)
  }
  for await (const ids of idsBelow(readModels, root, kind, 'deleted')) {
    await read(ids)
    for (const id of ids) if (await goesWith(rows.get(id))) return true
  }
  return false
}

const kindsBehind = ({ kind }: EntityHead) => childKinds(kind).flatMap(({ name }) => descendantKinds(name))

/** See `Hierarchy.withGrandchildren`. With too many children to tell whose they are, all may have more. */
const withGrandchildren = async (readModels: Reads, roots: readonly EntityHead[]): Promise<ReadonlySet<EntityHead>> => {
  const nesting = roots.filter((root) => kindsBehind(root).length > 0)
  const ids = nesting.map(({ id }) => id)
  const parents = new Set<string | undefined>()
  for (const status of nesting.length === 0 ? [] : statuses) {
    const children = await readModels.headsBelow({ parents: ids, status }, idsAtOnce)
    if (children.length === idsAtOnce) return new Set(nesting)
    for (const { parent } of children) parents.add(parent)
  }
  return new Set(nesting.filter(({ id }) => parents.has(id)))
}

/** See `Hierarchy.pendingDescendantIds`. The registry has parents first, and so have the lists of kinds that nest. */
async function* pendingDescendantIds(readModels: Reads, root: EntityHead) {
  const deeper = new Set(kindsBehind(root))
  for (const kind of kinds) if (deeper.has(kind)) yield* idsBelow(readModels, root, kind.name, included[root.status])
}

const hasPendingDescendant = async (readModels: Reads, root: Entity, kind: string): Promise<boolean> => {
  for await (const ids of idsBelow(readModels, root, kind, root.status === 'gone' ? 'all' : 'non-deleted')) {
    const rows = await readModels.getHeads(ids)
    const parents = await readModels.getHeads([...new Set([...rows.values()].flatMap(({ parent }) => parent ?? []))])
    // Entities below a namesake of another kind have a live parent.
    for (const { parent, parentBorn } of rows.values()) {
      const above = parents.get(parent ?? '')
      if (above !== undefined && (above.status !== 'live' || above.born > parentBorn)) return true
    }
  }
  return false
}

export const makeHierarchy = (readModels: Reads, kindNamed: (name: string) => KindDefinition): Hierarchy => ({
  hasChild: async (parent, kind, deleted) => {
    const include = deleted ? 'all' : 'non-deleted'
    const page = await readModels.list({ kind, parent, include, scopes: [], edges: [], limit: 1 })
    return page.rows.length > 0
  },
  hasDescendant: async ({ fullyQualifiedName }, kind, deleted) => {
    const include = deleted ? 'all' : 'non-deleted'
    const page = await readModels.list({ kind, include, scopes: [fullyQualifiedName], edges: [], limit: 0 })
    return page.total > 0
  },
  countDescendants: async ({ fullyQualifiedName }, kind) => {
    const count = async (include: ListQuery['include']): Promise<number> =>
      (await readModels.list({ kind, include, scopes: [fullyQualifiedName], edges: [], limit: 0, countAnew: true }))
        .total
    const [live, deleted] = await Promise.all([count('non-deleted'), count('deleted')])
    return { live, deleted }
  },
  withGrandchildren: (roots) => withGrandchildren(readModels, roots),
  pendingDescendantIds: (root) => pendingDescendantIds(readModels, root),
  hasPendingDescendant: (root, kind) => hasPendingDescendant(readModels, root, kind),
  restoresDescendant: (root, kind) => restoresDescendant(readModels, root, kind),
  statusMismatches: async (limit, ids) => {
    const entityOf = (row: EntityRow): Entity => fromRow(row, kindNamed(row.kind))
    const contradictions: StatusMismatch[] = []
    for await (const { row, parent } of inSlices(await readMismatches(readModels, limit, ids)))
      contradictions.push({ child: entityOf(row), parent: entityOf(parent) })
    return contradictions
  },
})
