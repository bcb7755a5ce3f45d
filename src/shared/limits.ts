import { totalmem } from 'node:os'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

const limit = (value: number): { readonly value: number } => ({ value })

/** The limits on what callers send and ask for, explained in `docs/limits.md`; times are in milliseconds. */
export const limits = {
  headers: limit(64 * kibibyte),
  headersTime: limit(10_000),
  bodyTime: limit(30_000),
  restTime: limit(30_000),
  bodies: limit(512 * mebibyte),
  requestTime: limit(30_000),
  unreadTime: limit(30_000),
  /** Longer than in proxies (60 s), which would send a request while the connection is closed. */
  idleTime: limit(75_000),
  unreadAnswers: limit(256 * mebibyte),
  connections: limit(5000),
  requestsPerCaller: limit(64),
  idlePerCaller: limit(64),
  searchesAtOnce: limit(2),
  pastAtOnce: limit(2),
  largeAtOnce: limit(2),
  listsAtOnce: limit(2),
  documentsAtOnce: limit(2),
  schemasAtOnce: limit(1),
  schemaTime: limit(5000),
  queuedPerCaller: limit(128),
  pageText: limit(4 * mebibyte),
  waiting: limit(1024),
  accept: limit(4 * kibibyte),
  document: limit(5 * mebibyte),
  documentDepth: limit(128),
  documentTokens: limit(2_000_000),
  names: limit(100),
  webhookBody: limit(64 * kibibyte),
  depth: limit(100),
  body: limit(mebibyte),
  bulkBody: limit(32 * mebibyte),
  bulkItems: limit(10_000),
  revertedEvents: limit(100_000),
  revertsAtOnce: limit(1),
  bulkProblems: limit(10_000),
  bulkMessages: limit(8 * mebibyte),
  entity: limit(8 * mebibyte),
  shownByOthers: limit(1024),
  list: limit(10_000),
  values: limit(100_000),
  columns: limit(10_000),
  name: limit(256),
  fqn: limit(3072),
  levels: limit(100),
  lineageEdges: limit(1000),
  runEdges: limit(100_000),
  lineageDepth: limit(10),
  lineageNodes: limit(1000),
  references: limit(1000),
  secrets: limit(1000),
  problems: limit(100),
  problemText: limit(2048),
  schemaFields: limit(10_000),
  schemaSteps: limit(50_000),
  schemaFieldsText: limit(2 * mebibyte),
  schemaWord: limit(1024),
  patchOperations: limit(10_000),
  patchCopies: limit(4 * mebibyte),
  patchShifts: limit(50_000_000),
  queryText: limit(1000),
  queryDepth: limit(20),
  queryTexts: limit(50),
  queryWords: limit(100),
  searchedText: limit(1_000_000),
  searchSkip: limit(10_000),
  suggestText: limit(256),
  token: limit(16 * kibibyte),
  tokenDays: limit(3650),
  cookie: limit(4 * kibibyte),
  entityTags: limit(100),
  lineageStatements: limit(1000),
  ruleParts: limit(200),
  webhooks: limit(500),
  deliveries: limit(2000),
  deadLetters: limit(10_000),
  treeDepth: limit(32),
}

/** Bytes that the machine or container has. */
export const allMemory = Math.min(process.constrainedMemory() || Infinity, totalmem())

/** A limit in bytes, less in proportion where there is less than 4 GiB in all. */
export const inProportion = ({ value }: { readonly value: number }, all = allMemory): number =>
  Math.floor(value * Math.min(1, all / 2 ** 32))
