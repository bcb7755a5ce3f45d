import { mayHoldSecrets, mustBeKnown, parsePart, readMetadata, type Codec, type RawEvent } from './codec.ts'
import { schemaVersion, type EventMetadata, type TextEvent, type RecordedEvent } from './events.ts'
import { namesMarked, personalMember } from '../shared/secrets/sealed.ts'
import type { EventStore, ReadAllOptions } from './eventStore.ts'

/** Parses its data lazily. Do not spread it: `data` is a getter. */
class LaterEvent {
  readonly stream: string
  readonly revision: bigint
  readonly position: bigint
  readonly id: string
  readonly type: string
  readonly metadata: EventMetadata
  readonly dataText: string
  #raw: RawEvent
  #codec: Codec
  #data: unknown
  constructor(raw: RawEvent, metadata: EventMetadata, codec: Codec) {
    this.stream = raw.stream
    this.revision = raw.revision
    this.position = raw.position
    this.id = raw.id
    this.type = raw.type
    this.metadata = metadata
    this.dataText = raw.data
    this.#raw = raw
    this.#codec = codec
  }
  check(): void {
    if (this.#codec.proves === true) void this.data
  }
  get data(): unknown {
    return (this.#data ??= this.#codec.decode(this.#raw).data)
  }
}

/**
 * An event whose data is passed on as text. Older ones, and those with secrets, are decoded at once. @throws
 * UnreadableEvent for malformed data, on access
 */
export const readTextEvent = (raw: RawEvent, codec: Codec): TextEvent => {
  const metadata = readMetadata(raw, parsePart(raw, 'metadata'))
  const isOpened = mayHoldSecrets(raw.data) || (codec.proves === true && namesMarked(raw.data, personalMember))
  if (metadata.schemaVersion !== schemaVersion || isOpened) return codec.decode(raw)
  mustBeKnown(raw)
  return new LaterEvent(raw, metadata, codec) as TextEvent
}

/** The log in lazily parsed pages; pages of one event where the store parses anyway. */
export const textPagesOf = (
  log: Pick<EventStore, 'readAll' | 'readTextPages'>,
  options: ReadAllOptions,
): AsyncIterable<readonly TextEvent[]> => log.readTextPages?.(options) ?? onePage(log.readAll(options))

async function* onePage(events: AsyncIterable<RecordedEvent>): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const event of events) yield [event]
}
