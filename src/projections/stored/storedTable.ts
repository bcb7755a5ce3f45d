/** A row of a table or a document of a collection, as texts. */
export type StoredRow = readonly [key: string, content: string]

/** A table or collection of a projection. */
export interface StoredTable {
  readonly projection: string
  readonly table: string
  /** In any order; rows of one key are compared together. */
  rows(): Iterable<StoredRow> | AsyncIterable<StoredRow>
  /** Whether extra rows are no difference, since orphaned rows are dropped later. */
  readonly mayKeep?: boolean
}

/** All tables of the read models, as one snapshot if the engine has them. */
export interface StoredTables {
  readonly tables: readonly StoredTable[]
  /** Ids of entities that are not indexed yet: the comparison of words skips them. */
  readonly unsettled: readonly string[]
  /** Whether it is one snapshot between batches. Otherwise rows may be newer than the checkpoint of their projection. */
  readonly isMoment: boolean
}
