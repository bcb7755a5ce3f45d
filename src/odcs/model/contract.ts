import type { Json, JsonObject } from './types.ts'

/** A column of a contract's `schema`, with the catalog's data types. Members not named here are kept as they are. */
export interface ContractColumn {
  name: string
  dataType: string
  /** The physical type in the document, such as `decimal(10,2)`. */
  dataTypeDisplay?: string
  arrayDataType?: string
  displayName?: string
  description?: string
  /** The strongest of the three flags below. */
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

/** The members of a contract that an ODCS document can set. Plain JSON. */
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

/** A quality rule with its place. */
export type QualityRule = {
  /** JSON Pointer of the rule in the v3.1.0 document. */
  path: string
  /** FQN of its property within the object; absent for a rule of the whole object. */
  column?: string
  rule: JsonObject
}

/** Members without a place in ODCS, kept as custom properties of the same name. */
export const CUSTOM_MEMBERS = [
  'semantics',
  'termsOfUse',
  'effectiveFrom',
  'effectiveUntil',
  'sourceUrl',
  'extension',
] as const

/** Members of a contract that members of a v3.1.0 document state. */
export const DOCUMENT_MEMBERS = {
  displayName: 'name',
  description: 'description',
  entityStatus: 'status',
  schema: 'schema',
  sla: 'slaProperties',
  security: 'roles',
  owners: 'team',
  reviewers: 'team',
} as const

export type MappedMember = keyof typeof DOCUMENT_MEMBERS | (typeof CUSTOM_MEMBERS)[number] | 'qualityExpectations'

/** Members of a contract that a document can state. */
export const MAPPED_MEMBERS = [
  ...Object.keys(DOCUMENT_MEMBERS),
  ...CUSTOM_MEMBERS,
  'qualityExpectations',
] as readonly MappedMember[]
