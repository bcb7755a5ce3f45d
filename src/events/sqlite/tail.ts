import { quietTurn } from '../../shared/yieldToEventLoop.ts'
import type { EventBatch, SubscribeOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import type { Notifier } from '../notifier.ts'
import { asNumber, pageEvents } from './reads.ts'

/** The newest events of a log, in memory, so that those who follow it closely need not read it. */
export interface Tail {
  /**
   * Adds committed events, with the bytes of each. The tail starts afresh where they do not follow on the newest one.
   */
  push(events: readonly RecordedEvent[], sizes: readonly number[]): void
  /** Events after this position, at least one, up to `limit` and about `bytes`; `undefined` beyond the tail. */
  after(position: number, limit: number, bytes: number): RecordedEvent[] | undefined
}

/** A tail that begins after `position` and holds at most `maxEvents` and `maxBytes`. Positions within have no holes. */
export const makeTail = (position: number, maxEvents: number, maxBytes: number): Tail => {
  let events: (RecordedEvent | undefined)[] = []
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
      // Else it would be held until its place is given back, together with a thousand like it.
      events[start] = undefined
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
      return events.slice(from, end) as RecordedEvent[]
    },
  }
}

/** What a subscription reads from and is woken by. */
export interface Followed {
  /** The newest events in memory, if the position is among them. */
  readonly recent: (position: number, limit: number) => readonly RecordedEvent[] | undefined
  readonly pageAfter: (position: number, limit: number) => readonly RecordedEvent[]
  readonly notifier: Notifier
  /** Milliseconds after which to look again unasked. */
  readonly pollInterval?: number
}

export async function* follow(
  { recent, pageAfter, notifier, pollInterval: interval }: Followed,
  { after, signal, batchSize = 1000 }: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  let position = asNumber(after ?? 0n)
  while (!signal.aborted) {
    const events = recent(position, batchSize) ?? pageAfter(position, batchSize)
    const last = events.at(-1)
    if (last) {
      position = Number(last.position)
      yield { events, position: last.position }
      await quietTurn()
    } else {
      await notifier.wait(signal, interval)
    }
  }
}

/** Everything after a position, from memory as far as that reaches. */
export function* eventsSince(
  recent: Followed['recent'],
  pageAfter: Followed['pageAfter'],
  position: bigint | undefined,
): Generator<RecordedEvent, void, undefined> {
  for (let at = asNumber(position ?? 0n); ;) {
    const page = recent(at, pageEvents) ?? pageAfter(at, pageEvents)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    at = Number(last.position)
  }
}
