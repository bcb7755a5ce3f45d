import { eventId } from '../commands/recording.ts'
import { type RecordedEvent, parseStreamName } from '../events/events.ts'
import { descendantKinds } from '../kinds/registry/kinds.ts'

type Turn = RecordedEvent & { type: 'SoftDeleted' | 'Restored' | 'HardDeleted' }

const isTurn = (event: RecordedEvent): event is Turn =>
  event.type === 'SoftDeleted' || event.type === 'HardDeleted' || event.type === 'Restored'

/** Whether a request caused the event. An event of a cascade names the parent's event as its cause instead. */
const isAsked = ({ id, stream, revision, metadata: { causationId, time } }: Turn): boolean =>
  id === eventId(causationId, { stream, revision, time })

export interface PendingId {
  readonly id: string
  readonly position: bigint
}

/**
 * Entities that may contradict a parent or a child, with the positions of their events in the log.
 * @param ofEveryKind include kinds without children, because void events may have been compensated
 */
export const makeDue = (ofEveryKind: boolean) => {
  const due = new Map<string, bigint>()
  const expected = new Set<string>()
  let seen = 0

  const isDue = (event: Turn): boolean => {
    if (event.metadata.condition?.final === true) return false
    const canHaveChildren = descendantKinds(event.metadata.kind).length > 0
    return (ofEveryKind || canHaveChildren) && (isAsked(event) || expected.delete(event.stream))
  }
  const add = (id: string, position: bigint): void => {
    due.delete(id)
    due.set(id, position)
  }
  return {
    /** Marks streams whose descendants must follow, although they follow an ancestor themselves. */
    expect: (streams: readonly string[]): void => streams.forEach((stream) => expected.add(stream)),
    has: (id: string): boolean => due.has(id),
    isEmpty: () => due.size === 0,
    /** Total number of entities noted so far. */
    seen: () => seen,
    add,
    /**
     * @param every include events of cascades, whose own descendants may not have followed
     * @returns the entity, if the event was caused by a request
     */
    saw: (event: RecordedEvent, every: boolean): PendingId | undefined => {
      if (!isTurn(event)) return undefined
      const isAskedFor = isDue(event)
      if (!isAskedFor && !every) return undefined
      const { id } = parseStreamName(event.stream)
      add(id, event.position)
      seen++
      return isAskedFor ? { id, position: event.position } : undefined
    },
    all: (): PendingId[] => [...due].map(([id, position]) => ({ id, position })),
    /** Removes handled entities, unless their status has changed again since. */
    done: (those: readonly PendingId[]): void => {
      for (const { id, position } of those) if (due.get(id) === position) due.delete(id)
    },
    clear: () => due.clear(),
  }
}
