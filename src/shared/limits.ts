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

const refused = '400, which names the part that is too large'
const tooLarge = '413'
const waits = 'further ones wait; callers take turns'

const limit = (value: number, unit: string, of: string, beyond: string, setting?: string): Limit => ({
  value,
  unit,
  of,
  beyond,
  ...(setting !== undefined && { setting }),
})

/** The limits on what callers send and ask for; `docs/limits.md` lists them. */
export const limits = {
  headers: limit(64 * kibibyte, 'bytes', 'Request line and headers together', '431'),
  headersTime: limit(10_000, 'milliseconds', 'Time to receive the headers', '408'),
  bodyTime: limit(
    30_000,
    'milliseconds',
    'Time to receive a body; longer if it arrives at 64 KiB a second or more',
    '408',
  ),
  restTime: limit(
    30_000,
    'milliseconds',
    'Time to receive the rest of a body after the response to its request',
    'the connection is closed',
  ),
  bodies: limit(
    512 * mebibyte,
    'bytes',
    'Bodies of all requests in progress; a quarter of it for a single caller',
    '429: send fewer requests at a time',
  ),
  requestTime: limit(
    30_000,
    'milliseconds',
    'Time to process a request; for bulk requests, recursive deletes and restores: time without progress',
    '503',
  ),
  unreadTime: limit(
    30_000,
    'milliseconds',
    'Time during which a client reads nothing of a response',
    'the connection is closed',
  ),
  /** Longer than in proxies (60 s), which would send a request while the connection is closed. */
  idleTime: limit(75_000, 'milliseconds', 'Time between two requests of a connection', 'the connection is closed'),
  unreadAnswers: limit(
    256 * mebibyte,
    'bytes',
    'Responses that clients have not read yet, of all clients together',
    'the connection of the slowest client is closed',
  ),
  connections: limit(
    5000,
    'connections',
    'Open connections',
    '503 on sixteen further ones, where `/livez`, `/readyz` and `/metrics` are still answered; all others are closed immediately',
    'CATALOG_MAX_CONNECTIONS',
  ),
  requestsPerCaller: limit(
    64,
    'requests',
    'Concurrent requests of one caller, including responses that are not read yet; 1 per connection',
    'further ones wait',
  ),
  idlePerCaller: limit(64, 'requests', 'Event streams and long polls of one caller', '429: end some of them'),
  searchesAtOnce: limit(2, 'searches', 'Concurrent searches', waits),
  pastAtOnce: limit(
    2,
    'requests',
    'Concurrent requests that are answered from the log: versions, differences, histories, asOf',
    waits,
  ),
  largeAtOnce: limit(2, 'requests', 'Concurrent requests with bodies of more than 1 MiB', waits),
  listsAtOnce: limit(
    2,
    'parts',
    'Concurrent parts of lists of more than 100 entities and of CSV exports; the same number of concurrent pages of ' +
      'more than 100 events',
    waits,
  ),
  documentsAtOnce: limit(
    2,
    'documents',
    'ODCS documents that are parsed, and contracts whose rules are evaluated, concurrently, each in a thread of its own; 1 of a single caller',
    waits,
  ),
  schemasAtOnce: limit(
    1,
    'texts',
    'Schemas of 8 KiB or more that are parsed concurrently, in a separate thread',
    waits,
  ),
  schemaTime: limit(
    5000,
    'milliseconds',
    'Time to parse such a schema',
    '400: with the `schemaType` `Other` the schema is stored without its fields',
  ),
  queuedPerCaller: limit(128, 'requests', 'Waiting requests of one caller', '429: wait for the responses'),
  pageText: limit(
    4 * mebibyte,
    'characters',
    'Text on one page of a list, search, history or feed, or of versions',
    'the page ends early, but not before its first item; continue with its cursor, or for a search with `from` after its last hit',
  ),
  waiting: limit(1024, 'requests', 'Waiting requests of all callers', '429: try again'),
  accept: limit(4 * kibibyte, 'bytes', 'The `Accept` header', '400: name only the media types that you can read'),
  document: limit(5 * mebibyte, 'bytes', 'An ODCS document, uncompressed', tooLarge),
  documentDepth: limit(128, 'levels', 'Nesting of lists and mappings in an ODCS document', '400'),
  documentTokens: limit(
    2_000_000,
    'tokens',
    'Tokens of an ODCS document in YAML: names, values, marks and blanks',
    '400',
  ),
  names: limit(100, 'names', 'Distinct names in a parameter that takes several', refused),
  webhookBody: limit(64 * kibibyte, 'bytes', 'Body of a request about a webhook', tooLarge),
  depth: limit(100, 'levels', 'Nesting of arrays and objects in any other body', '400'),
  body: limit(
    mebibyte,
    'bytes',
    'The body of a request, an item of a bulk request, or a row of a spreadsheet',
    '413; only the item fails in a bulk request; 400 for a row',
  ),
  bulkBody: limit(32 * mebibyte, 'bytes', 'The body of a bulk request', tooLarge),
  bulkItems: limit(10_000, 'items', 'Items of a bulk request; of one about lineage, see below', refused),
  revertedEvents: limit(100_000, 'events', 'A request that is undone, such as a load', '400: nothing is undone'),
  revertsAtOnce: limit(1, 'requests', 'Concurrent requests that undo another one', waits),
  bulkProblems: limit(
    10_000,
    'problems',
    'Problems listed in the response to a bulk request',
    'only one is listed for each further item that fails',
  ),
  bulkMessages: limit(
    8 * mebibyte,
    'characters',
    'Messages in the response to a bulk request',
    'further messages are cut to 200 characters',
  ),
  entity: limit(
    8 * mebibyte,
    'characters',
    'An entity as JSON, including what the catalog adds',
    '413; only the item fails in a bulk request',
  ),
  shownByOthers: limit(
    1024,
    'characters',
    'Display name, description and style of an entity where references and tag labels show them',
    'texts are cut and a style is left out there; the entity itself shows everything',
  ),
  list: limit(10_000, 'items', 'Items of a list, or members of an object, in a body', refused),
  values: limit(100_000, 'values', 'Strings, numbers, lists and objects in the body of an entity', refused),
  columns: limit(10_000, 'columns', 'Columns or fields of an entity, including nested ones', refused),
  levels: limit(100, 'levels', 'Names in the fully qualified name of a new entity', '400'),
  lineageEdges: limit(1000, 'edges', 'Upstream edges of an asset from one source', refused),
  lineageDepth: limit(10, 'steps', 'Depth of a lineage request, upstream or downstream', refused),
  lineageNodes: limit(
    1000,
    'assets',
    'Assets on a page of lineage; ten times as many on all of its pages',
    'the response says that there are more; a filter or a table of more is 400',
  ),
  references: limit(1000, 'entities', 'Distinct entities that an entity or a request refers to', refused),
  secrets: limit(1000, 'values', 'Encrypted values in the settings of a connection', refused),
  problems: limit(100, 'problems', 'Problems listed in a response', 'the rest are only counted'),
  problemText: limit(2048, 'characters', 'The message and the path of a problem', 'they are cut'),
  schemaFields: limit(
    10_000,
    'fields',
    'Fields parsed from a schema',
    'deeper levels are left out; 400 if even the first level has more',
  ),
  schemaSteps: limit(
    50_000,
    'steps',
    'Steps to parse a schema; each use of a type and each merged member is one',
    'deeper levels are left out; 400 if that is not enough',
  ),
  schemaFieldsText: limit(
    2 * mebibyte,
    'characters',
    'Names and descriptions of the fields parsed from a schema',
    'deeper levels are left out; 400 if that is not enough',
  ),
  schemaWord: limit(
    1024,
    'characters',
    'The full name of a type in an Avro schema, and the displayed text of any type',
    '400 for a name; displayed text is cut',
  ),
  patchOperations: limit(10_000, 'operations', 'Operations of a JSON Patch', refused),
  patchCopies: limit(4 * mebibyte, 'characters', 'Text created by the copy operations of a JSON Patch', tooLarge),
  patchShifts: limit(
    50_000_000,
    'items',
    'List items that a JSON Patch shifts by inserting or removing others',
    tooLarge,
  ),
  queryText: limit(1000, 'characters', 'Text of a search (`q`)', '400'),
  queryDepth: limit(20, 'levels', 'Nesting of parentheses in a search', '400'),
  queryTexts: limit(50, 'texts', 'Words and phrases of a search', '400'),
  queryWords: limit(100, 'words', 'Words of a search, including those of its phrases', '400'),
  searchedText: limit(
    1_000_000,
    'characters',
    'Text of an entity that is searched: of its description, and of the names of its columns or fields',
    'the rest is not found',
  ),
  searchSkip: limit(10_000, 'hits', 'Hits of a search that are skipped (`from`)', '400: narrow the search'),
  suggestText: limit(256, 'characters', 'Text for which names are suggested', 'the rest is ignored'),
  token: limit(16 * kibibyte, 'bytes', 'A bearer token', '401'),
  tokenDays: limit(3650, 'days', 'Validity of a new token', '400'),
  cookie: limit(4 * kibibyte, 'bytes', 'The cookie of a session, which has the roles', '400: use fewer roles'),
  entityTags: limit(100, 'tags', 'Entity tags in `If-Match` or `If-None-Match`', '400'),
  lineageStatements: limit(1000, 'items', 'Items of a bulk request about lineage', refused),
  ruleParts: limit(200, 'parts', 'Operators and values of a rule of a contract', '400'),
  webhooks: limit(500, 'webhooks', 'Webhooks', '400'),
  deliveries: limit(2000, 'channels', 'Notification channels of all users together', '400'),
  deadLetters: limit(10_000, 'events', 'Dead letters that are kept of a webhook', 'the oldest are dropped'),
  treeDepth: limit(32, 'levels', 'Nesting of columns and schema fields', refused),
} as const
