import type { CatalogEvent, Reference } from './verbs.ts'
import { CatalogError } from '../shared/errors/namedError.ts'

export {
  eventTypes,
  voteTypes,
  type CatalogEvent,
  type EventType,
  type Members,
  type Reference,
  type Vote,
} from './verbs.ts'

/** The present schema version of events; `codec.ts` upcasts older ones. */
export const schemaVersion = 3

/** A fact that must not have changed since it was read, as plain JSON. */
export type Dependency =
  /** The entities of these streams still have this status. */
  | { readonly streams: string[]; readonly status: 'live' | 'deleted' | 'gone' }
  /** None of these members of the entity has changed; `*` for all. */
  | { readonly stream: string; readonly members: string[] }
  /** No entity of this kind has appeared below this name. */
  | { readonly kind: string; readonly below: string }
  /** Nobody has worked on an entity of these kinds below this name: see `isWork`. */
  | { readonly kinds: string[]; readonly below: string }
  /** None of these streams has this name. */
  | { readonly streams: string[]; readonly name: string }

/** The condition of an append, recorded with each of its events. */
export type RecordedCondition = {
  /** Exclusive position that the reads showed at least; absent for the beginning of the log. */
  readonly after?: string
  readonly dependencies: Dependency[]
  /** If the condition holds, a hard delete follows: this soft delete comes first so that nothing appears below. */
  readonly final?: true
}

/** The proposal that an event accepts. `amended`: the accepted change differs from the proposed one. */
export type ProposalOrigin = { readonly id: string; readonly proposer: string; readonly amended?: true }

export type EventMetadata = {
  readonly kind: string
  readonly fullyQualifiedName: string
  /** The entity's version after the event, in tenths: 0.1 is 1, 1.3 is 13. */
  readonly version: number
  readonly user: string
  /** Time of the append: ISO 8601, UTC, milliseconds. Never before the previous event in the log. */
  readonly time: string
  /** The machine's time, if the log was more than a second ahead of it. */
  readonly machineTime?: string
  /** Id of the request or recursive operation, given by the service. */
  readonly correlationId: string
  /** The client's `X-Correlation-ID`, if it sent one. */
  readonly clientCorrelationId?: string
  /** The command, or in a cascade the event, that caused it. */
  readonly causationId: string
  /** The accepted proposal and its proposer. */
  readonly proposal?: ProposalOrigin
  /** The W3C trace context, if known. */
  readonly traceparent?: string
  /** The append condition, if the store could not check it: see `events/verdicts.ts`. */
  readonly condition?: RecordedCondition
  readonly schemaVersion: number
  /** `hash` of the previous event in the stream; absent on the first. */
  readonly previousHash?: string
  /** SHA-256, in hex, of the canonical form of the event without this member: see `codec.ts`. */
  readonly hash: string
}

export type NewEvent = CatalogEvent & {
  /** UUID derived from the command and the revision: unique, and equal for a repeated append. */
  readonly id: string
  readonly metadata: EventMetadata
}

export type RecordedEvent = NewEvent & {
  readonly stream: string
  /** Number in the stream, from `0n`. */
  readonly revision: bigint
  /** Number in the log. Increasing, possibly with gaps, none of which is filled later. */
  readonly position: bigint
}

/** Whether a position is before another; `undefined` for the beginning of the log. */
export const isBehind = (position: bigint | undefined, other: bigint | undefined): boolean =>
  other !== undefined && (position === undefined || position < other)

/** `<kind>-<id>`: the category is the kind, so that EventStoreDB's category projections work as they are. */
export const streamName = (kind: string, id: string): string => `${kind}-${id}`

/** The kind and id in a stream name. Kinds contain no dash. */
export const parseStreamName = (stream: string): { kind: string; id: string } => {
  const dash = stream.indexOf('-')
  return { kind: stream.slice(0, dash), id: stream.slice(dash + 1) }
}

/** Key of the incarnation that a reference means; the id alone for the first incarnation. */
export const incarnationKey = ({ id, life = 0 }: Pick<Reference, 'id' | 'life'>): string =>
  life === 0 ? id : `${id}@${life}`

/** Key of an entity's incarnation. @param born revision of the Created event that began it */
export const incarnationOf = ({ id, born }: { readonly id: string; readonly born: bigint }): string =>
  incarnationKey({ id, life: Number(born) })

export const entityOf = (key: string): string => key.split('@', 1)[0] as string

/** The revision of the Created event that began the incarnation of an `incarnationKey`. */
export const lifeOf = (key: string): number => Number(key.split('@')[1] ?? 0)

/**
 * Identifies an event of one log by position and content: another log, or another history of this one (a restored
 * backup, a lost end), does not have it there.
 */
export interface LogFingerprint {
  readonly position: bigint
  /** The first 16 hex digits of the event's hash. */
  readonly tag: string
}

/** A stored position belongs to another log, or to a lost part of this one. */
export class OtherLog extends CatalogError {
  override readonly name = 'OtherLog'
}

const tagOf = (hash: unknown): string => (typeof hash === 'string' ? hash.slice(0, 16) : '')

export const fingerprintOf = ({ position, metadata }: RecordedEvent): LogFingerprint => ({
  position,
  tag: tagOf(metadata.hash),
})

/** `<position>-<tag>` */
export const fingerprintText = ({ position, tag }: LogFingerprint): string => `${position}-${tag}`

/** A position as text, with the fingerprint of its event if known. */
export const positionText = (position: bigint | undefined, newest: LogFingerprint | undefined): string =>
  newest !== undefined && newest.position === position ? fingerprintText(newest) : String(position ?? 0n)

/** Parses the result of {@link fingerprintText}; `undefined` if it is malformed. */
export const parseFingerprint = (text: string): LogFingerprint | undefined => {
  const [, position, tag] = /^(\d{1,19})-([0-9a-f]{16})$/.exec(text) ?? []
  return position === undefined || tag === undefined ? undefined : { position: BigInt(position), tag }
}

export const hasFingerprint = async (
  log: { eventAt(position: bigint): Promise<RecordedEvent | undefined> },
  { position, tag }: LogFingerprint,
): Promise<boolean> => {
  const event = await log.eventAt(position)
  return event !== undefined && tagOf(event.metadata.hash) === tag
}
