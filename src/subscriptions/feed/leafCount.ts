import type { RecordedEvent } from '../../events/events.ts'
import type { LeafReader } from '../../projections/tree/leafReader.ts'

/** Tells which leaves events are that follow each other in the log. */
export interface LeafCount {
  /** Of the next event; none may be left out. `undefined`: it is not known of any of them. */
  readonly next: (event: RecordedEvent) => number | undefined | Promise<number | undefined>
  readonly isUnknown: () => boolean
}

/** Looks up the first event, and counts on from there. */
export const countLeaves = (leafOf: LeafReader): LeafCount => {
  let next: number | undefined
  let asked = false
  const begin = (leaf: number | undefined): number | undefined => {
    next = leaf === undefined ? undefined : leaf + 1
    return leaf
  }
  return {
    next: ({ position }) => {
      if (next !== undefined) return next++
      if (asked) return undefined
      asked = true
      const leaf = leafOf(position)
      return leaf instanceof Promise ? leaf.then(begin) : begin(leaf)
    },
    isUnknown: () => asked && next === undefined,
  }
}
