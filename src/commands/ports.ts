import type { EventStore } from '../events/eventStore.ts'
import type { Vault } from '../events/personal/vault.ts'
import type { Sealer } from '../kinds/defineKind.ts'
import type { SchemaReading, SchemaText } from '../kinds/schemaText/operations.ts'
import type { OpaqueIds } from '../shared/secrets/opaqueIds.ts'
import type { Clock } from './clock.ts'
import type { KeyedMutex } from './unitOfWork/keyedMutex.ts'
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
  readonly queued: KeyedMutex
  /**
   * There, where children follow by themselves, and are looked up as if they had (`processes/integrity.ts`). Waits a
   * moment for those of these entities, or so many milliseconds. @returns the position of their last event, when that
   * stands
   */
  readonly followed?: (ids: readonly string[], patience?: number) => Promise<bigint | undefined>
}
