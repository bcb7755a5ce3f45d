import type { JsonObject } from '../../shared/json.ts'

/** A source cannot be read as what it was said to be. The message says where, and what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** What could not be loaded, and why. */
export interface LoadFailure {
  readonly fullyQualifiedName: string
  readonly message: string
}

/** An entity as its source has it. */
export interface SourceEntity {
  readonly fullyQualifiedName: string
  /** Its create request, or what stands for one at the path. */
  readonly body: JsonObject
  /** Where it is put, when that is not the path of its kind. */
  readonly path?: string
}

/** Entities of one kind. */
export interface SourceStep {
  /** Of the kind, below `/v1/`. */
  readonly path: string
  /** Has the kind a bulk request? */
  readonly bulk: boolean
  readonly entities: readonly SourceEntity[]
  /** Filter of the list that has all of them that stand already. */
  readonly scope?: Readonly<Record<string, string>>
}

/** That one table feeds another. */
export interface SourceEdge {
  readonly from: string
  readonly sql?: string
  readonly columns?: readonly { readonly from: string[]; readonly to: string }[]
}

/** What feeds a table, according to a source. */
export interface SourceLineage {
  readonly fullyQualifiedName: string
  /** Nothing: what the source said before ends. */
  readonly edges: readonly SourceEdge[]
}

/** How a run of a test went. */
export interface SourceResult {
  readonly testCase: string
  readonly status: 'Success' | 'Failed' | 'Aborted'
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly message?: string
}

/** What a contract in a document promises, and where it says that this is. */
export interface SourceContract {
  readonly file: string
  readonly document: JsonObject
  /** Name of the schema object in the document. */
  readonly object: string
  /** Last parts of the fully qualified name of the asset. */
  readonly name: string
  /** For each server the database and the schema that it names. */
  readonly places: readonly (readonly string[])[]
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
  readonly results?: readonly SourceResult[]
  readonly contracts?: readonly SourceContract[]
  /** Where assets of contracts are looked for; `undefined`: everywhere. */
  readonly service?: string | undefined
  /** What could not be read, or belongs nowhere, and why. */
  readonly problems?: readonly LoadFailure[]
  /** What is loaded with less than it could tell, and why. */
  readonly notes?: readonly LoadFailure[]
}
