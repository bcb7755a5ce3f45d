import type { Activity } from '../activity/port.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'
import type { EntityRow } from '../entities/row.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Lineage } from '../lineage/port.ts'
import type { ProjectionStore } from '../projection.ts'
import type { Search } from '../search/port.ts'
import type { StoredTables } from '../stored/storedTable.ts'
import type { Timeline } from '../timeline/port.ts'
import type { TreeTiles } from '../tree/port.ts'

/** What a rebuild is filled into and compared by. */
export interface Rebuildable {
  /** All rows that are not gone, in id order, for digests and exports. */
  scan(): AsyncIterable<EntityRow>
  /** @param resumed goes on with what such a rebuild that was interrupted has filled, where that is kept */
  startRebuild(resumed?: boolean): Promise<Rebuild>
  /**
   * All that is stored, to be compared with a rebuild. Where files are only read, reads show this moment from now on.
   * @param unsettled what {@link StoredTables.unsettled} of the others says
   */
  stored(unsettled?: readonly string[]): Promise<StoredTables>
}

/** Called with the position that read models show, when nothing more is applied to them; see {@link Rebuild}. */
export type CatchUp = (shown: bigint | undefined) => Promise<void>

export interface Rebuild {
  /** Empty at first, unless it goes on with what was interrupted. */
  readonly fresh: ReadModels
  /**
   * Puts the fresh ones in place of the others, at once. When it fails everything stays as it was.
   * @param catchUp applies to the fresh ones what they lack; may be called several times
   */
  swap(catchUp?: CatchUp): Promise<void>
  /** @param why it failed: what passes leaves something to go on with */
  discard(why?: unknown): Promise<void>
}

/** Remembers the first event, by its id, of the log that what is kept belongs to. */
export interface LogIdentity {
  /** `undefined`: nobody has claimed it. */
  read(): Promise<string | undefined>
  /**
   * @param takeOver replaces who came first
   * @returns what it remembers from then on
   */
  claim(first: string, takeOver: boolean): Promise<string>
}

/** What is asked of read models. */
export interface ReadModelReads
  extends EntityReads, EntityLists, Search, Activity, TreeTiles, Timeline, Lineage, Inbox {}

/** The documents that reads are answered from, as one engine keeps them; they can be thrown away at any time. */
export interface ReadModels extends ReadModelReads, ProjectionStore, Rebuildable {
  /** Left out where the data folder remembers it. */
  readonly identity?: LogIdentity
  ping(): Promise<void>
  close(): Promise<void>
}
