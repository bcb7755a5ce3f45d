/** A row of a table, or a document of a collection: what it is found by, and all that it holds, as texts. */
export type StoredRow = readonly [key: string, content: string]

/** What a projection keeps in one table or collection. */
export interface StoredTable {
  readonly projection: string
  readonly table: string
  /** In any order; those of one key are compared together. */
  rows(): Iterable<StoredRow> | AsyncIterable<StoredRow>
  /** Rows that a rebuild lacks are no difference: what no entity has any more is dropped later. */
  readonly mayKeep?: boolean
}

/** All tables of read models, at one moment where the engine can hold one. */
export interface StoredTables {
  readonly tables: readonly StoredTable[]
  /** Ids of entities whose words are yet to be indexed as they are now: they are left out where words are compared. */
  readonly unsettled: readonly string[]
  /** Is it one moment? Else rows of a projection may be newer than its checkpoint says. */
  readonly isMoment: boolean
}
