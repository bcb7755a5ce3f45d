import { shownLength, type EntityRow, type ReferenceRow } from './row.ts'

export const entrySize = 200

/** Bytes of rows, edges and references without their texts. */
const rowSize = 800
const edgeSize = 100
const referenceSize = 200

/**
 * A read-through cache bounded in bytes. Coherent: writers delete what they change.
 * Two generations of half the size each: entries that are not used while the younger one fills are dropped. Unlike with
 * an LRU list, a hit costs nothing.
 */
export const makeMemoryCache = <T, K = string>(room: number) => {
  let young = new Map<K, { value: T; cost: number }>()
  let old = young
  let used = 0
  const drop = (key: K): void => {
    used -= young.get(key)?.cost ?? 0
    young.delete(key)
    old.delete(key)
  }
  const add = (key: K, entry: { value: T; cost: number }): void => {
    drop(key)
    if (entry.cost > room / 2) return
    if (used + entry.cost > room / 2) {
      old = young
      young = new Map()
      used = 0
    }
    young.set(key, entry)
    used += entry.cost
  }
  return {
    get: (key: K): T | undefined => {
      const entry = young.get(key)
      if (entry !== undefined) return entry.value
      const older = old.get(key)
      if (older !== undefined) add(key, older)
      return older?.value
    },
    set: (key: K, value: T, bytes: number): void => add(key, { value, cost: bytes + entrySize }),
    delete: drop,
  }
}

/** Approximate bytes of a row in memory. */
export const bytesOfRow = (row: EntityRow): number =>
  rowSize + row.edges.length * edgeSize + row.reference.length + shownLength(row)

export const bytesOfReference = ({ reference, label = '', shownBelow = '' }: ReferenceRow): number =>
  referenceSize + reference.length + label.length + shownBelow.length
