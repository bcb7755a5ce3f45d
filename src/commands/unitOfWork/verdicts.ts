import { setTimeout as delay } from 'node:timers/promises'
import { breakersOf, makeEventIndex, type AppendCondition } from '../../events/appendCondition.ts'
import type { RecordedCondition, RecordedEvent } from '../../events/events.ts'
import { StoreUnavailable, type EventStore } from '../../events/eventStore.ts'

/**
 * Where the log cannot refuse an append, its order decides afterwards: an event is void if its recorded condition was
 * broken, by an event that is not void itself, before it was appended. The same for everybody, at any time.
 */
export interface ConditionDecision {
  isVoid(event: RecordedEvent): Promise<boolean>
  /** The event of this id, which the log has at this position, after another. */
  eventAt(position: bigint, id: string, after: bigint | undefined): Promise<RecordedEvent>
}

/** Events that are kept, so that those which are judged together read the log once. */
const kept = 5000

/** Milliseconds between two looks at a log that does not show yet what it has taken, and in all. */
const pause = 20
const longest = 10_000

export const conditionIn = ({ after, dependencies }: RecordedCondition): AppendCondition => ({
  after: after === undefined ? undefined : BigInt(after),
  dependencies,
})

export const recordedCondition = ({ after, dependencies }: AppendCondition, final: boolean): RecordedCondition => ({
  ...(after !== undefined && { after: String(after) }),
  dependencies: [...dependencies],
  ...(final && { final }),
})

/** The newest part of the log, as far as somebody has asked for it. */
const makeTail = (log: Pick<EventStore, 'readAll'>) => {
  let events: RecordedEvent[] = []
  /** Exclusive: everything behind it, up to the newest of the events, is there. */
  let from: bigint | undefined
  let reading: Promise<void> = Promise.resolve()
  const newest = (): bigint | undefined => events.at(-1)?.position ?? from

  const readOn = async (after: bigint | undefined, to: bigint): Promise<void> => {
    if ((after ?? -1n) > (newest() ?? -1n)) [events, from] = [[], after]
    for (const end = performance.now() + longest; (newest() ?? -1n) < to;) {
      for await (const event of log.readAll({ after: newest() })) {
        events.push(event)
        if (event.position >= to) break
      }
      if ((newest() ?? -1n) >= to) break
      if (performance.now() > end) throw new StoreUnavailable('The log does not show what it has taken.')
      await delay(pause)
    }
    if (events.length <= 2 * kept) return
    from = events.at(-kept - 1)?.position
    events = events.slice(-kept)
  }
  const readBack = async (after: bigint | undefined, to: bigint): Promise<readonly RecordedEvent[]> => {
    const found: RecordedEvent[] = []
    for await (const event of log.readAll({ after })) {
      if (event.position > to) break
      found.push(event)
    }
    return found
  }
  return {
    /** The events between two positions, the first excluded. */
    between: async (after: bigint | undefined, to: bigint): Promise<readonly RecordedEvent[]> => {
      if (newest() !== undefined && (after ?? -1n) < (from ?? -1n)) return readBack(after, to)
      reading = reading.catch(() => undefined).then(() => readOn(after, to))
      await reading
      if ((after ?? -1n) < (from ?? -1n)) return readBack(after, to)
      let start = events.length
      while (start > 0 && (events[start - 1] as RecordedEvent).position > (after ?? -1n)) start--
      return events.slice(start).filter(({ position }) => position <= to)
    },
  }
}

export const makeVerdicts = (log: Pick<EventStore, 'readAll'>): ConditionDecision => {
  const tail = makeTail(log)
  const isVoid = async (event: RecordedEvent): Promise<boolean> => {
    const { condition: recorded } = event.metadata
    if (recorded === undefined) return false
    const condition = conditionIn(recorded)
    const index = makeEventIndex()
    for (const each of await tail.between(condition.after, event.position - 1n))
      if (each.stream !== event.stream) index.add(each)
    for (const breaker of breakersOf(condition, index)) if (!(await isVoid(breaker))) return true
    return false
  }
  return {
    isVoid,
    eventAt: async (position, id, after) => {
      const found = (await tail.between(after, position)).find((event) => event.id === id)
      if (found === undefined) throw new StoreUnavailable(`The log does not show the event ${id} at ${position}.`)
      return found
    },
  }
}
