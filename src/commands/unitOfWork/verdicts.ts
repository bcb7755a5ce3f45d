import type { ConditionDecision } from '../ports.ts'
import { breakersOf, makeEventIndex, type AppendCondition } from '../../events/appendCondition.ts'
import type { RecordedCondition, RecordedEvent } from '../../events/events.ts'
import { StoreUnavailable, type EventBatch, type EventStore } from '../../events/eventStore.ts'
import { makeNotifier } from '../../events/notifier.ts'

/** Events that are kept of those that were asked for, and at most of those that were not yet. */
const kept = 2000

/** Milliseconds for which an event that the log has taken is waited for, and after which nobody judges any more. */
const longest = 10_000
const idle = 15_000

export const conditionIn = ({ after, dependencies }: RecordedCondition): AppendCondition => ({
  after: after === undefined ? undefined : BigInt(after),
  dependencies,
})

export const recordedCondition = ({ after, dependencies }: AppendCondition, final: boolean): RecordedCondition => ({
  ...(after !== undefined && { after: String(after) }),
  dependencies: [...dependencies],
  ...(final && { final }),
})

type Log = Pick<EventStore, 'readAll' | 'subscribe'>

const readBetween = async (log: Log, after: bigint | undefined, to: bigint): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  for await (const event of log.readAll({ after })) {
    if (event.position > to) break
    found.push(event)
  }
  return found
}

/** A part of the log from a position on, which grows up to its end, but never far beyond what was asked for. */
const openTail = (log: Log, start: bigint | undefined) => {
  const over = new AbortController()
  const [moved, asked] = [makeNotifier(), makeNotifier()]
  let events: RecordedEvent[] = []
  /** Exclusive: everything behind it, up to what is reached, is there. */
  let from = start
  let reached = start
  let wanted = -1n
  let end: { readonly reason: unknown } | undefined

  const take = ({ events: more, position }: EventBatch): void => {
    for (const event of more) events.push(event)
    reached = position
    if (events.length > 3 * kept) {
      from = events.at(-2 * kept - 1)?.position
      events = events.slice(-2 * kept)
    }
    moved.notify()
  }
  const isAhead = (): boolean => (events.at(-kept - 1)?.position ?? -1n) > wanted
  const follow = async (): Promise<void> => {
    for await (const batch of log.subscribe({ after: start, signal: over.signal })) {
      take(batch)
      while (isAhead() && !over.signal.aborted) await asked.wait(over.signal)
    }
    throw new StoreUnavailable('The log is not followed any more.')
  }
  follow().catch((reason: unknown) => {
    end = { reason }
    moved.notify()
  })
  const leaving = setTimeout(() => over.abort(), idle).unref()

  const reach = async (to: bigint): Promise<void> => {
    for (const until = performance.now() + longest; (reached ?? -1n) < to;) {
      if (end !== undefined) throw end.reason
      const left = until - performance.now()
      if (left <= 0) throw new StoreUnavailable('The log does not show what it has taken.')
      await moved.wait(over.signal, left)
    }
  }
  return {
    /** It ends, or would have to read what nobody asks for. */
    isOver: (after: bigint | undefined) =>
      end !== undefined || over.signal.aborted || (isAhead() && (after ?? -1n) > (reached ?? -1n)),
    leave: () => over.abort(),
    /** The events behind a position, up to another one. */
    between: async (after: bigint | undefined, to: bigint): Promise<readonly RecordedEvent[]> => {
      leaving.refresh()
      if (to > wanted) wanted = to
      asked.notify()
      if ((after ?? -1n) >= (from ?? -1n)) await reach(to)
      if ((after ?? -1n) < (from ?? -1n)) return readBetween(log, after, to)
      let first = events.length
      while (first > 0 && (events[first - 1] as RecordedEvent).position > (after ?? -1n)) first--
      return events.slice(first).filter(({ position }) => position <= to)
    },
  }
}

/** Follows the log while somebody asks for its newest part: who asks is told as soon as it is there. */
const makeTail = (log: Log) => {
  let tail: ReturnType<typeof openTail> | undefined
  return (after: bigint | undefined, to: bigint): Promise<readonly RecordedEvent[]> => {
    if (tail?.isOver(after) === true) {
      tail.leave()
      tail = undefined
    }
    return (tail ??= openTail(log, after)).between(after, to)
  }
}

export const makeVerdicts = (log: Log): ConditionDecision => {
  const between = makeTail(log)
  const isVoid = async (event: RecordedEvent): Promise<boolean> => {
    const { condition: recorded } = event.metadata
    if (recorded === undefined) return false
    const condition = conditionIn(recorded)
    const index = makeEventIndex()
    for (const each of await between(condition.after, event.position - 1n))
      if (each.stream !== event.stream) index.add(each)
    for (const breaker of breakersOf(condition, index)) if (!(await isVoid(breaker))) return true
    return false
  }
  return {
    isVoid,
    eventAt: async (position, id, after) => {
      const found = (await between(after, position)).find((event) => event.id === id)
      if (found === undefined) throw new StoreUnavailable(`The log does not show the event ${id} at ${position}.`)
      return found
    },
  }
}
