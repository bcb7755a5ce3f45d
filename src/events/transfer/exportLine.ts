import { isCanonicalText } from '../provenCodec.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import type { RecordedEvent } from '../events.ts'

/** An event as a line of NDJSON, with secrets encrypted, large numbers as strings, and its leaf in the tree if known. */
export const exportLine = (event: RecordedEvent, leafIndex?: number): string => {
  const { position, stream, revision, id, type, metadata } = event
  const line: JsonObject = {
    position: String(position),
    stream,
    revision: String(revision),
    id,
    type,
    data: event.data as Json,
    metadata: metadata as JsonObject,
    ...(leafIndex !== undefined && { leafIndex }),
  }
  return `${JSON.stringify(line)}\n`
}

const digits = (value: Json | undefined): value is string => typeof value === 'string' && /^\d{1,19}$/.test(value)

/** Parses a line; `undefined` if it is not an event. */
export const readExportLine = (line: string): RecordedEvent | undefined => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(value) || !isCanonicalText(line.trim(), value)) return undefined
  const { position, stream, revision, id, type, data, metadata } = value
  const complete =
    digits(position) &&
    digits(revision) &&
    typeof stream === 'string' &&
    typeof id === 'string' &&
    typeof type === 'string'
  if (!complete || data === undefined || metadata === undefined) return undefined
  return {
    position: BigInt(position),
    stream,
    revision: BigInt(revision),
    id,
    type,
    data,
    metadata,
  } as unknown as RecordedEvent
}
