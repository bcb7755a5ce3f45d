import type { EventStore } from '../../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'

/** A running store for one suite. */
export interface StoreUnderTest {
  readonly store: EventStore
  /** The same log, opened anew; `store` is closed by it. Left out where a store cannot be reopened. */
  reopen?(): Promise<EventStore>
  dispose(): Promise<void>
}

export const revisions = (events: readonly RecordedEvent[]): bigint[] => events.map(({ revision }) => revision)

export const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id)

/** Each event stands behind the one before it. */
export const increasing = (events: readonly RecordedEvent[]): boolean =>
  events.every(({ position }, index) => index === 0 || position > (events[index - 1] as RecordedEvent).position)

/** Position of the newest event; the log must have one. */
export const headOf = async (store: EventStore): Promise<bigint> => {
  const head = await store.head()
  if (head === undefined) throw new Error('the log is empty')
  return head
}
