import type { Activity } from '../activity/port.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Lineage } from '../lineage/lineageProjection.ts'
import type { ProjectionStore } from '../projection.ts'
import type { Search } from '../search/port.ts'
import type { StoredTables } from '../stored/differences.ts'
import type { Timeline } from '../timeline/port.ts'
import type { TreeTiles } from '../tree/treeProjection.ts'

/** Support for rebuilding and comparing read models. */
interface RebuildSource {
  /**
   * The worker of the replaced ones, if they have one, does not run until the end of the rebuild.
   * @param resumed continue an interrupted rebuild if there is one
   */
  startRebuild(resumed?: boolean): Promise<Rebuild>
  /**
   * All stored tables, for a comparison with a rebuild. Read-only files show this snapshot until the next call.
   * @param unsettled {@link StoredTables.unsettled} of the other side
   */
  stored(unsettled?: readonly string[]): Promise<StoredTables>
}

/** Called with the final position of the old read models; see {@link Rebuild.swap}. */
export type CatchUp = (shown: bigint | undefined) => Promise<void>

export interface Rebuild {
  /** Empty at first, unless an interrupted rebuild is resumed. */
  readonly fresh: ReadModels
  /**
   * Replaces the old read models with the fresh ones, one projection or file after the other. After a failure some may
   * be replaced: each shows as much as before.
   * @param catchUp applies missing events to the fresh ones; may be called several times
   */
  swap(catchUp?: CatchUp): Promise<void>
  /** @param why the error; after a transient one, or an abort, the rebuild can be resumed */
  discard(why?: unknown): Promise<void>
}

/** What all processes on a database must have in common, by an id. */
export interface DatabaseIdentity {
  read(): Promise<string | undefined>
  /**
   * @param takeOver replace an earlier claim
   * @returns the stored identity
   */
  claim(first: string, takeOver: boolean): Promise<string>
}

/** All reads of the read models. */
export interface ReadModelReads
  extends EntityReads, EntityLists, Search, Activity, TreeTiles, Timeline, Lineage, Inbox {}

/** The read models of one engine. They can be deleted and rebuilt at any time. */
export interface ReadModels extends ReadModelReads, ProjectionStore, RebuildSource {
  /** The log that they belong to, by the id of its first event. Absent if the data folder stores it. */
  readonly identity?: DatabaseIdentity
  ping(): Promise<void>
  close(): Promise<void>
}
