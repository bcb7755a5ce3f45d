import type { RecordedEvent, TextEvent } from './events.ts'
import type { EventStore, ReadAllOptions } from './eventStore.ts'

/** The log in pages, for readers that do not look at all of its data; a page of one where the store parses anyway. */
export const textPagesOf = (
  log: Pick<EventStore, 'readAll' | 'readTextPages'>,
  options: ReadAllOptions,
): AsyncIterable<readonly TextEvent[]> => log.readTextPages?.(options) ?? onePage(log.readAll(options))

async function* onePage(events: AsyncIterable<RecordedEvent>): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const event of events) yield [event]
}
