import type { RecordedEvent } from '../events.ts'
import { DamagedLog, type EventStore } from '../eventStore.ts'

export interface Damage {
  readonly from: bigint
  readonly to: bigint
  readonly error: DamagedLog
}

/** Reads events in log order from behind a position on; throws {@link DamagedLog} where it can read no further. */
type ReadAfter = (position: bigint) => AsyncIterable<RecordedEvent>

/** Everything that can be read, in log order, and what cannot, each in its place: for those who look for damage. */
export async function* readable(
  log: Pick<EventStore, 'head'>,
  readAfter: ReadAfter,
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
      // Without a head not even the end is known.
      if (position < ((await log.head()) ?? 0n)) continue
    }
    if (damage !== undefined) yield damage
    return
  }
}
