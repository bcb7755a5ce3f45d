import type { Json, JsonObject } from './types.ts'

/** A column of a contract's `schema`, with the catalog's data types. Members not named here are kept as they are. */
export interface ContractColumn {
  name: string
  dataType: string
  /** The physical type as the document writes it, such as `decimal(10,2)`. */
  dataTypeDisplay?: string
  arrayDataType?: string
  displayName?: string
  description?: string
  /** The strongest of the three truths below. */
  constraint?: string
  required?: boolean
  unique?: boolean
  primaryKey?: boolean
  children?: ContractColumn[]
  [member: string]: unknown
}

/** Service levels: durations as ISO 8601, availability as a number. */
export interface ContractSla {
  refreshFrequency?: unknown
  latency?: unknown
  availability?: unknown
  [member: string]: unknown
}

/** The members of a catalog contract that an ODCS document says something about. All values are plain JSON. */
export interface ContractMembers {
  displayName?: string
  description?: string
  entityStatus?: string
  schema?: ContractColumn[]
  semantics?: Json[]
  sla?: ContractSla
  security?: JsonObject
  termsOfUse?: string
  effectiveFrom?: Json
  effectiveUntil?: Json
  sourceUrl?: string
  extension?: JsonObject
}

/** A quality rule and where it stands. */
export type PlacedRule = {
  /** JSON Pointer of the rule in the v3.1.0 document. */
  path: string
  /** The property it is about, dotted when nested; absent for a rule of the whole object. */
  column?: string
  rule: JsonObject
}

/** Members that ODCS has no place for; they are kept as custom properties of their own name. */
export const CUSTOM_MEMBERS = [
  'semantics',
  'termsOfUse',
  'effectiveFrom',
  'effectiveUntil',
  'sourceUrl',
  'extension',
] as const
