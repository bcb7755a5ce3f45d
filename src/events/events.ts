import type { CatalogEvent, Reference } from './verbs.ts'
import { NamedError } from '../shared/errors/namedError.ts'

export {
  eventTypes,
  voteTypes,
  type CatalogEvent,
  type EventType,
  type Members,
  type Reference,
  type Vote,
} from './verbs.ts'

/** The present version of the event shapes above; `codec.ts` upcasts older ones. */
export const schemaVersion = 2

/** What must not have changed since it was read, as plain JSON. */
export type Dependency =
  /** The entities of these streams are all still so. */
  | { readonly streams: string[]; readonly status: 'live' | 'deleted' | 'gone' }
  /** None of these members of it has changed; `*` stands for all. */
  | { readonly stream: string; readonly members: string[] }
  /** Nothing of this kind has come to be there below this name. */
  | { readonly kind: string; readonly below: string }
  /** None of these streams has come to have this name. */
  | { readonly streams: string[]; readonly name: string }

/** The condition of an append, recorded with each of its events. */
export type RecordedCondition = {
  /** Exclusive position up to which what was read is known to have been shown; absent: the beginning of the log. */
  readonly after?: string
  readonly dependencies: Dependency[]
  /** If it holds, the entity is to be deleted for good: this deletion comes first so that nothing appears below. */
  readonly final?: true
}

/** A proposal that caused an event. `amended`: another change was accepted than was proposed. */
export type ProposalCause = { readonly id: string; readonly proposer: string; readonly amended?: true }

/** What is known about every event beside its data. Plain JSON. */
export type EventMetadata = {
  readonly kind: string
  readonly fullyQualifiedName: string
  /** The entity's version after the event, in tenths: 0.1 is 1, 1.3 is 13. */
  readonly version: number
  readonly user: string
  /** When it was appended: ISO 8601, UTC, milliseconds. Never before that of the event before it in the log. */
  readonly time: string
  /** What the clock of the machine said, where the log was more than a second ahead of it. */
  readonly machineTime?: string
  /** The request, or the recursive operation, that this belongs to: the service gives each its own. */
  readonly correlationId: string
  /** What the client said that the request belongs to, in `X-Correlation-ID`; absent where it said nothing. */
  readonly clientCorrelationId?: string
  /** The command, or for a cascade the event, that caused it. */
  readonly causationId: string
  /** The proposal that the user accepted with it, and whose that was. */
  readonly proposal?: ProposalCause
  /** The span that it was made in, as W3C trace context; absent where nobody told. */
  readonly traceparent?: string
  /** What it depends on, where the log could not refuse it: see `commands/unitOfWork/verdicts.ts`. */
  readonly condition?: RecordedCondition
  readonly schemaVersion: number
  /** `hash` of the event before it in the stream; absent on the first. */
  readonly previousHash?: string
  /** SHA-256, in hex, of the canonical form of the event without this member: see `hashChain.ts`. */
  readonly hash: string
}

export type NewEvent = CatalogEvent & {
  /** UUID derived from the command and the place in the stream: given once, and a repeated append is recognised. */
  readonly id: string
  readonly metadata: EventMetadata
}

export type RecordedEvent = NewEvent & {
  readonly stream: string
  /** Place in the stream; the first is `0n`. */
  readonly revision: bigint
  /** Place in the whole log; grows, may have holes, never has one that fills later. */
  readonly position: bigint
}

/** An event that also gives its data as the text that the log has. */
export type TextEvent = RecordedEvent & {
  readonly dataText?: string
  /** To be called before the text is passed on. @throws UnreadableEvent where a proven read gives what was changed */
  readonly check?: () => void
}

/** Whether a position is before another one; `undefined` is the beginning of the log. */
export const isBehind = (position: bigint | undefined, other: bigint | undefined): boolean =>
  other !== undefined && (position === undefined || position < other)

/** `<kind>-<id>`: the category is the kind, so that EventStoreDB's category projections work as they are. */
export const streamName = (kind: string, id: string): string => `${kind}-${id}`

/** The kind and id that a stream name holds. Kinds have no dash. */
export const parseStreamName = (stream: string): { kind: string; id: string } => {
  const dash = stream.indexOf('-')
  return { kind: stream.slice(0, dash), id: stream.slice(dash + 1) }
}

/** Names the life of an entity that a reference means: by its id alone the first of its name. */
export const incarnationKey = ({ id, life = 0 }: Pick<Reference, 'id' | 'life'>): string =>
  life === 0 ? id : `${id}@${life}`

/** The same of an entity. @param born revision of the Created that began its present life */
export const incarnationOf = ({ id, born }: { readonly id: string; readonly born: bigint }): string =>
  incarnationKey({ id, life: Number(born) })

export const entityOf = (life: string): string => life.split('@', 1)[0] as string

/**
 * An event of one log by its place and content: another log, or another course of this one (a restored backup, a lost
 * end), does not have it there.
 */
export interface LogFingerprint {
  readonly position: bigint
  /** The first 16 hex digits of the event's hash. */
  readonly tag: string
}

/** What was remembered belongs to another log than this one, or to a part of it that is gone. */
export class OtherLog extends NamedError {
  override readonly name = 'OtherLog'
}

const tagOf = (hash: unknown): string => (typeof hash === 'string' ? hash.slice(0, 16) : '')

export const fingerprintOf = ({ position, metadata }: RecordedEvent): LogFingerprint => ({
  position,
  tag: tagOf(metadata.hash),
})

/** `<position>-<tag>` */
export const fingerprintText = ({ position, tag }: LogFingerprint): string => `${position}-${tag}`

/** How far somebody has come, with what identifies the event there when that is known. */
export const placeText = (position: bigint | undefined, newest: LogFingerprint | undefined): string =>
  newest !== undefined && newest.position === position ? fingerprintText(newest) : String(position ?? 0n)

/** Reads what {@link fingerprintText} wrote; `undefined`: it is none. */
export const readFingerprint = (text: string): LogFingerprint | undefined => {
  const [, position, tag] = /^(\d{1,19})-([0-9a-f]{16})$/.exec(text) ?? []
  return position === undefined || tag === undefined ? undefined : { position: BigInt(position), tag }
}

interface Log {
  eventAt(position: bigint): Promise<RecordedEvent | undefined>
}

export const holds = async (log: Log, { position, tag }: LogFingerprint): Promise<boolean> => {
  const event = await log.eventAt(position)
  return event !== undefined && tagOf(event.metadata.hash) === tag
}
