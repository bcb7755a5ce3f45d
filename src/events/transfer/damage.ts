import { DamagedLog, type EventStore } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'

export interface Damage {
  readonly from: bigint
  readonly to: bigint
  readonly error: DamagedLog
}

/**
 * All readable events and all damaged parts, in log order.
 * @param readAfter reads events in this order after a position, and throws DamagedLog at the first unreadable one
 */
export async function* eventsAndDamage(
  log: Pick<EventStore, 'head'>,
  readAfter: (position: bigint) => AsyncIterable<RecordedEvent>,
): AsyncGenerator<RecordedEvent | Damage> {
  let position = 0n
  let damage: Damage | undefined
  for (;;) {
    try {
      for await (const event of readAfter(position)) {
        if (damage !== undefined) yield damage
        damage = undefined
        position = event.position
        yield event
      }
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error
      position += 1n
      damage = { from: damage?.from ?? position, to: position, error: damage?.error ?? error }
      // Without a head the end of the log is unknown.
      if (position < ((await log.head()) ?? 0n)) continue
    }
    if (damage !== undefined) yield damage
    return
  }
}
