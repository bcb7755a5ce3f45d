import type { Json, JsonObject } from '../shared/json.ts'

/**
 * A reference as events and read models keep it. Names never change, so the FQN is a fact of the reference;
 * everything that can change (display name, deleted) is looked up when it is read.
 */
export interface Reference {
  readonly id: string
  /** The kind of the entity, e.g. `table`. */
  readonly type: string
  readonly fullyQualifiedName: string
  /**
   * The life of the entity that is meant: revision of the Created that began it. Absent: its first one. A later life of the
   * name is somebody else.
   */
  readonly life?: number
}

/** Values of an entity's members by name, as its kind defines them. References in them are {@link Reference}s. */
export type Members = JsonObject

export type Vote = 'votedUp' | 'votedDown' | 'unVoted'

/** What can happen to an entity. Closed: a new verb is a new line here, an upcaster and a case in `evolve`. */
export type CatalogEvent =
  /** Begins a life of the entity; `members` holds every value it has. `parent`: what it is deleted and restored with. */
  | { type: 'Created'; data: { name: string; parent?: Reference; members: Members } }
  /** `set` holds the new values of the changed members whole, `unset` the names of those that were cleared. */
  | { type: 'Updated'; data: { set: Members; unset: string[] } }
  /**
   * `deletion` is shared by everything that the same request took. `inherited`: it went with its parent, and comes back when
   * that is live again.
   */
  | { type: 'SoftDeleted'; data: { deletion: string; inherited?: true } }
  /** `deletion` is the one that is taken back. */
  | { type: 'Restored'; data: { deletion: string } }
  /** Ends the life; the history stays, and a later Created on the stream begins the next. */
  | { type: 'HardDeleted'; data: { deletion: string } }
  | { type: 'Voted'; data: { user: Reference; vote: Vote } }
  | { type: 'FollowerAdded'; data: { user: Reference } }
  | { type: 'FollowerRemoved'; data: { user: Reference } }
  | { type: 'AssetsAdded'; data: { assets: Reference[] } }
  | { type: 'AssetsRemoved'; data: { assets: Reference[] } }
  | { type: 'PortsAdded'; data: { direction: 'input' | 'output'; ports: Reference[] } }
  | { type: 'PortsRemoved'; data: { direction: 'input' | 'output'; ports: Reference[] } }
  /** The promise was compared with what is there; `result` becomes `latestResult`. */
  | { type: 'Validated'; data: { result: JsonObject } }

export type EventType = CatalogEvent['type']

/** The present version of the event shapes above; `codec.ts` upcasts older ones. */
export const schemaVersion = 2

/** What is known about every event beside its data. Plain JSON. */
export interface EventMetadata {
  readonly kind: string
  readonly fullyQualifiedName: string
  /** The entity's version after the event, in tenths: 0.1 is 1, 1.3 is 13. */
  readonly version: number
  /** Name of the user whose request caused it. */
  readonly user: string
  /** When it was appended: ISO 8601, UTC, milliseconds. Never before that of the event before it in the log. */
  readonly time: string
  /** The request, or the recursive operation, that this belongs to. */
  readonly correlationId: string
  /** The command, or for a cascade the event, that caused it. */
  readonly causationId: string
  readonly schemaVersion: number
  /** `hash` of the event before it in the stream; absent on the first. */
  readonly previousHash?: string
  /** SHA-256, in hex, of the canonical form of the event without this member: see `hashChain.ts`. */
  readonly hash: string
}

/** An event that is about to be appended. */
export type NewEvent = CatalogEvent & {
  /** UUID derived from the command and the place in the stream: given once, and a repeated append is recognised. */
  readonly id: string
  readonly metadata: EventMetadata
}

/** An event as the log has it. */
export type RecordedEvent = NewEvent & {
  readonly stream: string
  /** Place in the stream; the first is `0n`. */
  readonly revision: bigint
  /** Place in the whole log; grows, may have holes, never has one that fills later. */
  readonly position: bigint
}

/** The data of an event as plain JSON, for codecs and feeds. */
export const eventData = (event: CatalogEvent): Json => event.data as unknown as Json
