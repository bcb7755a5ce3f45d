import type { RecordedEvent } from '../events.ts'

/** The newest events of a log, in memory, so that those who follow it closely need not read it. */
export interface Tail {
  /**
   * Adds events that were just committed, with the size of each in bytes. When they do not follow on the newest one
   * (somebody else wrote in between) the tail starts afresh with them.
   */
  push(events: readonly RecordedEvent[], sizes: readonly number[]): void
  /**
   * Events after this position: up to `limit`, and not many more than `bytes`, but at least one; `undefined` when the
   * tail does not reach back so far.
   */
  after(position: number, limit: number, bytes: number): RecordedEvent[] | undefined
}

/**
 * A tail that begins after `position` (every event up to there was committed before) and holds at most `maxEvents`
 * events and `maxBytes` bytes. Positions within it have no holes.
 */
export const makeTail = (position: number, maxEvents: number, maxBytes: number): Tail => {
  let events: RecordedEvent[] = []
  let sizes: number[] = []
  let start = 0
  let bytes = 0
  /** Position before the oldest event that is held. */
  let before = position

  const restart = (at: number): void => {
    events = []
    sizes = []
    start = 0
    bytes = 0
    before = at
  }

  const trim = (): void => {
    while (events.length - start > maxEvents || (bytes > maxBytes && start < events.length)) {
      bytes -= sizes[start] as number
      start++
      before++
    }
    if (start > 1024 && start > events.length / 2) {
      events = events.slice(start)
      sizes = sizes.slice(start)
      start = 0
    }
  }

  return {
    push(added, addedSizes) {
      const first = added[0]
      if (!first) return
      const newest = before + events.length - start
      if (Number(first.position) !== newest + 1) restart(Number(first.position) - 1)
      for (let index = 0; index < added.length; index++) {
        events.push(added[index] as RecordedEvent)
        sizes.push(addedSizes[index] as number)
        bytes += addedSizes[index] as number
      }
      trim()
    },
    after(position, limit, most) {
      if (position < before) return undefined
      const from = start + position - before
      let end = from
      for (let taken = 0; end < events.length && end - from < limit && taken <= most; end++)
        taken += sizes[end] as number
      return events.slice(from, end)
    },
  }
}
