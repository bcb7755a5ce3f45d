import type { JsonObject } from '../../shared/json.ts'
import type { EntityLists, EntityReads, Related } from './port.ts'
import type { EntityRow, HeadRow, ListedRow, ReferenceRow } from './row.ts'
import { listSettled } from './settledLists.ts'
import { isBelow, statusOf, type Ended, type Unreached } from './unreached.ts'

type Reads = EntityReads & Pick<EntityLists, 'list' | 'countSettled' | 'relatedTo' | 'childrenOf' | 'countBelow'>

/** The members that every answer has, of something that is deleted. */
const shownDeleted = (shownAlways: string): string =>
  JSON.stringify({ ...(JSON.parse(shownAlways) as JsonObject), deleted: true })

/** The row as it is once it is reached. */
export const settledRow = (ended: readonly Ended[], row: EntityRow): EntityRow => {
  const status = statusOf(ended, row)
  return status === row.status ? row : { ...row, status, shownAlways: shownDeleted(row.shownAlways) }
}

const settledHead = (ended: readonly Ended[], row: HeadRow): HeadRow => {
  const status = statusOf(ended, row)
  return status === row.status ? row : { ...row, status }
}

/** The reference with the status that it has once it is reached. */
export const settledReference = (ended: readonly Ended[], row: ReferenceRow): ReferenceRow => {
  const { fullyQualifiedName } = JSON.parse(row.reference) as { fullyQualifiedName: string }
  const status = statusOf(ended, { kind: row.kind, status: row.status, fullyQualifiedName })
  return status === row.status ? row : { ...row, status }
}

const settledRelated = (ended: readonly Ended[], related: Related[]): Related[] => {
  if (ended.length === 0) return related
  return related.flatMap((each) => {
    const row = settledReference(ended, each.row)
    return row.status === 'gone' ? [] : [{ ...each, row }]
  })
}

const settledListed = (hidden: readonly Ended[], row: ListedRow): ListedRow =>
  hidden.some((each) => isBelow(each, row)) ? { ...row, shownAlways: shownDeleted(row.shownAlways) } : row

const mapped = <Value>(found: ReadonlyMap<string, Value>, change: (value: Value) => Value): Map<string, Value> =>
  new Map([...found].map(([id, value]) => [id, change(value)]))

/**
 * Entities once everything is reached that a deletion takes: what stands below is deleted, although its event is still
 * to come.
 */
export const settledReads = (reads: Reads, unreached: Pick<Unreached, 'ended'>): Omit<Reads, 'countSettled'> => ({
  get: async (id, reached) => {
    const row = await reads.get(id, reached)
    return row && settledRow(await unreached.ended(), row)
  },
  getByFqn: async (kind, fqn) => {
    const row = await reads.getByFqn(kind, fqn)
    const settled = row && settledRow(await unreached.ended(), row)
    return settled?.status === 'gone' ? undefined : settled
  },
  getMany: async (ids, reached) => {
    const [rows, ended] = [await reads.getMany(ids, reached), await unreached.ended()]
    return ended.length === 0 ? rows : mapped(rows, (row) => settledRow(ended, row))
  },
  getHeads: async (ids, reached) => {
    const [rows, ended] = [await reads.getHeads(ids, reached), await unreached.ended()]
    return ended.length === 0 ? rows : mapped(rows, (row) => settledHead(ended, row))
  },
  getReferences: async (ids, reached) => {
    const [rows, ended] = [await reads.getReferences(ids, reached), await unreached.ended()]
    return ended.length === 0 ? rows : mapped(rows, (row) => settledReference(ended, row))
  },
  list: async (query) => {
    const ended = await unreached.ended()
    if (ended.length === 0) return reads.list(query)
    const { rows, hidden, ...page } = await listSettled(reads, ended, query)
    return { ...page, rows: rows.map((row) => settledListed(hidden, row)) }
  },
  relatedTo: async (...asked) => settledRelated(await unreached.ended(), await reads.relatedTo(...asked)),
  childrenOf: async (...asked) => settledRelated(await unreached.ended(), await reads.childrenOf(...asked)),
  countBelow: async (kind, scope, reached) => {
    const ended = await unreached.ended()
    if (ended.length === 0) return reads.countBelow(kind, scope, reached)
    const query = { kind, include: 'non-deleted', scopes: [scope], edges: [], limit: 0 } as const
    return (await listSettled(reads, ended, query)).total
  },
})
