import { isObject, sameJson, type Json, type JsonObject } from '../shared/json.ts'
import { nameUuid } from '../shared/uuids.ts'
import { DamagedLog } from './eventStore.ts'
import { schemaVersion, type EventMetadata, type NewEvent, type RecordedEvent, parseStreamName } from './events.ts'
import { conceal } from '../shared/secrets/sealed.ts'
import { verbs } from './verbs.ts'

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

/** An event as a store that keeps texts gives it back. */
export type RawEvent = EncodedEvent & Place

/** An event as a store that parses JSON itself gives it back. */
export interface ParsedEvent extends Place {
  readonly id: string
  readonly type: string
  readonly data: Json
  readonly metadata: Json
}

/** Turns an event of one schema version into what it is called and looks like in the next one. */
export interface Upcaster {
  /** The schema version that it reads; its result has the next one. */
  readonly from: number
  readonly upcast: (event: ParsedEvent) => { readonly type: string; readonly data: JsonObject }
}

/** An event is damaged, or of a form that this version of the catalog cannot read. */
export class UnreadableEvent extends DamagedLog {
  override readonly name = 'UnreadableEvent'
  constructor(event: Place & { readonly type: string }, reason: string, cause?: unknown) {
    super(
      `Event ${event.type} at position ${event.position} (${event.stream}, revision ${event.revision}) ` +
        `cannot be read: ${reason}.`,
      event.position,
      { cause },
    )
  }
}

export interface Codec {
  /** Throws a TypeError when data or metadata is no JSON. */
  encode(event: NewEvent): EncodedEvent
  /** Parses and upcasts. Throws {@link UnreadableEvent}. */
  decode(raw: RawEvent): RecordedEvent
  /** Does it throw {@link UnreadableEvent} also for an event that was changed since it was written? */
  readonly proves?: boolean
  /** Upcasts what is parsed already. Throws {@link UnreadableEvent}. */
  revive(parsed: ParsedEvent): RecordedEvent
}

/**
 * Version 1 did not tell what went with its parent, but ids of cascaded events were made of the parent's event and the
 * child.
 */
const inheritedDeletions: Upcaster = {
  from: 1,
  upcast: ({ id, type, stream, data, metadata }) => {
    const cause = (metadata as JsonObject)['causationId']
    const inherited =
      type === 'SoftDeleted' && id === nameUuid(`event:${String(cause)}:${parseStreamName(stream).id}:0`)
    return { type, data: { ...(data as JsonObject), ...(inherited && { inherited }) } }
  },
}

/** The upcasters from every older schema version to the present one. */
const upcasters: readonly Upcaster[] = [inheritedDeletions]

/** Parses a part of an event. Throws {@link UnreadableEvent}. */
export const parsePart = (raw: RawEvent, part: 'data' | 'metadata'): Json => {
  try {
    return JSON.parse(raw[part]) as Json
  } catch (error) {
    throw new UnreadableEvent(raw, `its ${part} is no JSON`, error)
  }
}

/** Is this what a version of the catalog has written as metadata of an event of this stream? */
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

/** Checks what everybody relies on. Throws {@link UnreadableEvent}. @returns the metadata */
export const readMetadata = (event: Place & { readonly type: string }, metadata: Json): EventMetadata => {
  const shape = isObject(metadata) ? metadata['schemaVersion'] : undefined
  if (typeof shape !== 'number' || !Number.isInteger(shape) || shape < 1)
    throw new UnreadableEvent(event, 'its metadata has no schemaVersion')
  if (!isMetadata(metadata, event.stream)) throw new UnreadableEvent(event, 'its metadata is not that of an event')
  return metadata as EventMetadata
}

/** Throws {@link UnreadableEvent} unless it is of a type that there is. */
export const mustBeKnown = (event: Place & { readonly type: string }): void => {
  if (!Object.hasOwn(verbs, event.type)) throw new UnreadableEvent(event, 'its type is unknown')
}

/** The schema version of the event, checked to be one that can be read. */
const versionOf = (event: ParsedEvent, current: number): number => {
  if (!isObject(event.data)) throw new UnreadableEvent(event, 'its data is no JSON object')
  const { schemaVersion: version } = readMetadata(event, event.metadata)
  if (version > current) {
    throw new UnreadableEvent(
      event,
      `it has schema version ${version} and this catalog reads up to ${current}; start the newer catalog that wrote it`,
    )
  }
  return version
}

const upcastAll = (event: ParsedEvent, version: number, current: number, steps: readonly Upcaster[]): ParsedEvent => {
  let result = event
  for (let from = version; from < current; from++) {
    const step = steps.find((upcaster) => upcaster.from === from)
    if (!step) throw new UnreadableEvent(event, `nothing turns schema version ${from} into ${from + 1}`)
    result = { ...result, ...step.upcast(result) }
  }
  return result
}

/** The member that holds how something is reached: the one that may hold secrets. */
const connection = 'connection'

/** What the texts are full of, quotation marks, comes last: what begins with a rarer letter is found absent sooner. */
const asMember = `${connection}"`

/** May this text of an event's data hold what {@link withoutSecrets} looks at? */
export const mayHoldSecrets = (text: string): boolean => text.includes(asMember)

/** Does it have secrets in clear, from before they were known as such? Who shows it exactly would show them. */
export const hasPlainSecrets = (event: ParsedEvent): boolean =>
  !sameJson(withoutSecrets(event).data as JsonObject, event.data)

/** The event with secrets that were not known as such when it was written marked as sealed. */
const withoutSecrets = (event: ParsedEvent): ParsedEvent => {
  const at = event.type === 'Created' ? 'members' : 'set'
  const data = event.data as JsonObject
  const members = data[at]
  if (!isObject(members) || members[connection] === undefined) return event
  return { ...event, data: { ...data, [at]: { ...members, [connection]: conceal(members[connection]) } } }
}

/** A codec for events of the schema version `current`. Metadata stays as it was recorded. */
export const makeCodec = (steps: readonly Upcaster[] = upcasters, current: number = schemaVersion): Codec => {
  const revive = (parsed: ParsedEvent): RecordedEvent => {
    const version = versionOf(parsed, current)
    const event = version === current ? parsed : upcastAll(parsed, version, current, steps)
    mustBeKnown(event)
    return withoutSecrets(event) as unknown as RecordedEvent
  }
  return {
    encode: (event) => ({
      id: event.id,
      type: event.type,
      data: jsonText(event.data),
      metadata: jsonText(event.metadata),
    }),
    decode: (raw) =>
      revive({
        stream: raw.stream,
        revision: raw.revision,
        position: raw.position,
        id: raw.id,
        type: raw.type,
        data: parsePart(raw, 'data'),
        metadata: parsePart(raw, 'metadata'),
      }),
    revive,
  }
}

const jsonText = (value: object): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError('An event holds something that is no JSON.')
  return text
}

export const codec: Codec = makeCodec()
