import { violationsOf, makeEventIndex, type AppendCondition } from './appendCondition.ts'
import { type RecordedCondition, type RecordedEvent, isBehind } from './events.ts'
import { StoreUnavailable, type EventStore } from './eventStore.ts'
import { openLogTail, type LogTail } from './logTail.ts'

/** Milliseconds to wait for the next page of the log, and without a read until the tail is closed. */
const pullTimeout = 10_000
const idleTime = 15_000

const conditionIn = ({ after, dependencies }: RecordedCondition): AppendCondition => ({
  after: after === undefined ? undefined : BigInt(after),
  dependencies,
})

export const recordedCondition = ({ after, dependencies }: AppendCondition, final: boolean): RecordedCondition => ({
  ...(after !== undefined && { after: String(after) }),
  dependencies: [...dependencies],
  ...(final && { final }),
})

type Log = Pick<EventStore, 'conditional' | 'readAll' | 'readStream' | 'subscribe'>

/** The events after a position, up to another one. */
type ReadBetween = (after: bigint | undefined, to: bigint) => Promise<readonly RecordedEvent[]>

/** Reads from the log each time: for old events. */
export const readBetween =
  (log: Pick<Log, 'readAll'>): ReadBetween =>
  async (after, to) => {
    const found: RecordedEvent[] = []
    for await (const event of log.readAll({ after })) {
      if (event.position > to) break
      found.push(event)
    }
    return found
  }

const makeRecentEvents = (log: Log): ReadBetween => {
  let tail: LogTail | undefined
  const closeTail = (): void => {
    tail?.close()
    tail = undefined
  }
  const idleTimer = setTimeout(closeTail, idleTime).unref()
  const catchUpTo = async (current: LogTail, to: bigint): Promise<void> => {
    try {
      for (; isBehind(current.end(), to); idleTimer.refresh())
        if (!(await current.pull(AbortSignal.timeout(pullTimeout))))
          throw new StoreUnavailable('The log does not show what it has taken.')
    } catch (error) {
      if (tail === current) closeTail()
      throw error
    }
  }
  return async (after, to) => {
    idleTimer.refresh()
    const current = (tail ??= openLogTail(log, after))
    if (current.covers(after)) await catchUpTo(current, to)
    return current.covers(after) ? current.between(after, to) : readBetween(log)(after, to)
  }
}

/** Whether a later event of the stream compensates this one. @param counts filters the candidates */
export const isCompensated = async (
  log: Pick<Log, 'readStream'>,
  { stream, revision, id, metadata: { condition } }: RecordedEvent,
  counts: (event: RecordedEvent) => boolean = () => true,
): Promise<boolean> => {
  for await (const event of log.readStream(stream, { from: revision + 1n }))
    if (event.metadata.causationId === id && counts(event))
      return condition?.final !== true || event.type !== 'HardDeleted'
  return false
}

/**
 * For a log that cannot check append conditions, the order of the log decides afterwards: an event is void if an earlier
 * event, itself not void, broke the condition recorded with it. Every reader reaches the same verdict at any time.
 * A log that checks conditions has only copies of such events, whose conditions name positions of another log: void is
 * what was compensated there.
 */
export const makeVerdicts = (log: Log, between = makeRecentEvents(log)) => {
  const isVoid = async (event: RecordedEvent): Promise<boolean> => {
    const { condition: recorded } = event.metadata
    if (recorded === undefined) return false
    if (log.conditional) return isCompensated(log, event)
    const condition = conditionIn(recorded)
    const index = makeEventIndex()
    for (const each of await between(condition.after, event.position - 1n))
      if (each.stream !== event.stream) index.add(each)
    for (const violation of violationsOf(condition, index)) if (!(await isVoid(violation))) return true
    return false
  }
  return {
    isVoid,
    /** Waits for the event with this id at this position. @param after position from which the log is read */
    eventAt: async (position: bigint, id: string, after: bigint | undefined): Promise<RecordedEvent> => {
      const found = (await between(after, position)).find((event) => event.id === id)
      if (found === undefined) throw new StoreUnavailable(`The log does not show the event ${id} at ${position}.`)
      return found
    },
  }
}

export type ConditionDecision = ReturnType<typeof makeVerdicts>
