import type { EventMetadata, EventType } from '../../events/events.ts'
import type { EventSummary } from '../../events/verbs.ts'

/** An event in the activity feed. */
export interface ActivityRow
  extends
    EventSummary,
    Pick<EventMetadata, 'kind' | 'fullyQualifiedName' | 'version' | 'correlationId' | 'clientCorrelationId'> {
  readonly position: bigint
  /** Epoch milliseconds. */
  readonly time: number
  /** Milliseconds by which it is earlier than the latest event before it, if it is: clocks of processes may differ. */
  readonly lateness?: number
  readonly user: string
  readonly entityId: string
  readonly type: EventType
  /** FQNs of the entity's domains directly before and after the event. */
  readonly domains: readonly string[]
  /** Ids of the entity's owners directly before and after the event. */
  readonly owners: readonly string[]
}

/** Absent members do not restrict the result. */
export interface ActivityFilter {
  readonly kinds?: ReadonlySet<string> | undefined
  readonly types?: ReadonlySet<EventType> | undefined
  readonly user?: string | undefined
  readonly entityId?: string | undefined
  readonly correlationId?: string | undefined
  readonly clientCorrelationId?: string | undefined
  readonly changed?: ReadonlySet<string> | undefined
  /** Domains of which the entity had one directly before or after the event. */
  readonly domains?: ReadonlySet<string> | undefined
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Restricts events of these kinds to entities that had one of these owners directly before or after. */
  readonly owned?: { readonly kinds: ReadonlySet<string>; readonly owners: readonly string[] } | undefined
}

export interface ActivityQuery extends ActivityFilter {
  /** 1 … 1,000 */
  readonly limit: number
  /** Exclusive. */
  readonly before?: bigint | undefined
  readonly after?: bigint | undefined
  /** In log order; default: newest first. */
  readonly oldestFirst?: boolean
  /** Largest number of events scanned for a page (default {@link defaultMaxScanned}). */
  readonly maxScanned?: number
}

export interface ActivityPage {
  /** In the requested order. */
  readonly rows: readonly ActivityRow[]
  /** Continue before this position, or after it with `oldestFirst`; `undefined` at the end. */
  readonly next: bigint | undefined
}

export interface Activity {
  /** The newest or oldest matching events. Scans a bounded number of events, so a page may end before its limit. */
  activity(query: ActivityQuery): Promise<ActivityPage>
  /** The events at these positions, in no particular order; missing ones are left out. */
  activityAt(positions: readonly bigint[]): Promise<ActivityRow[]>
  /** The newest position up to an instant (epoch milliseconds); `undefined` if everything was later. */
  positionAt(time: number): Promise<bigint | undefined>
}

/** Number of events scanned for a page. */
export const defaultMaxScanned = 20_000

/** Indexed members that the filter restricts, presumably most selective first. */
export const indexesFor = (filter: ActivityFilter) => {
  const { correlationId, clientCorrelationId, entityId, domains, changed, user, types } = filter
  const one = (value: string | undefined): string[] | undefined => (value === undefined ? undefined : [value])
  const values = {
    correlationId: one(correlationId),
    clientCorrelationId: one(clientCorrelationId),
    entityId: one(entityId),
    domains: domains && [...domains],
    changed: changed && [...changed],
    user: one(user),
    type: types?.size === 1 ? [...types] : undefined,
  }
  return Object.entries(values).filter(([, wanted]) => wanted !== undefined) as [keyof typeof values, string[]][]
}
