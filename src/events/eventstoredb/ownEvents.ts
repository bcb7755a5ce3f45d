import type { RawEvent } from '../codec.ts'

/** An event as it stands in the store's log, its stream named as there. */
export interface StoredEvent extends RawEvent {
  /** Where the log goes on: at this position stands what comes next, whoever's it is. */
  readonly end: bigint
}

/**
 * Bytes of an event in the log beside its texts, its data and its metadata. From them follows where the log goes on, so an
 * event of our own that stands right behind the last one received need not be waited for. Should another version of the
 * server store more bytes, all events are waited for.
 */
const otherBytes = 88

/** Bytes of a text in the log, which begins with its length, seven bits to a byte. */
const textBytes = (length: number): number => {
  let bytes = length + 1
  for (let rest = length >> 7; rest > 0; rest >>= 7) bytes++
  return bytes
}

/** The lengths of what an event has of its own, in bytes. */
export interface EventLengths {
  readonly stream: number
  readonly type: number
  readonly data: number
  readonly metadata: number
}

/**
 * Where the log goes on behind an event: positions are bytes of it. A server that stored more would have nothing at
 * this position, and no event is so short that one which stored less had one of ours there.
 */
export const endOf = (position: bigint, { stream, type, data, metadata }: EventLengths): bigint =>
  position + BigInt(otherBytes + textBytes(stream) + textBytes(type) + data + metadata)

/** Tells those who listen which events this process has appended. */
export const makeAnnouncer = () => {
  const listeners = new Set<(event: StoredEvent) => void>()
  return {
    announce: (event: StoredEvent): void => listeners.forEach((listener) => listener(event)),
    listen: (listener: (event: StoredEvent) => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Events that wait at most: of those beyond it is waited for what the store says itself. */
const maxWaiting = 1000

/** Events of this process that may come next, by position. */
export const makeWaiting = () => {
  const events = new Map<bigint, StoredEvent>()
  return {
    add: (event: StoredEvent): void => {
      if (events.size >= maxWaiting) events.clear()
      events.set(event.position, event)
    },
    /** The event at this position, which waits no longer. */
    take: (position: bigint | undefined): StoredEvent | undefined => {
      if (position === undefined || events.size === 0) return undefined
      const event = events.get(position)
      if (event !== undefined) events.delete(position)
      return event
    },
  }
}
