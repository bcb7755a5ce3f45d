import { shownLength, type EntityRow, type ReferenceRow } from './row.ts'

/** What was read lately, up to a number of bytes. Exact: whoever changes what is kept here deletes it. */
export interface Recent<T, K = string> {
  get(key: K): T | undefined
  set(key: K, value: T, bytes: number): void
  delete(key: K): void
  clear(): void
}

export const entrySize = 200

/** Those of rows, edges and references beside their texts. */
const rowSize = 800
const edgeSize = 100
const referenceSize = 200

/**
 * Two generations with half of the room each: what is not asked for while the younger one fills is dropped. Unlike a
 * list in order of use, this costs a hit nothing.
 */
export const makeRecent = <T, K = string>(room: number): Recent<T, K> => {
  let young = new Map<K, { value: T; cost: number }>()
  let old = young
  let used = 0
  const drop = (key: K): void => {
    used -= young.get(key)?.cost ?? 0
    young.delete(key)
    old.delete(key)
  }
  const keep = (key: K, entry: { value: T; cost: number }): void => {
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
    get: (key) => {
      const entry = young.get(key)
      if (entry !== undefined) return entry.value
      const older = old.get(key)
      if (older !== undefined) keep(key, older)
      return older?.value
    },
    set: (key, value, bytes) => keep(key, { value, cost: bytes + entrySize }),
    delete: drop,
    clear: () => {
      young = new Map()
      old = young
      used = 0
    },
  }
}

/** Bytes that a row takes in memory, about. */
export const bytesOfRow = (row: EntityRow): number =>
  rowSize + row.edges.length * edgeSize + row.reference.length + shownLength(row)

export const bytesOfReference = ({ reference, label = '', shownBelow = '' }: ReferenceRow): number =>
  referenceSize + reference.length + label.length + shownBelow.length
