import type { EventStore } from '../events/eventStore.ts'
import type { Vault } from '../events/personal/vault.ts'
import type { Sealer } from '../kinds/defineKind.ts'
import type { SchemaReading, SchemaText } from '../kinds/schemaText/operations.ts'
import type { OpaqueIds } from '../shared/secrets/opaqueIds.ts'
import type { Entity } from './evolve.ts'
import type { ConditionDecision } from './unitOfWork/verdicts.ts'
import type { Clock } from './clock.ts'
import type { StreamQueue } from './unitOfWork/streamQueue.ts'
import type { KindNamed, LookAhead, Lookup, Refer, Tree } from './lookup.ts'

/** What the write side needs of the world. Made once, in the composition. */
export interface Ports {
  readonly log: EventStore
  /** For what is changed or shown, and what it stands in: a few. */
  readonly lookup: Lookup
  readonly refer: Refer
  readonly lookAhead: LookAhead
  readonly tree: Tree
  readonly kindNamed: KindNamed
  readonly sealer: Sealer & OpaqueIds
  readonly vault: Vault
  /** Reads a schema text; a large one takes long. */
  readonly readSchema: (text: SchemaText) => Promise<SchemaReading>
  readonly clock: Clock
  /** Position in the log up to which look-ups reach at least; `undefined`: its beginning. */
  readonly position: () => bigint | undefined
  readonly projected: (position: bigint) => Promise<void>
  readonly queued: StreamQueue
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
