import { type RecordedEvent, isBehind } from '../../events/events.ts'
import type { LeafReader } from '../../projections/tree/leafReader.ts'

/** @param text CloudEvents 1.0 JSON */
export const makeFeedItem = (event: RecordedEvent, text: string) => {
  let frame: Buffer | undefined
  return {
    event,
    text,
    /** A frame of server-sent events, with the position as id, created on first use. */
    get frame(): Buffer {
      return (frame ??= Buffer.from(`id: ${event.position}\ndata: ${text}\n\n`))
    },
  }
}

export type FeedItem = Readonly<ReturnType<typeof makeFeedItem>>

/** @param from position before the tail @param maxItems most items @param maxSize largest total length of texts */
export const makeFeedTail = (from: bigint | undefined, maxItems: number, maxSize: number) => {
  let items: FeedItem[] = []
  let size = 0
  let start = from
  let position = from

  const trim = (): void => {
    let drop = 0
    while (items.length - drop > maxItems || (size > maxSize && drop < items.length)) {
      const item = items[drop++] as FeedItem
      size -= item.text.length
      start = item.event.position
    }
    if (drop > 0) items = items.slice(drop)
  }

  return {
    /** Position up to which events were received; `undefined`: none yet. */
    position: (): bigint | undefined => position,
    /** Whether the tail holds everything after this position (`undefined`: the beginning). */
    covers: (wanted: bigint | undefined): boolean => !isBehind(wanted, start),
    // Looked for from the end, since most readers are near it.
    after: (wanted: bigint | undefined): readonly FeedItem[] =>
      items.slice(items.findLastIndex(({ event }) => !isBehind(wanted, event.position)) + 1),
    push: (added: readonly FeedItem[], reached: bigint): void => {
      for (const item of added) {
        // Erased values must not be served from memory.
        if (item.event.type === 'Forgotten') [items, size, start] = [[], 0, item.event.position - 1n]
        items.push(item)
        size += item.text.length
      }
      position = reached
      if (items.length > maxItems * 1.1 || size > maxSize) trim()
    },
  }
}

export type FeedTail = ReturnType<typeof makeFeedTail>

/** Counts leaf indexes of consecutive events: looks up the first one and counts from there. */
export const countLeaves = (leafOf: LeafReader) => {
  let next: number | undefined
  let requested = false
  return {
    /** The index of the next event; call it for every event. `undefined` if unknown. */
    next: async ({ position }: RecordedEvent): Promise<number | undefined> => {
      if (!requested) next = await leafOf(position)
      requested = true
      return next === undefined ? undefined : next++
    },
    isUnknown: (): boolean => requested && next === undefined,
  }
}
