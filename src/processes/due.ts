import { eventId } from '../commands/recording.ts'
import { type RecordedEvent, parseStreamName } from '../events/events.ts'
import { descendantKinds } from '../kinds/registry/kinds.ts'

type Turn = RecordedEvent & { type: 'SoftDeleted' | 'Restored' | 'HardDeleted' }

const isTurn = (event: RecordedEvent): event is Turn =>
  event.type === 'SoftDeleted' || event.type === 'HardDeleted' || event.type === 'Restored'

/** Did a request ask for it? What follows it names the event above as its cause, and not the command that it is of. */
const isAsked = ({ id, stream, revision, metadata: { causationId, time } }: Turn): boolean =>
  id === eventId(causationId, { stream, revision, time })

export interface PendingId {
  readonly id: string
  readonly position: bigint
}

/**
 * Entities that may contradict a parent or a child, as the log tells of them, with the position of the event.
 * @param ofEveryKind also where nothing can stand below, because what is void may have been compensated
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
    /** What stands below these has to follow them, although what they follow stands above. */
    expect: (streams: readonly string[]): void => streams.forEach((stream) => expected.add(stream)),
    has: (id: string): boolean => due.has(id),
    isEmpty: () => due.size === 0,
    /** Number of all that had to be looked at so far. */
    seen: () => seen,
    add,
    /**
     * @param every also what is not asked for: whatever followed it may not have been followed itself
     * @returns what was asked for
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
    /** What has turned again since stays. */
    done: (those: readonly PendingId[]): void => {
      for (const { id, position } of those) if (due.get(id) === position) due.delete(id)
    },
    clear: () => due.clear(),
  }
}
