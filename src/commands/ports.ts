import type { EventStore } from '../events/eventStore.ts'
import type { RecordedEvent } from '../events/events.ts'
import type { Vault } from '../events/personal/vault.ts'
import type { Sealer } from '../kinds/defineKind.ts'
import type { SchemaReading, SchemaText } from '../kinds/schemaText/readSchemaText.ts'
import type { OpaqueIds } from '../shared/secrets/aesGcm.ts'
import type { Entity } from './evolve.ts'
import type { Clock } from './clock.ts'
import type { KindNamed, PrefetchEntities, Lookup, Refer, Tree } from './lookup.ts'

/** What the write side needs of the world. Made once, in the composition. */
export interface Ports {
  readonly log: EventStore
  /** For what is changed or shown, and what it stands in: a few. */
  readonly lookup: Lookup
  readonly refer: Refer
  readonly prefetch: PrefetchEntities
  readonly tree: Tree
  readonly kindNamed: KindNamed
  readonly sealer: Sealer & OpaqueIds
  readonly vault: Vault
  /** Reads a schema text; a large one takes long. */
  readonly readSchema: (text: SchemaText) => Promise<SchemaReading>
  readonly clock: Clock
  /** Position in the log up to which look-ups reach at least; `undefined`: its beginning. */
  readonly position: () => bigint | undefined
  readonly waitForPosition: (position: bigint) => Promise<void>
  readonly queued: StreamQueue
  /** Do look-ups show what a deletion or restore leads to, before what stands below has its own events? */
  readonly showsPending: boolean
  /** Only where the log cannot refuse an append. */
  readonly verdicts?: ConditionDecision | undefined
  /**
   * Waits until the children of these entities have followed their deletion or restore, for a moment or so many
   * milliseconds. @returns the position of the last event that was written for any, when all stand
   */
  readonly followed: (turned: readonly EntityPosition[], timeout?: number) => Promise<bigint | undefined>
  /**
   * Waits until everything follows what was deleted and restored up to a position. @returns a position up to which all
   * of that stands @throws StoreUnavailable when it takes too long
   */
  readonly settled: (position: bigint) => Promise<bigint | undefined>
}

/** What was deleted or restored, up to this position. */
export type EntityPosition = Pick<Entity, 'id' | 'position'>

/**
 * Where the log cannot refuse an append, its order decides afterwards: an event is void if its recorded condition was
 * broken, by an event that is not void itself, before it was appended. The same for everybody, at any time.
 */
export interface ConditionDecision {
  isVoid(event: RecordedEvent): Promise<boolean>
  /** The event of this id, which the log has at this position, after another. */
  eventAt(position: bigint, id: string, after: bigint | undefined): Promise<RecordedEvent>
}

/** What became of each item about one stream, and the entity after them, where that is known. */
export interface StreamOutcome<R> {
  readonly outcomes: readonly R[]
  readonly newest: Entity | undefined
}

export type CommitBatch<T, R> = (waiting: readonly T[], newest: Entity | undefined) => Promise<StreamOutcome<R>>

/**
 * Commits what is asked of one stream: at once where nothing is under way, else together with all that waits, on what
 * came before it. Other processes are met by the expected revision.
 */
export type StreamQueue = <T, R>(stream: string, item: T, commit: CommitBatch<T, R>) => Promise<R>
