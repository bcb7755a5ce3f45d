import type { EntityLists, EntityReads } from './entities/port.ts'
import type { EntityRow } from './entities/row.ts'
import type { ProjectionStore } from './projection.ts'
import type { Search } from './search/port.ts'

/** What a rebuild is filled into and compared by. */
export interface Rebuildable {
  /** All rows that are not gone, in id order, for digests and exports. */
  scan(): AsyncIterable<EntityRow>
  /** Fresh, empty read models beside these; `swap` puts them in place of these at once, `discard` drops them. */
  startRebuild(): Promise<{ fresh: ReadModels; swap(): Promise<void>; discard(): Promise<void> }>
}

/**
 * The documents that reads are answered from, as one engine keeps them. They exist only because an event said so and can
 * be thrown away at any time.
 */
export interface ReadModels extends ProjectionStore, EntityReads, EntityLists, Search, Rebuildable {
  ping(): Promise<void>
  close(): Promise<void>
}
