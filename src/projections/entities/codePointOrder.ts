import type { ListKey } from './port.ts'

/**
 * Compares by code points, as the engines do. JavaScript compares code units, which differs between surrogate pairs and
 * U+E000 to U+FFFF.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Rank of a code unit in code point order. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x10000 : unit
}

/** The order of lists: by FQN, then by id. */
export const compareKeys = (a: ListKey, b: ListKey): number =>
  compareCodePoints(a.fullyQualifiedName, b.fullyQualifiedName) || compareCodePoints(a.id, b.id)
