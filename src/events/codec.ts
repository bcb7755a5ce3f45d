import { isObject, sameJson, type Json, type JsonObject, canonicalJson } from '../shared/json.ts'
import { nameUuid } from '../shared/uuids.ts'
import { DamagedLog } from './eventStore.ts'
import {
  type EventMetadata,
  type NewEvent,
  type RecordedEvent,
  parseStreamName,
  schemaVersion,
  type CatalogEvent,
} from './events.ts'
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
  constructor({ position }: Place, version: number) {
    super(
      `A newer version of the catalog writes to this log: its event at position ${position} has schema version ` +
        `${version}, and this version reads up to ${schemaVersion}. Start the newer version instead of this one.`,
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
 * The upcaster of versions 1 and 2. The first did not mark what was inherited, and the second only deletions. But the
 * ids of such events are derived from the parent's event and the child, at first by their number in the request, then by
 * their place, at last by their time.
 */
const markInherited = (event: ParsedEvent): ParsedEvent => {
  const { id, type, stream, revision, data, metadata } = event
  const { causationId, time } = metadata as Record<string, string>
  const isDerived = (end: string): boolean =>
    id === nameUuid(`event:${causationId}:${parseStreamName(stream).id}:${end}`)
  const inherited =
    statusTypes.has(type) && ['0', `${stream}:${revision}`, `${stream}:${revision}:${time}`].some(isDerived)
  return inherited ? { ...event, data: { ...(data as JsonObject), inherited } } : event
}

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

/** Upcasts an event to the present schema version. Metadata is not upcast. @throws EventFormatError, UnsupportedSchemaVersion */
export const decodeParsed = (parsed: ParsedEvent): RecordedEvent => {
  if (!isObject(parsed.data)) throw new EventFormatError(parsed, 'its data is not a JSON object')
  const { schemaVersion: version } = readMetadata(parsed, parsed.metadata)
  if (version > schemaVersion) throw new UnsupportedSchemaVersion(parsed, version)
  const event = version < schemaVersion ? markInherited(parsed) : parsed
  if (!Object.hasOwn(verbs, event.type)) throw new EventFormatError(event, 'its type is unknown')
  return withoutSecrets(event) as unknown as RecordedEvent
}

const jsonText = (value: object): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError('An event holds something that is not JSON.')
  return text
}

export const codec: Codec = {
  encode: ({ id, type, data, metadata }) => ({ id, type, data: jsonText(data), metadata: jsonText(metadata) }),
  decode: (raw) => decodeParsed(parseEvent(raw)),
}

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
