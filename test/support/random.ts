/** Numbers that look random and are the same in every run. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number between both, inclusive. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** So many different items, in the order of the list; all of them when there are fewer. */
  sample<T>(items: readonly T[], count: number): T[]
}

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A source of its own for each label (mulberry32): adding one thing leaves all others as they were. */
export const randomFor = (label: string): Random => {
  let state = hashOf(label)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('There is nothing to pick from.')
      return items[between(0, items.length - 1)] as (typeof items)[number]
    },
    sample: (items, count) => {
      let wanted = Math.min(count, items.length)
      return items.filter((_, index) => {
        const taken = next() * (items.length - index) < wanted
        if (taken) wanted -= 1
        return taken
      })
    },
  }
}
