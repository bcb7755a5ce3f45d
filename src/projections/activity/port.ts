import type { EventType } from '../../events/events.ts'

/** One event as somebody reads it who asks what happened. */
export interface ActivityRow {
  /** Of the event in the log. */
  readonly position: bigint
  /** Epoch milliseconds. */
  readonly time: number
  /** Name of the user who did it. */
  readonly user: string
  readonly kind: string
  readonly entityId: string
  readonly fullyQualifiedName: string
  readonly type: EventType
  /** The entity's version after it, in tenths. */
  readonly version: number
  readonly correlationId: string
  /** FQNs of the domains that the entity had just before it or just after it. */
  readonly domains: readonly string[]
  /** Ids of the owners that it had just before it or just after it. */
  readonly owners: readonly string[]
  /** Names of the members that changed. */
  readonly changed: readonly string[]
  /** What happened, in one sentence. */
  readonly summary: string
}

/** What is left out does not narrow. */
export interface ActivityFilter {
  readonly kinds?: ReadonlySet<string> | undefined
  readonly types?: ReadonlySet<EventType> | undefined
  readonly user?: string | undefined
  readonly correlationId?: string | undefined
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
  /** Only what happened before this position. */
  readonly before?: bigint | undefined
  /** Events that the page looks through at most (default {@link lookedThrough}). */
  readonly lookThrough?: number
}

export interface ActivityPage {
  /** Newest first. */
  readonly rows: readonly ActivityRow[]
  /** Go on before this position; `undefined`: there is nothing more. */
  readonly next: bigint | undefined
}

/** Who did what, and when. */
export interface Activity {
  /**
   * The newest that matches. Looks through a bounded number of events, so a page may end before its limit, and even be
   * empty, before the end.
   */
  activity(query: ActivityQuery): Promise<ActivityPage>
  /** What happened at these positions, in no particular order; those with nothing are left out. */
  activityAt(positions: readonly bigint[]): Promise<ActivityRow[]>
}

/** Events that one page looks through. */
export const lookedThrough = 20_000
