import type { EventBatch } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'

/** Events that a subscription has received and the subscriber has not taken yet. */
export interface Queue {
  /** Position up to which all events of this catalog were received. */
  position(): bigint | undefined
  isNew(position: bigint): boolean
  /** Advances to a position, optionally with an event of a given length. */
  advance(position: bigint, event?: RecordedEvent, characters?: number): void
  isEmpty(): boolean
  /** From 0 (empty) to 1 (full). */
  fullness(): number
  /** The next batch; `undefined` if there is nothing new. */
  take(batchSize: number): EventBatch | undefined
}

const maxEvents = 4000

/** Approximate limit of their total length in characters. */
const maxSize = 32 * 2 ** 20

export const makeQueue = (after: bigint | undefined): Queue => {
  const events: RecordedEvent[] = []
  const sizes: number[] = []
  let size = 0
  let received = after
  let taken = after
  return {
    position: () => received,
    isNew: (position) => received === undefined || position > received,
    advance: (position, event, characters = 0) => {
      received = position
      if (!event) return
      events.push(event)
      sizes.push(characters)
      size += characters
    },
    isEmpty: () => events.length === 0,
    fullness: () => Math.max(events.length / maxEvents, size / maxSize),
    take: (batchSize) => {
      const batch = events.splice(0, batchSize)
      for (const taking of sizes.splice(0, batchSize)) size -= taking
      const position = events.length > 0 ? batch.at(-1)?.position : received
      if (position === undefined || position === taken) return undefined
      taken = position
      return { events: batch, position }
    },
  }
}
