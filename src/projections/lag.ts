import type { EventStore } from '../events/eventStore.ts'
import { isBehind } from '../events/events.ts'

/** The lag of a projection. */
export interface Lag {
  /** Number of events; at most 1,000 if positions are not dense. */
  readonly events: number
  /** Time of the first of them in epoch milliseconds, if any. */
  readonly since: number | undefined
}

const counted = 1000

/** The lag behind the log at a position. */
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

/** Age in seconds of the first event that a projection does not show. */
export const secondsOf = ({ since }: Lag): number => (since === undefined ? 0 : Math.max(0, Date.now() - since) / 1000)
