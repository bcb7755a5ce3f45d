import { eventId } from '../commands/recording.ts'
import type { RecordedEvent } from '../events/events.ts'
import { parseStreamName } from '../events/streamName.ts'
import { descendantKinds } from '../kinds/index.ts'

/** Milliseconds after which it is done although deletions go on, and for which a parent is known to have ended. */
const longestGrace = 30_000
const remembered = 600_000

/** Parents that are remembered. */
const maxEnded = 10_000

type Turn = RecordedEvent & { type: 'SoftDeleted' | 'Restored' | 'HardDeleted' }

const isTurn = (event: RecordedEvent): event is Turn =>
  event.type === 'SoftDeleted' || event.type === 'HardDeleted' || event.type === 'Restored'

/** Did a request ask for it? What follows it names the event above as its cause, and not the command that it is of. */
const isAsked = ({ id, stream, revision, metadata: { causationId, time } }: Turn): boolean =>
  id === eventId(causationId, { stream, revision, time })

/** Parents that have ended lately: something that a process decided before it knew may still come below them. */
const makeEnded = () => {
  const ended = new Map<string, number>()
  return {
    add: (id: string, now: number): void => {
      ended.delete(id)
      ended.set(id, now)
      for (const [oldest, since] of ended) {
        if (ended.size <= maxEnded && now - since <= remembered) break
        ended.delete(oldest)
      }
    },
    isAbove: ({ type, data }: RecordedEvent): boolean =>
      type === 'Created' && data.parent !== undefined && ended.has(data.parent.id),
  }
}

interface DueOptions {
  /** Does no request carry its own deletion down? */
  readonly alone: boolean
  /** Milliseconds that requests have where they do, from the last deletion or restore on. */
  readonly grace: number
}

/** Entities that may contradict a parent or a child, as the log tells of them. */
export const makeDue = ({ alone, grace }: DueOptions) => {
  const due = new Map<string, number>()
  const expected = new Set<string>()
  const ended = makeEnded()
  let newest = -1n
  let last = 0
  let seen = 0

  const isDue = (event: RecordedEvent): boolean => {
    if (!isTurn(event)) return ended.isAbove(event)
    if (!alone) return true
    return descendantKinds(event.metadata.kind).length > 0 && (isAsked(event) || expected.delete(event.stream))
  }
  return {
    /** What stands below these has to follow them, although what they follow stands above. */
    expect: (streams: readonly string[]): void => streams.forEach((stream) => expected.add(stream)),
    has: (id: string): boolean => due.has(id),
    isEmpty: () => due.size === 0,
    position: () => newest,
    /** Number of all that had to be looked at so far. */
    seen: () => seen,
    /** @returns the id, when it has to be looked at */
    saw: (event: RecordedEvent): string | undefined => {
      if (event.position <= newest) return undefined
      newest = event.position
      const now = performance.now()
      const { id } = parseStreamName(event.stream)
      if (isTurn(event)) last = now
      if (isTurn(event) && event.type !== 'Restored') ended.add(id, now)
      if (!isDue(event)) return undefined
      if (!due.has(id)) due.set(id, now)
      seen++
      return id
    },
    /** All that is to be looked at now: nothing while requests are at it. */
    take: (): string[] => {
      const now = performance.now()
      const [oldest = now] = due.values()
      if (!alone && now - last < grace && now - oldest < longestGrace) return []
      const ids = [...due.keys()]
      due.clear()
      return ids
    },
    giveBack: (ids: readonly string[]): void => ids.forEach((id) => due.set(id, performance.now())),
  }
}
