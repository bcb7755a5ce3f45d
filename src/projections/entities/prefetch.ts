import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { makeRoom } from '../../shared/bounds.ts'
import type { EntityReads } from './port.ts'
import { shownLength, type EntityRow } from './row.ts'

type Reads = Pick<EntityReads, 'get' | 'getMany' | 'getHeads'>

export interface Prefetch {
  readonly rows: ReadonlyMap<string, EntityRow>
  /** Ids beyond the memory bound. */
  readonly left: ReadonlySet<string>
}

const splitBySize = async (reads: Reads, ids: readonly string[]) => {
  const heads = await reads.getHeads([...new Set(ids)])
  const sized = ids.filter((id) => heads.has(id))
  const isLarge = (id: string): boolean => heads.get(id)?.isLarge === true
  return { small: sized.filter((id) => !isLarge(id)), large: sized.filter(isLarge) }
}

/** Reads complete rows: all small ones, and large ones in order within the memory bound. */
export const prefetchRows = async (reads: Reads, ids: readonly string[]): Promise<Prefetch> => {
  const { small, large } = await splitBySize(reads, ids)
  const rows = small.length === 0 ? new Map<string, EntityRow>() : await reads.getMany(small)
  const left = new Set<string>()
  const hasRoom = makeRoom()
  const yieldWhenDue = makeYielder()
  for (const id of large) {
    const row = left.size > 0 ? undefined : await reads.get(id)
    if (row !== undefined && hasRoom(shownLength(row))) rows.set(id, row)
    else left.add(id)
    await yieldWhenDue()
  }
  return { rows, left }
}
