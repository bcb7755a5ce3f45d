import { quietTurn } from '../../shared/yieldToEventLoop.ts'
import type { EventBatch, SubscribeOptions } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import type { Notifier } from '../notifier.ts'
import { asNumber, pageEvents } from './reads.ts'

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
