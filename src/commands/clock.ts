import type { EventBatch, EventStore } from '../events/eventStore.ts'
import { LogAhead } from './errors.ts'
import type { LoadedEntities } from './lookup.ts'

/** Epoch milliseconds: the time of an event, and that of the machine, which may be behind the log. */
export interface EventTime {
  readonly time: number
  readonly machine: number
}

/**
 * Tells the time of events: that of the machine, but never before one that it has told or was shown, so that the time
 * of events never goes back along the log.
 */
export interface Clock {
  /**
   * To be asked right before an append: the log keeps that order.
   * @throws LogAhead when that is far ahead of the machine, unless this was accepted
   */
  now(): EventTime
  /** Milliseconds that the newest event seen is ahead of the machine; 0 when it is not. */
  ahead(): number
  /** Does that keep everybody from writing? */
  refuses(): boolean
  /** There is an event of this time, in epoch milliseconds. */
  saw(time: number): void
}

/** Milliseconds that clocks of several machines, or one that was corrected, may differ by. */
export const mostAhead = 10 * 60_000

/** @param acceptAhead write also when the log is far ahead of the machine */
export const makeClock = (machine: () => number = Date.now, acceptAhead = false): Clock => {
  let latest = 0
  const saw = (time: number): void => {
    if (time > latest) latest = time
  }
  const ahead = (): number => Math.max(0, latest - machine())
  return {
    now: () => {
      const now = machine()
      if (!acceptAhead && latest - now > mostAhead) throw new LogAhead(latest, now)
      saw(now)
      return { time: latest, machine: now }
    },
    ahead,
    refuses: () => !acceptAhead && ahead() > mostAhead,
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
export const sawAll = (clock: Clock, known: LoadedEntities): void => {
  for (const { updatedAt } of known.values()) clock.saw(updatedAt)
}
