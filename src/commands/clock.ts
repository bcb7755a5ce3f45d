import type { EventBatch, EventStore } from '../events/eventStore.ts'
import { LogAhead } from './errors.ts'
import type { LoadedEntities } from './lookup.ts'

/** The time of an event and the time of the machine, which may be behind the log. Both in epoch milliseconds. */
export interface EventTime {
  readonly time: number
  readonly machine: number
}

/**
 * Gives the time of events: the machine's time, but never earlier than any time that it has given or seen before. So
 * the time of events never goes back along the log.
 */
export interface Clock {
  /**
   * Called right before an append, so that times have the order of the log.
   * @throws LogAhead when the log is far ahead of the machine, unless the settings accept that
   */
  now(): EventTime
  /** Milliseconds by which the newest event seen is ahead of the machine, or 0. */
  ahead(): number
  /** Whether the log is so far ahead that nothing is written. */
  refuses(): boolean
  /** Notes the time of an event, in epoch milliseconds. */
  saw(time: number): void
}

/** Tolerated clock difference in milliseconds, between machines or after a correction. */
export const mostAhead = 10 * 60_000

/** @param acceptAhead also write when the log is far ahead of the machine */
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

/** Notes the times of a batch of events: the clocks of other processes may be ahead. */
export const show = (clock: Clock, batch: EventBatch): void => {
  if (batch.events.length > 0) clock.saw(Date.parse(newest(batch)))
}

/** Notes the time of the newest event in the log, which may have been written with a clock that was ahead. */
export const setByLog = async (clock: Clock, log: Pick<EventStore, 'head' | 'eventAt'>): Promise<void> => {
  const head = await log.head()
  const last = head === undefined ? undefined : await log.eventAt(head)
  if (last !== undefined) clock.saw(Date.parse(last.metadata.time))
}

/** Notes the times of loaded entities: a decision about them is never earlier. */
export const sawAll = (clock: Clock, known: LoadedEntities): void => {
  for (const { updatedAt } of known.values()) clock.saw(updatedAt)
}
