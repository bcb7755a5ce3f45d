import type { Append, AppendOutcome, EventStore } from '../../src/events/eventStore.ts'
import type { CatalogEvent, NewEvent, RecordedEvent } from '../../src/events/events.ts'
import { entityId } from '../../src/kinds/names.ts'
import { appendAfter, newestOf } from './events.ts'

/** The first stream of a cell's log: it is open while this is live, and sealed while it is deleted. */
export const gate = 'cell-gate'

const deletion = entityId('deletion', gate)

const turn = async (log: EventStore, event: CatalogEvent): Promise<void> => {
  const tip = await newestOf(log, gate)
  if (tip?.type === event.type) return
  const [outcome] = await log.append([appendAfter(gate, 'gate', event, tip)])
  if (!outcome?.ok) throw new Error('somebody else has turned the gate of the cell')
}

export const createGate = (log: EventStore): Promise<void> =>
  turn(log, { type: 'Created', data: { name: 'gate', members: {} } })

/** Nothing is appended to the log from then on but {@link open}. Said again, nothing changes. */
export const seal = (log: EventStore): Promise<void> => turn(log, { type: 'SoftDeleted', data: { deletion } })

/** Lets a log that was sealed go on. Said again, nothing changes. */
export const open = async (log: EventStore): Promise<void> => {
  if ((await newestOf(log, gate))?.type === 'SoftDeleted') await turn(log, { type: 'Restored', data: { deletion } })
}

/** How somebody writes to a log. */
export interface CellWriter {
  /** @returns `'sealed'` when the cell has moved, or is about to */
  append(append: Append): Promise<AppendOutcome | 'sealed'>
}

/** Each append holds only while the gate is open, in the log's own order. @param fenced else it is not looked at */
export const writerOf = (log: EventStore, fenced: boolean): CellWriter => {
  /** The log up to here was seen with an open gate. */
  let seen: bigint | undefined
  return {
    append: async (append) => {
      if (seen === undefined) {
        const head = await log.head()
        const tip = await newestOf(log, gate)
        if (fenced && tip?.type === 'SoftDeleted') return 'sealed'
        seen = head ?? 0n
      }
      const dependencies = fenced ? [{ streams: [gate], status: 'live' as const }] : []
      const [outcome] = await log.append([{ ...append, condition: { after: seen, dependencies } }])
      if (outcome === undefined) throw new Error('the log gave no outcome')
      if (outcome.ok && outcome.position > seen) seen = outcome.position
      if (outcome.ok || !('brokenAt' in outcome)) return outcome
      seen = undefined
      return 'sealed'
    },
  }
}

/** Appends events in the order in which they stand in another log, at the same positions. */
export const appendInPlace = async (log: EventStore, events: readonly RecordedEvent[]): Promise<void> => {
  for (const window of windowsOf(events)) {
    const outcomes = await log.append(
      window.map(({ stream, revision, id, type, data, metadata }) => ({
        stream,
        expected: revision === 0n ? 'no_stream' : revision - 1n,
        events: [{ id, type, data, metadata } as NewEvent],
      })),
    )
    for (const [index, outcome] of outcomes.entries())
      if (!outcome.ok || outcome.position !== window[index]?.position)
        throw new Error(`the copy has another event at ${window[index]?.position}`)
  }
}

/** One call appends to a stream once. */
function* windowsOf(events: readonly RecordedEvent[]): Generator<RecordedEvent[]> {
  let window: RecordedEvent[] = []
  const streams = new Set<string>()
  for (const event of events) {
    if (streams.has(event.stream) || window.length === 500) {
      yield window
      window = []
      streams.clear()
    }
    window.push(event)
    streams.add(event.stream)
  }
  if (window.length > 0) yield window
}
