import type { ListKey, ListQuery } from '../entities/port.ts'
import type { Status } from '../entities/row.ts'

/** What must be so today, whatever the moment that a list shows: what a caller may see of the past depends on it. */
export interface StillSo {
  readonly exists?: boolean
  /** It has one of these among its owners, named as lives. */
  readonly owners?: readonly string[] | undefined
}

/** A list as it was when everything up to a position of the log had happened, and nothing else. */
export interface PastQuery extends Omit<ListQuery, 'withRequested'> {
  readonly position: bigint
  readonly still?: StillSo
}

/** One page of it. What the entities were then is read from their streams. */
export interface PastPage {
  /** In list order, also with `before`. */
  readonly keys: readonly ListKey[]
  readonly total: number
  readonly hasBefore: boolean
  readonly hasAfter: boolean
}

/** A status with the positions between which an entity had it. */
export interface StatusSpan {
  readonly status: Status
  readonly from: bigint
  /** Exclusive; `undefined`: it still has it. */
  readonly to: bigint | undefined
}

/** Which entities lists had at any time. Whoever reads it waits until it shows the position. */
export interface Timeline {
  listAsOf(query: PastQuery): Promise<PastPage>
  /** What an entity was, by definition: what stands below a deletion went with it. `undefined`: it was not there yet. */
  statusAt(entity: ListKey & { readonly kind: string }, position: bigint): Promise<StatusSpan | undefined>
  /** The newest position up to an instant, in epoch milliseconds, as far as it knows; `undefined`: all was later. */
  positionAt(time: number): Promise<bigint | undefined>
}
