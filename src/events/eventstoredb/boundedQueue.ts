import type { EventBatch } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'

const maxEvents = 4000

/** Approximate limit of their total length in characters. */
const maxSize = 32 * 2 ** 20

/** Events that a subscription has received and the subscriber has not taken yet. */
export const makeQueue = (after: bigint | undefined) => {
  const queued: { event: RecordedEvent; characters: number }[] = []
  let size = 0
  let received = after
  let taken = after
  return {
    /** Position up to which all events of this catalog were received. */
    position: (): bigint | undefined => received,
    isNew: (position: bigint): boolean => received === undefined || position > received,
    /** Advances to a position, optionally with an event of a given length. */
    advance: (position: bigint, event?: RecordedEvent, characters = 0): void => {
      received = position
      if (!event) return
      queued.push({ event, characters })
      size += characters
    },
    isEmpty: (): boolean => queued.length === 0,
    /** From 0 (empty) to 1 (full). */
    fullness: (): number => Math.max(queued.length / maxEvents, size / maxSize),
    /** The next batch; `undefined` if there is nothing new. */
    take: (batchSize: number): EventBatch | undefined => {
      const batch = queued.splice(0, batchSize)
      for (const { characters } of batch) size -= characters
      const position = queued.length > 0 ? batch.at(-1)?.event.position : received
      if (position === undefined || position === taken) return undefined
      taken = position
      return { events: batch.map(({ event }) => event), position }
    },
  }
}

export type Queue = ReturnType<typeof makeQueue>
