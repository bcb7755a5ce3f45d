import type { EventStore } from '../events/eventStore.ts'
import type { ConditionDecision } from '../events/verdicts.ts'
import type { Vault } from '../events/personal/vault.ts'
import type { SecretCodec } from '../kinds/defineKind.ts'
import type { ParsedSchema, SchemaText } from '../kinds/schemaText/readSchemaText.ts'
import type { OpaqueIds } from '../shared/secrets/aesGcm.ts'
import type { Entity } from './evolve.ts'
import type { Clock } from './recording.ts'
import type { PrefetchEntities, Lookup, ReferenceLookup, Hierarchy } from './lookup.ts'

/** The ports of the write side, created once in the composition. */
export interface Ports {
  readonly log: EventStore
  /** For the few entities that are changed or shown, and their ancestors. */
  readonly lookup: Lookup
  readonly refer: ReferenceLookup
  readonly prefetch: PrefetchEntities
  readonly hierarchy: Hierarchy
  readonly secretCodec: SecretCodec & OpaqueIds
  readonly vault: Vault
  /** Parses a schema text; a large one takes long. */
  readonly readSchema: (text: SchemaText) => Promise<ParsedSchema>
  readonly clock: Clock
  /** Log position that look-ups show at least; `undefined`: nothing yet. */
  readonly position: () => bigint | undefined
  readonly waitForPosition: (position: bigint) => Promise<void>
  readonly streamQueue: StreamQueue
  /** Whether look-ups show inherited deletions and restores before the descendants have their own events. */
  readonly showsPending: boolean
  /** Only for a log that cannot check append conditions. */
  readonly verdicts?: ConditionDecision | undefined
  /**
   * Waits until the descendants of deleted or restored entities have their own events, for a short default time or
   * `timeout` milliseconds. @returns position of the last such event, if all were written
   */
  readonly waitForCascades: (changed: readonly EntityPosition[], timeout?: number) => Promise<bigint | undefined>
  /**
   * Waits until all descendants follow the deletions and restores up to a position. @returns the position up to which
   * their events are written @throws ProjectionBehind on timeout, LogAhead where the clock forbids to write them
   */
  readonly waitForCascadesUpTo: (position: bigint) => Promise<bigint | undefined>
}

/** An entity whose status changed, and the position of that change. */
export type EntityPosition = Pick<Entity, 'id' | 'position'>

/** The outcome of each item for one stream, and the resulting entity if known. */
export interface StreamOutcome<R> {
  readonly outcomes: readonly R[]
  readonly newest: Entity | undefined
}

export type CommitBatch<T, R> = (waiting: readonly T[], newest: Entity | undefined) => Promise<StreamOutcome<R>>

/**
 * Serialises commits to one stream: an item is committed at once if the stream is idle, otherwise together with all items
 * that wait, on the result of the commit before. The expected revision guards against other processes.
 */
export type StreamQueue = <T, R>(stream: string, item: T, commit: CommitBatch<T, R>) => Promise<R>
