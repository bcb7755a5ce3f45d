export interface Limit {
  readonly value: number
  /** Unit of `value`. */
  readonly unit: string
  /** The bounded thing, as a phrase for a table. */
  readonly of: string
  /** What happens beyond the limit. */
  readonly beyond: string
  /** Environment variable that changes the value. */
  readonly setting?: string
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

const refused = '400, naming what is too much'
const tooLarge = '413'
const waits = 'others wait for their turn, fairly between callers'

const limit = (value: number, unit: string, of: string, beyond: string, setting?: string): Limit => ({
  value,
  unit,
  of,
  beyond,
  ...(setting !== undefined && { setting }),
})

/** All limits on requests; `docs/limits.md` lists them. */
export const limits = {
  headers: limit(64 * kibibyte, 'bytes', 'Request line and headers together', '431'),
  headersTime: limit(10_000, 'milliseconds', 'Time until the headers are there', '408'),
  bodyTime: limit(
    30_000,
    'milliseconds',
    'Time until a body is there, and longer only as long as it comes with 64 KiB a second',
    '408',
  ),
  bodies: limit(
    512 * mebibyte,
    'bytes',
    'Bodies of all requests that are being worked on, of which those of one caller may be a fourth',
    '429: send fewer at a time',
  ),
  requestTime: limit(
    30_000,
    'milliseconds',
    'Time that the work for a request may take; for bulk requests, and for what a deletion or a restore takes along: without coming on',
    '503',
  ),
  unreadTime: limit(
    30_000,
    'milliseconds',
    'Time for which a client may take nothing of an answer',
    'the connection is closed',
  ),
  unreadAnswers: limit(
    256 * mebibyte,
    'bytes',
    'Answers of all clients that have not been taken yet',
    'the connection of the client that takes longest is closed',
  ),
  connections: limit(5000, 'connections', 'Open connections', 'more are closed at once', 'CATALOG_MAX_CONNECTIONS'),
  inWork: limit(
    64,
    'requests',
    'Requests of one caller that are worked on at a time, answers that are not taken yet included; on one connection 1',
    'others wait for their turn',
  ),
  searchesAtOnce: limit(2, 'searches', 'Searches that are done at a time', waits),
  pastAtOnce: limit(
    2,
    'requests',
    'Requests that are worked out from the log at a time: versions, differences, histories, asOf',
    waits,
  ),
  largeAtOnce: limit(2, 'requests', 'Requests with bodies of more than 1 MiB that are worked on at a time', waits),
  listsAtOnce: limit(
    2,
    'lists',
    'Lists of more than 100 entities that are put together at a time, and as many pages of more than 100 events',
    waits,
  ),
  documentsAtOnce: limit(
    2,
    'documents',
    'ODCS documents that are read, and contracts whose rules are evaluated, at a time, each in a thread of its own',
    waits,
  ),
  schemasAtOnce: limit(
    1,
    'texts',
    'Schema texts of more than 8 KiB that are read at a time, in a thread of their own',
    waits,
  ),
  schemaTime: limit(
    5000,
    'milliseconds',
    'Time that reading such a schema text may take',
    '400: with the `schemaType` `Other` the text is kept without its fields',
  ),
  waitingOfOne: limit(128, 'requests', 'Requests of one caller that wait for their turn', '429: wait for the answers'),
  pageText: limit(
    4 * mebibyte,
    'characters',
    'Texts of one page of a list, of a search, of versions, of a history or of the feed',
    'the page ends before its limit, and the cursor goes on; of a search, `from` behind its last hit',
  ),
  waiting: limit(1024, 'requests', 'Requests of all callers that wait for their turn', '429: try again'),
  accept: limit(4 * kibibyte, 'bytes', 'The `Accept` header', '400: name the few media types that are read'),
  document: limit(5 * mebibyte, 'bytes', 'An ODCS document, inflated', tooLarge),
  webhookBody: limit(64 * kibibyte, 'bytes', 'Body of a request about a webhook', tooLarge),
  depth: limit(100, 'levels', 'Nesting of arrays and objects in a body', '400'),
  body: limit(
    mebibyte,
    'bytes',
    'The body of a request, one item of a bulk request, and one row of a spreadsheet',
    '413; an item fails alone; for a row 400',
  ),
  bulkBody: limit(32 * mebibyte, 'bytes', 'The body of a bulk request', tooLarge),
  bulkItems: limit(10_000, 'items', 'Items of a bulk request', refused),
  bulkProblems: limit(
    10_000,
    'problems',
    'Problems that the answer to one bulk request names',
    'of each further item that fails one is named',
  ),
  bulkMessages: limit(
    8 * mebibyte,
    'characters',
    'Messages in the answer to one bulk request',
    'of each further message the first 200 are told',
  ),
  entity: limit(
    8 * mebibyte,
    'characters',
    'An entity as JSON, with everything that the catalog adds',
    '413; an item of a bulk request fails alone',
  ),
  shownByOthers: limit(
    1024,
    'characters',
    'The display name and the description of an entity, and its style, as references and tag labels show them',
    'a text is cut, a style is left out there; the entity itself shows all of it',
  ),
  list: limit(10_000, 'items', 'Items of any list, and members of any object, in a body', refused),
  values: limit(100_000, 'values', 'Texts, numbers, lists and objects in the body of one entity', refused),
  columns: limit(10_000, 'columns', 'Columns or fields of one entity, nested ones too', refused),
  levels: limit(
    100,
    'levels',
    'Names in the fully qualified name of a new entity: itself, and what it stands below',
    '400',
  ),
  lineageEdges: limit(1000, 'edges', 'Upstreams of an asset that one source states', refused),
  lineageDepth: limit(10, 'steps', 'Steps up or down that one question about lineage goes', refused),
  lineageNodes: limit(
    1000,
    'assets',
    'Assets on a page of a lineage, and as many times ten on all of its pages',
    'the answer says that there is more',
  ),
  references: limit(
    1000,
    'entities',
    'Other entities that one entity or one request refers to, each counted once',
    refused,
  ),
  secrets: limit(1000, 'values', 'Values of the settings of one connection that are kept sealed', refused),
  problems: limit(100, 'problems', 'Problems that one answer names', 'the rest is counted'),
  problemText: limit(2048, 'characters', 'The message of a problem, and the path to what it is about', 'they are cut'),
  schemaFields: limit(
    10_000,
    'fields',
    'Fields that are read out of one schema text',
    'what nests deeper is left out; 400 where even the first level has more',
  ),
  schemaSteps: limit(
    50_000,
    'steps',
    'Steps of reading one schema text, each a type that is used or a member that is merged',
    'what nests deeper is left out; 400 where that is not enough',
  ),
  schemaFieldsText: limit(
    2 * mebibyte,
    'characters',
    'Names and descriptions of the fields that are read out of one schema text',
    'what nests deeper is left out; 400 where that is not enough',
  ),
  schemaWord: limit(
    1024,
    'characters',
    'The full name of a type in an Avro schema, and what is shown of any type',
    '400 for a name; what is shown is cut',
  ),
  patchOperations: limit(10_000, 'operations', 'Operations of one JSON Patch', refused),
  patchCopies: limit(4 * mebibyte, 'characters', 'What the copy operations of one JSON Patch make', tooLarge),
  patchShifts: limit(
    50_000_000,
    'items',
    'Items of lists that one JSON Patch moves aside by adding before them or removing them',
    tooLarge,
  ),
  treeDepth: limit(32, 'levels', 'Nesting of columns and schema fields', refused),
} as const
