import type { EventStore } from '../events/eventStore.ts'
import { isBehind } from '../events/events.ts'

/** What a projection does not show yet. */
export interface Lag {
  /** Up to 1,000 where positions do not count events. */
  readonly events: number
  /** When the first of them was written, in epoch milliseconds; `undefined`: there is none. */
  readonly since: number | undefined
}

const counted = 1000

/** What the log has behind a position. */
export const lagBehind = async (
  log: Pick<EventStore, 'dense' | 'head' | 'readAll'>,
  position: bigint | undefined,
): Promise<Lag> => {
  const head = await log.head()
  if (!isBehind(position, head)) return { events: 0, since: undefined }
  const distance = log.dense ? Number((head as bigint) - (position ?? 0n)) : undefined
  let events = 0
  let since: number | undefined
  for await (const { metadata } of log.readAll({ after: position, limit: distance === undefined ? counted : 1 })) {
    events++
    since ??= Date.parse(metadata.time)
  }
  return { events: distance ?? events, since }
}

/** Seconds for which the first event waits that a projection does not show. */
export const secondsOf = ({ since }: Lag): number => (since === undefined ? 0 : Math.max(0, Date.now() - since) / 1000)
