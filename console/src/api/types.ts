/** One thing that is wrong with what was sent. */
export interface ProblemDetail {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** What every reference to another entity holds. */
export interface Reference {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly fullyQualifiedName: string
  readonly displayName?: string
  readonly deleted?: boolean
}

/** A tag or glossary term that something carries. */
export interface TagLabel {
  readonly tagFQN: string
  readonly name?: string
  readonly displayName?: string
  readonly description?: string
  readonly source: 'Classification' | 'Glossary'
  readonly style?: { readonly color?: string; readonly iconURL?: string }
}

/** A column of a table, a field of a message, of a search index or of a request. */
export interface Column {
  readonly name: string
  readonly dataType?: string
  readonly dataTypeDisplay?: string
  readonly displayName?: string
  readonly description?: string
  readonly constraint?: string
  readonly fullyQualifiedName?: string
  readonly tags?: readonly TagLabel[]
  readonly children?: readonly Column[]
}

export interface Votes {
  readonly upVotes: number
  readonly downVotes: number
  readonly upVoters?: readonly Reference[]
  readonly downVoters?: readonly Reference[]
}

/** An entity of any kind: the members that all have, and those of its own. */
export interface Entity {
  readonly id: string
  readonly name: string
  readonly fullyQualifiedName: string
  readonly displayName?: string
  readonly description?: string
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
  readonly updatedBy: string
  readonly deleted: boolean
  readonly entityStatus?: string
  readonly owners?: readonly Reference[]
  readonly domains?: readonly Reference[]
  readonly tags?: readonly TagLabel[]
  readonly followers?: readonly Reference[]
  readonly votes?: Votes
  readonly [member: string]: unknown
}

export interface Paging {
  readonly total: number
  readonly before?: string
  readonly after?: string
}

export interface Page<T> {
  readonly data: readonly T[]
  readonly paging: Paging
}

export interface Hit {
  readonly _id: string
  readonly _score: number
  /** Names its kind. */
  readonly _index: string
  readonly _source: Entity
  /** Whether only similar words match. */
  readonly fuzzy?: true
  /** Where the words and tags of the query stand: `columns.email.tags`. */
  readonly matchedIn?: readonly string[]
}

export interface Hits {
  readonly took: number
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' }
    readonly hits: readonly Hit[]
  }
}

/** One event of an entity's life, as auditors read it. */
export interface HistoryEvent {
  readonly id: string
  readonly type: string
  readonly revision: string
  readonly position: string
  readonly time: string
  readonly user: string
  readonly correlationId: string
  readonly version: number
  readonly data: Readonly<Record<string, unknown>>
}

/** An event of the feed (CloudEvents 1.0). */
export interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly time: string
  readonly position: string
  readonly entityid: string
  readonly entityversion: string
  readonly actor: string
  readonly correlationid: string
  readonly data: Readonly<Record<string, unknown>>
}

export type Permission = 'yes' | 'no' | 'ifOwner'

/** Who I am and what I may do. */
export interface Me {
  /** Of the user that I am, or become with my first write. */
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly user?: Reference
  /** When the session or token ends. */
  readonly until?: string
  /** On some kind at all. */
  readonly may: Readonly<Record<string, Permission>>
  readonly kinds: Readonly<Record<string, Readonly<Record<string, Permission>>>>
}
