import type { EventBatch, EventStore } from '../events/eventStore.ts'
import type { Known } from './lookup.ts'

/**
 * Tells the time of events: that of the machine, but never before one that it has told or was shown, so that the time
 * of events never goes back along the log.
 */
export interface Clock {
  /** Epoch milliseconds, to be asked right before an append: the log keeps that order. */
  now(): number
  /** There is an event of this time, in epoch milliseconds. */
  saw(time: number): void
}

export const makeClock = (machine: () => number = Date.now): Clock => {
  let latest = 0
  const saw = (time: number): void => {
    if (time > latest) latest = time
  }
  return {
    now: () => {
      saw(machine())
      return latest
    },
    saw,
  }
}

const newest = ({ events }: EventBatch): string =>
  events.reduce((latest, { metadata: { time } }) => (time > latest ? time : latest), '')

/** Shows the clock what a subscription gives: other processes may be ahead. */
export const show = (clock: Clock, batch: EventBatch): void => {
  if (batch.events.length > 0) clock.saw(Date.parse(newest(batch)))
}

/** Shows the clock the newest event of the log, which may have been written under a clock that was ahead. */
export const setByLog = async (clock: Clock, log: Pick<EventStore, 'head' | 'eventAt'>): Promise<void> => {
  const head = await log.head()
  const last = head === undefined ? undefined : await log.eventAt(head)
  if (last !== undefined) clock.saw(Date.parse(last.metadata.time))
}

/** Shows the clock what is known of entities: what is decided on them is never earlier. */
export const sawAll = (clock: Clock, known: Known): void => {
  for (const { updatedAt } of known.values()) clock.saw(updatedAt)
}
