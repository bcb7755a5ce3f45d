import type { Json } from '../../shared/json.ts'
import { isOneText } from '../provenCodec.ts'
import { codec, type Codec } from '../codec.ts'
import type { RecordedEvent } from '../events.ts'

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
