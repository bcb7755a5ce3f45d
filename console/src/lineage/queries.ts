import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, get, onto, Problem } from '../api/client.ts'
import { refresh } from '../api/queries.ts'
import type { Reference } from '../api/types.ts'

/** An asset of a lineage; of what may not be viewed there is no name. */
export interface LineageNode extends Partial<Reference> {
  readonly id: string
  readonly type: string
  /** Steps from the asset that was asked about; up is below zero. */
  readonly depth: number
}

export interface ColumnEdge {
  readonly from: readonly string[]
  readonly to: string
  readonly function?: string
}

/** Where data comes from, who says so, and since when. */
export interface LineageEdge {
  readonly from: string
  readonly to: string
  readonly source: string
  readonly since: { readonly position: string; readonly time?: string; readonly user?: string }
  readonly description?: string
  readonly pipeline?: Partial<Reference>
  readonly query?: Partial<Reference>
  readonly sql?: string
  readonly columns?: readonly ColumnEdge[]
}

export interface LineageGraph {
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly LineageEdge[]
  readonly paging: { readonly total: number; readonly truncated: boolean; readonly after?: string }
}

export interface LineageDifference {
  readonly nodes: readonly LineageNode[]
  readonly added: readonly LineageEdge[]
  readonly removed: readonly LineageEdge[]
  readonly changed: readonly LineageEdge[]
}

export type Asset = Pick<Reference, 'id' | 'type' | 'fullyQualifiedName'>

export const lineagePath = ({ type, id }: Pick<Asset, 'id' | 'type'>): string => `/v1/lineage/${type}/${id}`

/** @param asOf an instant or a position of the log; left out, the present */
export const lineageQuery = (asset: Asset, steps: number, asOf: string | undefined) =>
  queryOptions({
    queryKey: ['lineage', asset.id, steps, asOf],
    queryFn: ({ signal }) =>
      get<LineageGraph>(lineagePath(asset), { up: steps, down: steps, columns: true, asOf }, signal),
    placeholderData: keepPreviousData,
  })

/** What changed from a moment until now. */
export const lineageDifferenceQuery = (asset: Asset, steps: number, from: string | undefined) =>
  queryOptions({
    queryKey: ['lineage', asset.id, steps, 'since', from],
    queryFn: ({ signal }) =>
      get<LineageDifference>(`${lineagePath(asset)}/diff`, { up: steps, down: steps, columns: true, from }, signal),
    enabled: from !== undefined,
  })

/** What people draw is stated by this source. */
export const manual = 'manual'

const etagOf = async ({ type, fullyQualifiedName }: Asset): Promise<string | undefined> => {
  try {
    const name = encodeURIComponent(`${fullyQualifiedName}.${type}Lineage`)
    return (await call('GET', `/v1/lineages/name/${name}`)).etag
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  }
}

const only = (reference: Partial<Reference> | undefined): Partial<Reference> | undefined =>
  reference && { id: reference.id ?? '', type: reference.type ?? '' }

/**
 * Draws an edge by hand, or takes one away; what was drawn into the same asset before stays as it is.
 * @throws Problem 412 when somebody drew into it meanwhile; Error when it is drawn, or one of them may not be viewed
 */
export const drawEdge = async (up: Pick<Asset, 'id' | 'type'>, down: Asset, drawn: boolean): Promise<void> => {
  const etag = await etagOf(down)
  const query = { up: 1, down: 0, source: manual, columns: true }
  const { nodes, edges, paging } = await get<LineageGraph>(lineagePath(down), query)
  const known = new Map(nodes.map((node) => [node.id, node]))
  if (paging.after !== undefined || paging.truncated)
    throw new Error('It has more manual edges than can be changed here.')
  if (nodes.some(({ name }) => name === undefined))
    throw new Error('You may not view some of its manual edges, so they cannot be changed here.')
  const all = edges.filter(({ to }) => to === down.id)
  const others = all.filter(({ from }) => from !== up.id)
  if (drawn && others.length < all.length) throw new Error('This edge is drawn by hand already.')
  const kept = others.map(({ from, description, sql, columns, pipeline, query: by }) => ({
    from: { id: from, type: known.get(from)?.type },
    description,
    sql,
    columns,
    pipeline: only(pipeline),
    query: only(by),
  }))
  const added = drawn ? [{ from: { id: up.id, type: up.type } }] : []
  await call('PUT', lineagePath(down), {
    query: { source: manual },
    body: { edges: [...kept, ...added] },
    ...onto(etag),
  })
  await refresh()
}
