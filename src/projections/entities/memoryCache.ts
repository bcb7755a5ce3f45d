import { LRUCache } from 'lru-cache'
import { shownLength, type EntityRow, type ReferenceRow } from './row.ts'

export const entrySize = 200

/** Bytes of rows, edges and references without their texts. */
const rowSize = 800
const edgeSize = 100
const referenceSize = 200

/** A read-through cache bounded in bytes. Coherent: writers delete what they change. */
export const makeMemoryCache = <T extends NonNullable<unknown>, K extends NonNullable<unknown> = string>(
  room: number,
) => {
  const half = Math.max(1, Math.floor(room / 2))
  const entries = new LRUCache<K, T>({ maxSize: 2 * half, maxEntrySize: half })
  return {
    get: (key: K): T | undefined => entries.get(key),
    set: (key: K, value: T, bytes: number): void => void entries.set(key, value, { size: bytes + entrySize }),
    delete: (key: K): void => void entries.delete(key),
  }
}

/** Approximate bytes of a row in memory. */
export const bytesOfRow = (row: EntityRow): number =>
  rowSize + row.edges.length * edgeSize + row.reference.length + shownLength(row)

export const bytesOfReference = ({ reference, label = '', shownBelow = '' }: ReferenceRow): number =>
  referenceSize + reference.length + label.length + shownBelow.length
