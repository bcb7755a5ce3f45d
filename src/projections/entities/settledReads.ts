import type { JsonObject } from '../../shared/json.ts'
import type { EntityLists, EntityReads, Related } from './port.ts'
import { referredFqn, type EntityRow, type HeadRow, type ListRow, type ReferenceRow, type Status } from './row.ts'
import { listSettled } from './settledLists.ts'
import { statusOf, type Pending, type Region } from './pending.ts'

type Reads = EntityReads & Pick<EntityLists, 'list' | 'countSettled' | 'relatedTo' | 'childrenOf' | 'countBelow'>

const shownAs = (status: Status, shownAlways: string): string =>
  JSON.stringify({ ...(JSON.parse(shownAlways) as JsonObject), deleted: status === 'deleted' })

/** The row with pending deletions and restores applied. */
export const settledRow = (regions: readonly Region[], row: EntityRow): EntityRow => {
  const status = statusOf(regions, row)
  return status === row.status ? row : { ...row, status, shownAlways: shownAs(status, row.shownAlways) }
}

const settledHead = (regions: readonly Region[], row: HeadRow): HeadRow => ({ ...row, status: statusOf(regions, row) })

/** The reference with pending deletions and restores applied. */
export const settledReference = (regions: readonly Region[], row: ReferenceRow): ReferenceRow => ({
  ...row,
  status: statusOf(regions, { ...row, fullyQualifiedName: referredFqn(row) }),
})

const settledRelated = (regions: readonly Region[], related: Related[]): Related[] => {
  if (regions.length === 0) return related
  return related.flatMap((each) => {
    const row = settledReference(regions, each.row)
    return row.status === 'gone' ? [] : [{ ...each, row }]
  })
}

const settledListed = (regions: readonly Region[], row: ListRow): ListRow => {
  const shown = JSON.parse(row.shownAlways) as JsonObject
  const before = shown['deleted'] === true ? 'deleted' : 'live'
  const status = statusOf(regions, { ...row, status: before })
  return status === before ? row : { ...row, shownAlways: shownAs(status, row.shownAlways) }
}

const settledMany =
  <Row>(
    pending: Pick<Pending, 'regions'>,
    read: (ids: readonly string[]) => Promise<Map<string, Row>>,
    settled: (regions: readonly Region[], row: Row) => Row,
  ) =>
  async (ids: readonly string[]): Promise<Map<string, Row>> => {
    const [regions, rows] = [await pending.regions(), await read(ids)]
    return regions.length === 0 ? rows : new Map([...rows].map(([id, row]) => [id, settled(regions, row)]))
  }

/**
 * Reads that apply pending deletions and restores. Pending regions are read first: a row that has its event
 * meanwhile is the same either way.
 */
export const settledReads = (reads: Reads, pending: Pick<Pending, 'regions'>): Omit<Reads, 'countSettled'> => ({
  get: async (id) => {
    const regions = await pending.regions()
    const row = await reads.get(id)
    return row && settledRow(regions, row)
  },
  getByFqn: async (kind, fqn) => {
    const regions = await pending.regions()
    const row = await reads.getByFqn(kind, fqn)
    const settled = row && settledRow(regions, row)
    return settled?.status === 'gone' ? undefined : settled
  },
  getMany: settledMany(pending, reads.getMany, settledRow),
  getHeads: settledMany(pending, reads.getHeads, settledHead),
  getReferences: settledMany(pending, reads.getReferences, settledReference),
  list: async (query) => {
    const regions = await pending.regions()
    if (regions.length === 0) return reads.list(query)
    const page = await listSettled(reads, regions, query)
    return { ...page, rows: page.rows.map((row) => settledListed(regions, row)) }
  },
  relatedTo: async (...args) => settledRelated(await pending.regions(), await reads.relatedTo(...args)),
  childrenOf: async (...args) => settledRelated(await pending.regions(), await reads.childrenOf(...args)),
  countBelow: async (kind, scope) => {
    const regions = await pending.regions()
    if (regions.length === 0) return reads.countBelow(kind, scope)
    const query = { kind, include: 'non-deleted', scopes: [scope], edges: [], limit: 0 } as const
    return (await listSettled(reads, regions, query)).total
  },
})
