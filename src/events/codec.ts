import { isObject, sameJson, type Json, type JsonObject, canonicalJson } from '../shared/json.ts'
import { nameUuid } from '../shared/uuids.ts'
import { DamagedLog } from './eventStore.ts'
import { type EventMetadata, type NewEvent, type RecordedEvent, parseStreamName, type CatalogEvent } from './events.ts'
import { markPlainSecrets } from '../shared/secrets/sealed.ts'
import { verbs } from './verbs.ts'
import { hash } from 'node:crypto'

export interface EncodedEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

interface Place {
  readonly stream: string
  readonly revision: bigint
  readonly position: bigint
}

/** An event from a store that keeps texts. */
export type RawEvent = EncodedEvent & Place

/** An event from a store that parses JSON itself. */
export interface ParsedEvent extends Place {
  readonly id: string
  readonly type: string
  readonly data: Json
  readonly metadata: Json
}

/** Converts an event of one schema version to the next. */
export type Upcaster = (event: ParsedEvent) => { readonly type: string; readonly data: JsonObject }

/** An event is damaged, or has a format that this version of the catalog cannot read. */
export class EventFormatError extends DamagedLog {
  override readonly name = 'EventFormatError'
  constructor(event: Place & { readonly type: string }, reason: string, cause?: unknown) {
    super(
      `Event ${event.type} at position ${event.position} (${event.stream}, revision ${event.revision}) ` +
        `cannot be read: ${reason}.`,
      event.position,
      { cause },
    )
  }
}

/** A newer version of the catalog wrote the event: whatever follows from it is for that version to say. */
export class UnsupportedSchemaVersion extends DamagedLog {
  override readonly name = 'UnsupportedSchemaVersion'
  constructor({ position }: Place, version: number, current: number) {
    super(
      `A newer version of the catalog writes to this log: its event at position ${position} has schema version ` +
        `${version}, and this version reads up to ${current}. Start the newer version instead of this one.`,
      position,
    )
  }
}

export interface Codec {
  /** @throws TypeError if data or metadata is not JSON */
  encode(event: NewEvent): EncodedEvent
  /** Parses and upcasts. Throws {@link EventFormatError}. */
  decode(raw: RawEvent): RecordedEvent
  /** Whether it also throws {@link EventFormatError} for an event that was modified after it was written. */
  readonly proves?: boolean
}

const statusTypes = new Set(['SoftDeleted', 'Restored', 'HardDeleted'])

/**
 * Version 1 did not mark what was inherited, and version 2 only deletions. But the ids of such events are derived from
 * the parent's event and the child, at first by their number in the request, then by their place, at last by their time.
 */
const markInherited: Upcaster = ({ id, type, stream, revision, data, metadata }) => {
  const { causationId, time } = metadata as Record<string, string>
  const isDerived = (end: string): boolean =>
    id === nameUuid(`event:${causationId}:${parseStreamName(stream).id}:${end}`)
  const inherited =
    statusTypes.has(type) && ['0', `${stream}:${revision}`, `${stream}:${revision}:${time}`].some(isDerived)
  return { type, data: inherited ? { ...(data as JsonObject), inherited } : (data as JsonObject) }
}

/** The first one is for version 1, and each of the others for the version after. */
const upcasters: readonly Upcaster[] = [({ type, data }) => ({ type, data: data as JsonObject }), markInherited]

/** Parses a part of an event. Throws {@link EventFormatError}. */
export const parsePart = (raw: RawEvent, part: 'data' | 'metadata'): Json => {
  try {
    return JSON.parse(raw[part]) as Json
  } catch (error) {
    throw new EventFormatError(raw, `its ${part} is not JSON`, error)
  }
}

/** Parses both texts of an event. @throws EventFormatError */
export const parseEvent = (raw: RawEvent): ParsedEvent => ({
  ...raw,
  data: parsePart(raw, 'data'),
  metadata: parsePart(raw, 'metadata'),
})

const isMetadata = (metadata: Json, stream: string): metadata is JsonObject => {
  if (!isObject(metadata)) return false
  const { kind, fullyQualifiedName, user, time, correlationId, causationId, version } = metadata
  const texts = [kind, fullyQualifiedName, user, time, correlationId, causationId]
  return (
    texts.every((text) => typeof text === 'string') &&
    stream.startsWith(`${kind as string}-`) &&
    Number.isInteger(version) &&
    !Number.isNaN(Date.parse(time as string))
  )
}

/** Parses and checks the metadata. @throws EventFormatError */
export const readMetadata = (event: Place & { readonly type: string }, metadata: Json): EventMetadata => {
  const shape = isObject(metadata) ? metadata['schemaVersion'] : undefined
  if (typeof shape !== 'number' || !Number.isInteger(shape) || shape < 1)
    throw new EventFormatError(event, 'its metadata has no schemaVersion')
  if (!isMetadata(metadata, event.stream)) throw new EventFormatError(event, 'its metadata is not that of an event')
  return metadata as EventMetadata
}

/** The schema version of the event. @throws EventFormatError, UnsupportedSchemaVersion if it cannot be read */
const versionOf = (event: ParsedEvent, current: number): number => {
  if (!isObject(event.data)) throw new EventFormatError(event, 'its data is not a JSON object')
  const { schemaVersion: version } = readMetadata(event, event.metadata)
  if (version > current) throw new UnsupportedSchemaVersion(event, version, current)
  return version
}

/** The member with connection settings, which may hold secrets. */
const connection = 'connection'

/** Whether an old event has plain secrets, so that it must not be shown exactly as stored. */
export const hasPlainSecrets = (event: ParsedEvent): boolean =>
  !sameJson(withoutSecrets(event).data as JsonObject, event.data)

/** The event with plain secrets of old events marked as secret. */
const withoutSecrets = (event: ParsedEvent): ParsedEvent => {
  const at = event.type === 'Created' ? 'members' : 'set'
  const data = event.data as JsonObject
  const members = data[at]
  if (!isObject(members) || members[connection] === undefined) return event
  return { ...event, data: { ...data, [at]: { ...members, [connection]: markPlainSecrets(members[connection]) } } }
}

/** Upcasts an event to the present schema version. Metadata is not upcast. @throws EventFormatError */
export const decodeParsed = (parsed: ParsedEvent, steps: readonly Upcaster[] = upcasters): RecordedEvent => {
  const version = versionOf(parsed, steps.length + 1)
  const event = steps.slice(version - 1).reduce((before, upcast) => ({ ...before, ...upcast(before) }), parsed)
  if (!Object.hasOwn(verbs, event.type)) throw new EventFormatError(event, 'its type is unknown')
  return withoutSecrets(event) as unknown as RecordedEvent
}

/** Makes a codec for events of the schema version after the last of these steps. */
export const makeCodec = (steps?: readonly Upcaster[]): Codec => ({
  encode: ({ id, type, data, metadata }) => ({ id, type, data: jsonText(data), metadata: jsonText(metadata) }),
  decode: (raw) => decodeParsed(parseEvent(raw), steps),
})

const jsonText = (value: object): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError('An event holds something that is not JSON.')
  return text
}

export const codec: Codec = makeCodec()

type HashedEvent = CatalogEvent & {
  readonly id: string
  readonly stream: string
  readonly revision: bigint
  readonly metadata: Omit<EventMetadata, 'hash'>
}

/**
 * The hashed text of an event: the RFC 8785 text of `{stream, revision, id, type, data, metadata}`. `revision` is a
 * decimal string; `metadata` lacks `hash` but has `previousHash`.
 */
export const preimageOf = (event: HashedEvent): string => {
  const { hash: _, ...metadata } = event.metadata as EventMetadata
  const hashed: JsonObject = {
    stream: event.stream,
    revision: event.revision.toString(),
    id: event.id,
    type: event.type,
    data: event.data as Json,
    metadata: { ...metadata },
  }
  return canonicalJson(hashed)
}

/** SHA-256, in hex, of {@link preimageOf}. */
export const eventHash = (event: HashedEvent): string => hash('sha256', preimageOf(event))
