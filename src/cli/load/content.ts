import type { JsonObject } from '../../shared/json.ts'

/** A source cannot be read as what it was said to be. The message says where, and what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** An entity as its source has it. */
export interface SourceEntity {
  readonly fullyQualifiedName: string
  /** Its create request. */
  readonly body: JsonObject
}

/** Entities of one kind. */
export interface SourceStep {
  /** Of the kind, below `/v1/`. */
  readonly path: string
  /** Has the kind a bulk request? */
  readonly bulk: boolean
  readonly entities: readonly SourceEntity[]
}

/** What feeds a table, according to a source. */
export interface SourceLineage {
  readonly fullyQualifiedName: string
  readonly upstream: readonly string[]
  readonly sql?: string | undefined
}

/** All that a source holds. Steps stand in the order of creation: parents before children. */
export interface SourceContent {
  /** `dbt`, `postgres` … */
  readonly source: string
  readonly steps: readonly SourceStep[]
  readonly lineage: readonly SourceLineage[]
  /** Fully qualified names of what was read whole: what it has there and the catalog has besides is gone. */
  readonly scopes: readonly string[]
  /** Events of OpenLineage, in their order. */
  readonly events?: readonly JsonObject[]
}
