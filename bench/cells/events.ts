import { randomUUID } from 'node:crypto'
import type { Append, EventStore } from '../../src/events/eventStore.ts'
import {
  parseStreamName,
  schemaVersion,
  type CatalogEvent,
  type NewEvent,
  type RecordedEvent,
} from '../../src/events/events.ts'
import { eventHash } from '../../src/events/codec.ts'

/** The end of a stream, as whoever appends to it knows it. */
export type Tip = Pick<RecordedEvent, 'revision' | 'metadata'>

/** The next event of a stream, as an append that holds only behind that end; without one the stream must not exist. */
export const appendAfter = (
  stream: string,
  name: string,
  event: CatalogEvent,
  tip?: Tip,
): Append & { events: readonly [NewEvent] } => {
  const id = randomUUID()
  const metadata = {
    kind: parseStreamName(stream).kind,
    fullyQualifiedName: name,
    version: tip === undefined ? 1 : tip.metadata.version + 1,
    user: 'simulation',
    time: new Date().toISOString(),
    correlationId: id,
    causationId: id,
    schemaVersion,
    ...(tip && { previousHash: tip.metadata.hash }),
  }
  const revision = tip === undefined ? 0n : tip.revision + 1n
  const hash = eventHash({ ...event, id, stream, revision, metadata })
  return {
    stream,
    expected: tip === undefined ? 'no_stream' : tip.revision,
    events: [{ ...event, id, metadata: { ...metadata, hash } }],
  }
}

/** The newest event of a stream. */
export const newestOf = async (log: EventStore, stream: string): Promise<RecordedEvent | undefined> => {
  for await (const event of log.readStream(stream, { backwards: true, limit: 1 })) return event
  return undefined
}
