export interface Limit {
  readonly value: number
  /** What `value` counts. */
  readonly unit: string
  /** What is bounded: a phrase that stands alone in a table. */
  readonly of: string
  /** What becomes of more than that. */
  readonly beyond: string
  /** Environment variable that sets another value. */
  readonly setting?: string
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

const refused = '400, naming what is too much'
const tooLarge = '413'

/** Every bound on what callers send or ask; `docs/limits.md` shows them. */
export const limits = {
  headers: {
    value: 64 * kibibyte,
    unit: 'bytes',
    of: 'Request line and headers together',
    beyond: '431',
  },
  headersTime: {
    value: 10_000,
    unit: 'milliseconds',
    of: 'Time until the headers are there',
    beyond: '408',
  },
  bodyTime: {
    value: 30_000,
    unit: 'milliseconds',
    of: 'Time until a body is there, and longer only as long as it comes with 64 KiB a second',
    beyond: '408',
  },
  bodies: {
    value: 512 * mebibyte,
    unit: 'bytes',
    of: 'Bodies of all requests that are being worked on, of which those of one caller may be a fourth',
    beyond: '429: send fewer at a time',
  },
  requestTime: {
    value: 30_000,
    unit: 'milliseconds',
    of:
      'Time that the work for a request may take; for bulk requests, and for what a deletion or a restore takes ' +
      'along: without coming on',
    beyond: '503',
  },
  unreadTime: {
    value: 30_000,
    unit: 'milliseconds',
    of: 'Time for which a client may take nothing of an answer',
    beyond: 'the connection is closed',
  },
  unreadAnswers: {
    value: 256 * mebibyte,
    unit: 'bytes',
    of: 'Answers of all clients that have not been taken yet',
    beyond: 'the connection of the client that takes longest is closed',
  },
  connections: {
    value: 5000,
    unit: 'connections',
    of: 'Open connections',
    beyond: 'more are closed at once',
    setting: 'CATALOG_MAX_CONNECTIONS',
  },
  inWork: {
    value: 64,
    unit: 'requests',
    of: 'Requests of one caller that are worked on at a time, answers that are not taken yet included; on one connection 1',
    beyond: 'others wait for their turn',
  },
  searchesAtOnce: {
    value: 2,
    unit: 'searches',
    of: 'Searches that are done at a time',
    beyond: 'others wait for their turn, fairly between callers',
  },
  pastAtOnce: {
    value: 2,
    unit: 'requests',
    of: 'Requests that are worked out from the log at a time: versions, differences, histories, asOf',
    beyond: 'others wait for their turn, fairly between callers',
  },
  largeAtOnce: {
    value: 2,
    unit: 'requests',
    of: 'Requests with bodies of more than 1 MiB that are worked on at a time',
    beyond: 'others wait for their turn, fairly between callers',
  },
  documentsAtOnce: {
    value: 1,
    unit: 'documents',
    of: 'Large ODCS documents that are read at a time, in a thread of their own',
    beyond: 'others wait for their turn, fairly between callers',
  },
  smallDocumentsAtOnce: {
    value: 1,
    unit: 'documents',
    of: 'Other ODCS documents that are read, and contracts whose rules are evaluated, at a time, in a thread of their own',
    beyond: 'others wait for their turn, fairly between callers',
  },
  schemasAtOnce: {
    value: 1,
    unit: 'texts',
    of: 'Schema texts of more than 8 KiB that are read at a time, in a thread of their own',
    beyond: 'others wait for their turn, fairly between callers',
  },
  schemaTime: {
    value: 5000,
    unit: 'milliseconds',
    of: 'Time that reading such a schema text may take',
    beyond: '400: with the `schemaType` `Other` the text is kept without its fields',
  },
  waitingOfOne: {
    value: 128,
    unit: 'requests',
    of: 'Requests of one caller that wait for their turn',
    beyond: '429: wait for the answers',
  },
  pageText: {
    value: 4 * mebibyte,
    unit: 'characters',
    of: 'Texts of one page of a list, of a search, of versions, of a history or of the feed',
    beyond: 'the page ends before its limit, and the cursor goes on; of a search, `from` behind its last hit',
  },
  waiting: {
    value: 1024,
    unit: 'requests',
    of: 'Requests of all callers that wait for their turn',
    beyond: '429: try again',
  },
  accept: {
    value: 4 * kibibyte,
    unit: 'bytes',
    of: 'The `Accept` header',
    beyond: '400: name the few media types that are read',
  },
  document: {
    value: 5 * mebibyte,
    unit: 'bytes',
    of: 'An ODCS document, inflated',
    beyond: '413',
  },
  webhookBody: {
    value: 64 * kibibyte,
    unit: 'bytes',
    of: 'Body of a request about a webhook',
    beyond: '413',
  },
  depth: {
    value: 100,
    unit: 'levels',
    of: 'Nesting of arrays and objects in a body',
    beyond: '400',
  },
  body: {
    value: mebibyte,
    unit: 'bytes',
    of: 'The body of a request, and one item of a bulk request',
    beyond: '413; an item fails alone',
  },
  bulkBody: {
    value: 32 * mebibyte,
    unit: 'bytes',
    of: 'The body of a bulk request',
    beyond: tooLarge,
  },
  bulkItems: {
    value: 10_000,
    unit: 'items',
    of: 'Items of a bulk request',
    beyond: refused,
  },
  bulkProblems: {
    value: 10_000,
    unit: 'problems',
    of: 'Problems that the answer to one bulk request names',
    beyond: 'of each further item that fails one is named',
  },
  bulkMessages: {
    value: 8 * mebibyte,
    unit: 'characters',
    of: 'Messages in the answer to one bulk request',
    beyond: 'of each further message the first 200 are told',
  },
  entity: {
    value: 8 * mebibyte,
    unit: 'characters',
    of: 'An entity as JSON, with everything that the catalog adds',
    beyond: '413; an item of a bulk request fails alone',
  },
  shownByOthers: {
    value: 1024,
    unit: 'characters',
    of: 'The display name and the description of an entity, and its style, as references and tag labels show them',
    beyond: 'a text is cut, a style is left out there; the entity itself shows all of it',
  },
  list: {
    value: 10_000,
    unit: 'items',
    of: 'Items of any list, and members of any object, in a body',
    beyond: refused,
  },
  values: {
    value: 100_000,
    unit: 'values',
    of: 'Texts, numbers, lists and objects in the body of one entity',
    beyond: refused,
  },
  columns: {
    value: 10_000,
    unit: 'columns',
    of: 'Columns or fields of one entity, nested ones too',
    beyond: refused,
  },
  levels: {
    value: 100,
    unit: 'levels',
    of: 'Names in the fully qualified name of a new entity: itself, and what it stands below',
    beyond: '400',
  },
  lineageEdges: {
    value: 1000,
    unit: 'edges',
    of: 'Upstreams of an asset that one source states',
    beyond: refused,
  },
  lineageDepth: {
    value: 10,
    unit: 'steps',
    of: 'Steps up or down that one question about lineage goes',
    beyond: refused,
  },
  lineageNodes: {
    value: 1000,
    unit: 'assets',
    of: 'Assets on a page of a lineage, and as many times ten on all of its pages',
    beyond: 'the answer says that there is more',
  },
  references: {
    value: 1000,
    unit: 'entities',
    of: 'Other entities that one entity or one request refers to, each counted once',
    beyond: refused,
  },
  secrets: {
    value: 1000,
    unit: 'values',
    of: 'Values of the settings of one connection that are kept sealed',
    beyond: refused,
  },
  problems: {
    value: 100,
    unit: 'problems',
    of: 'Problems that one answer names',
    beyond: 'the rest is counted',
  },
  problemText: {
    value: 2048,
    unit: 'characters',
    of: 'The message of a problem, and the path to what it is about',
    beyond: 'they are cut',
  },
  schemaFields: {
    value: 10_000,
    unit: 'fields',
    of: 'Fields that are read out of one schema text',
    beyond: 'what nests deeper is left out; 400 where even the first level has more',
  },
  schemaSteps: {
    value: 50_000,
    unit: 'steps',
    of: 'Steps of reading one schema text, each a type that is used or a member that is merged',
    beyond: 'what nests deeper is left out; 400 where that is not enough',
  },
  schemaFieldsText: {
    value: 2 * mebibyte,
    unit: 'characters',
    of: 'Names and descriptions of the fields that are read out of one schema text',
    beyond: 'what nests deeper is left out; 400 where that is not enough',
  },
  schemaWord: {
    value: 1024,
    unit: 'characters',
    of: 'The full name of a type in an Avro schema, and what is shown of any type',
    beyond: '400 for a name; what is shown is cut',
  },
  patchOperations: {
    value: 10_000,
    unit: 'operations',
    of: 'Operations of one JSON Patch',
    beyond: refused,
  },
  patchCopies: {
    value: 4 * mebibyte,
    unit: 'characters',
    of: 'What the copy operations of one JSON Patch make',
    beyond: tooLarge,
  },
  patchShifts: {
    value: 50_000_000,
    unit: 'items',
    of: 'Items of lists that one JSON Patch moves aside by adding before them or removing them',
    beyond: tooLarge,
  },
  treeDepth: {
    value: 32,
    unit: 'levels',
    of: 'Nesting of columns and schema fields',
    beyond: refused,
  },
} as const satisfies Record<string, Limit>
