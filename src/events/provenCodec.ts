import { isObject, type Json } from '../shared/json.ts'
import { codec, parsePart, UnreadableEvent, type Codec, type ParsedEvent, type RawEvent } from './codec.ts'
import type { RecordedEvent } from './events.ts'
import { eventHash } from './hashChain.ts'

/** Is this the text that {@link Codec.encode} writes for its value? Others may say more than what was hashed. */
export const isOneText = (text: string, value: unknown): boolean => JSON.stringify(value) === text

/** @throws UnreadableEvent unless the event is the one that its hash was made of */
const mustHaveItsHash = (parsed: ParsedEvent): ParsedEvent => {
  const { metadata } = parsed
  if (isObject(metadata) && eventHash(parsed as unknown as RecordedEvent) === metadata['hash']) return parsed
  throw new UnreadableEvent(parsed, 'it is not what was written, its hash is another')
}

/** @throws UnreadableEvent unless both texts and the hash are those that were written */
const parseProven = (raw: RawEvent): ParsedEvent => {
  const parsed = { ...raw, data: parsePart(raw, 'data'), metadata: parsePart(raw, 'metadata') }
  if (isOneText(raw.data, parsed.data) && isOneText(raw.metadata, parsed.metadata)) return mustHaveItsHash(parsed)
  throw new UnreadableEvent(raw, 'its text is not the one that was written')
}

/** Gives an event only when its texts and its hash are those that were written. */
export const provenCodec: Codec = {
  ...codec,
  proves: true,
  decode: (raw) => codec.revive(parseProven(raw)),
  revive: (parsed) => codec.revive(mustHaveItsHash(parsed)),
}

/** The same, as the log has it: of the schema version and with the secrets that it was written with. */
export const provenExactCodec: Codec = {
  ...provenCodec,
  decode: (raw) => parseProven(raw) as unknown as RecordedEvent,
  revive: (parsed) => mustHaveItsHash(parsed) as unknown as RecordedEvent,
}

/** Stands for data or metadata that is no JSON any more, or whose text is not the one that is written for its value. */
export const unreadable = '(unreadable)'

const parse = (text: string): Json => {
  try {
    const value = JSON.parse(text) as Json
    return isOneText(text, value) ? value : unreadable
  } catch {
    return unreadable
  }
}

/** Gives events exactly as the log has them, since hashes cover what was written: what comes out may be no event. */
export const exactCodec: Codec = {
  encode: codec.encode,
  decode: (raw) => ({ ...raw, data: parse(raw.data), metadata: parse(raw.metadata) }) as unknown as RecordedEvent,
  revive: (parsed) => parsed as unknown as RecordedEvent,
}
