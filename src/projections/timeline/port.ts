import type { ListKey, ListPage, ListQuery } from '../entities/port.ts'
import type { Status } from '../entities/row.ts'

/** Present conditions of a list of the past: permissions depend on the present. */
export interface CurrentFilter {
  readonly exists?: boolean
  /** One of its owners is one of these incarnations. */
  readonly owners?: readonly string[] | undefined
}

/** A query for a list as of a position of the log. */
export interface TimelineQuery extends Omit<ListQuery, 'withRequested'> {
  readonly position: bigint
  readonly current?: CurrentFilter
}

/** One page of a list of the past. The entities' past states are read from their streams. */
export interface TimelinePage extends Omit<ListPage, 'rows'> {
  /** In list order, also with `before`. */
  readonly keys: readonly ListKey[]
}

/** A status with its range of positions. */
export interface StatusSpan {
  readonly status: Status
  readonly from: bigint
  /** Exclusive; `undefined` if it is the present status. */
  readonly to: bigint | undefined
}

/** The members of lists at any time. Readers wait until it shows the position. */
export interface Timeline {
  listAsOf(query: TimelineQuery): Promise<TimelinePage>
  /** The statuses of entities by id, including inherited deletions, without those that did not exist yet. */
  statusesAt(
    entities: readonly (ListKey & { readonly kind: string })[],
    position: bigint,
  ): Promise<ReadonlyMap<string, StatusSpan>>
}
