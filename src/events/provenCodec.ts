import { isObject, type Json } from '../shared/json.ts'
import {
  codec,
  decodeParsed,
  eventHash,
  EventFormatError,
  parseEvent,
  type Codec,
  type ParsedEvent,
  type RawEvent,
} from './codec.ts'
import type { RecordedEvent } from './events.ts'

/**
 * Whether this is the text that {@link Codec.encode} writes for its value. Any other text may contain more than was
 * hashed.
 */
export const isCanonicalText = (text: string, value: unknown): boolean => JSON.stringify(value) === text

/** Whether an event that {@link exactCodec} read is as it was written, by its hash. */
export const isIntact = (event: RecordedEvent): boolean =>
  isObject(event.metadata) && eventHash(event) === event.metadata.hash

/** @throws EventFormatError unless both texts and the hash are as written */
const parseProven = (raw: RawEvent): ParsedEvent => {
  const parsed = parseEvent(raw)
  const { data, metadata } = parsed
  if (!isCanonicalText(raw.data, data) || !isCanonicalText(raw.metadata, metadata))
    throw new EventFormatError(raw, 'its text is not the one that was written')
  if (isIntact(parsed as unknown as RecordedEvent)) return parsed
  throw new EventFormatError(raw, 'it is not what was written, its hash is another')
}

/** A codec that only accepts events whose texts and hash are as written. */
export const provenCodec: Codec = {
  ...codec,
  proves: true,
  decode: (raw) => decodeParsed(parseProven(raw)),
}

/** The same without upcasting: in the stored schema version, with secrets as stored. */
export const provenExactCodec: Codec = {
  ...provenCodec,
  decode: (raw) => parseProven(raw) as unknown as RecordedEvent,
}

/** Placeholder for data or metadata that is not JSON, or whose text is not canonical. */
export const unreadable = '(unreadable)'

const parse = (text: string): Json => {
  try {
    const value = JSON.parse(text) as Json
    return isCanonicalText(text, value) ? value : unreadable
  } catch {
    return unreadable
  }
}

/** A codec for events exactly as stored, since hashes cover what was written. Its results may be invalid events. */
export const exactCodec: Codec = {
  encode: codec.encode,
  decode: (raw) => ({ ...raw, data: parse(raw.data), metadata: parse(raw.metadata) }) as unknown as RecordedEvent,
}
