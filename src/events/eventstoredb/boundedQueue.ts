import type { EventBatch } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'

/** What a subscription has received and its subscriber has not taken yet. */
export interface Queue {
  /** Everything of ours up to here was received. */
  position(): bigint | undefined
  isNew(position: bigint): boolean
  /** Notes that the log has been looked through up to here, with this event at its end, of so many characters. */
  advance(position: bigint, event?: RecordedEvent, characters?: number): void
  isEmpty(): boolean
  /** 1 is full. */
  fullness(): number
  /** Some events and how far the log has been looked through with them; `undefined` when nothing is new. */
  take(batchSize: number): EventBatch | undefined
}

const maxEvents = 4000

/** And about so many characters of theirs. */
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
