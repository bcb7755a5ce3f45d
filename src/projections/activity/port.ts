import type { EventType, Vote } from '../../events/events.ts'

/** One event as somebody reads it who asks what happened. */
export interface ActivityRow {
  readonly position: bigint
  /** Epoch milliseconds. */
  readonly time: number
  readonly user: string
  readonly kind: string
  readonly entityId: string
  readonly fullyQualifiedName: string
  readonly type: EventType
  /** The entity's version after it, in tenths. */
  readonly version: number
  readonly correlationId: string
  readonly clientCorrelationId?: string
  /** FQNs of the domains that the entity had just before it or just after it. */
  readonly domains: readonly string[]
  /** Ids of the owners that it had just before it or just after it. */
  readonly owners: readonly string[]
  /** Names of the members that changed. */
  readonly changed: readonly string[]
  /** What happened, in one sentence. */
  readonly summary: string
  /** Name of the user who follows the entity from then on, or no more. */
  readonly follower?: string
  /** The user's new vote. */
  readonly vote?: Vote
}

/** What is left out does not narrow. */
export interface ActivityFilter {
  readonly kinds?: ReadonlySet<string> | undefined
  readonly types?: ReadonlySet<EventType> | undefined
  readonly user?: string | undefined
  /** Id of the entity. */
  readonly entityId?: string | undefined
  readonly correlationId?: string | undefined
  readonly clientCorrelationId?: string | undefined
  readonly changed?: ReadonlySet<string> | undefined
  /** The entity had one of these just before or just after. */
  readonly domains?: ReadonlySet<string> | undefined
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Of these kinds only what happened to entities that had one of these owners, by id, just before or just after. */
  readonly owned?: { readonly kinds: ReadonlySet<string>; readonly owners: readonly string[] } | undefined
}

export interface ActivityQuery extends ActivityFilter {
  /** 1 … 1,000 */
  readonly limit: number
  readonly before?: bigint | undefined
  readonly after?: bigint | undefined
  /** In the order of the log; otherwise the newest comes first. */
  readonly oldestFirst?: boolean
  /** Events that the page looks through at most (default {@link scannedRows}). */
  readonly lookThrough?: number
}

export interface ActivityPage {
  /** In the order that was asked for. */
  readonly rows: readonly ActivityRow[]
  /** Go on before this position, or after it when the oldest comes first; `undefined`: there is nothing more. */
  readonly next: bigint | undefined
}

export interface Activity {
  /**
   * The newest that matches, or the oldest. Looks through a bounded number of events: a page may end before its limit.
   */
  activity(query: ActivityQuery): Promise<ActivityPage>
  /** What happened at these positions, in no particular order; those with nothing are left out. */
  activityAt(positions: readonly bigint[]): Promise<ActivityRow[]>
}

/** Events that one page looks through. */
export const scannedRows = 20_000

/** Members that a filter narrows and that have an index, the narrowest ones first as far as that can be told. */
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
