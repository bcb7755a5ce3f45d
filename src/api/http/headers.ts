import type { JsonObject } from '../../shared/json.ts'
import type { ProblemCode } from './problemDetails.ts'
import type { Route } from './route.ts'

export const answerHeaders: Readonly<Record<string, string>> = {
  'X-Request-ID':
    'Identity of the call, given by the service: `correlationId` of its log lines and `correlationid` of its events. ' +
    'Events of a call with `Catalog-Request` have the id of the request that it joins, and its log lines name this as ' +
    '`jointRequest`',
  'X-Correlation-ID': 'That of the request; where it has none, the same as `X-Request-ID`',
  ETag:
    'Revision of the entity and a hash of what is sent, `"<revision>-<hash>"`, of compressed answers with the encoding ' +
    '(`-gzip`), for If-Match and If-None-Match',
  'Catalog-Position': 'Log position: a read that sends it sees at least what this answer shows',
  Location: 'URL of the new entity, or of the operation that goes on',
  'Preference-Applied': 'What was done of what Prefer asked for (RFC 7240)',
  'Content-Disposition': 'The name of the file that the answer is',
  'Set-Cookie': 'The session of a browser',
  'WWW-Authenticate': 'How to authenticate',
  Accept: 'Media types that are accepted here',
  'Accept-Patch': 'Media types of patches',
  'Accept-Encoding': 'Content encodings that are accepted',
  'Retry-After': 'Seconds after which to try again',
}

const ofProblems: Partial<Record<ProblemCode, readonly string[]>> = {
  UNAUTHORIZED: ['WWW-Authenticate'],
  UNSUPPORTED_MEDIA_TYPE: ['Accept', 'Accept-Patch', 'Accept-Encoding'],
  TOO_MANY_REQUESTS: ['Retry-After'],
  UNAVAILABLE: ['Retry-After'],
}

const requestHeaders: Readonly<Record<string, string>> = {
  'X-Correlation-ID':
    'Your own id for a group of requests: up to 128 letters, digits and `_.:@/+=-` (any other is ignored). The answer ' +
    'has it too, and events as `clientcorrelationid`',
  'Catalog-Position': 'A `Catalog-Position` from an earlier answer: this read waits until it shows that position',
  'Catalog-Request': 'Token of a request that `POST /v1/requests` opened: what this call writes belongs to it',
}

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } })

/** The headers as OpenAPI components. */
export const headerComponents = (): { headers: JsonObject; parameters: JsonObject } => ({
  headers: Object.fromEntries(Object.entries(answerHeaders).map(([name, says]) => [name, text(says)])),
  parameters: Object.fromEntries(
    Object.entries(requestHeaders).map(([name, says]) => [
      name,
      { name, in: 'header', required: false, ...text(says) },
    ]),
  ),
})

/** References to the headers of one answer, including those of every answer. */
export const headerReferences = (names: readonly string[] = []): JsonObject =>
  Object.fromEntries(
    ['X-Request-ID', 'X-Correlation-ID', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

/** {@link headerReferences} of an error answer. */
export const headersOfProblem = (code: ProblemCode): JsonObject => headerReferences(ofProblems[code])

/** References to headers that any request may have. */
export const headerParameters = ({ permission, method, waitsForPosition }: Route): JsonObject[] => {
  if (permission === 'open') return []
  const names = ['X-Correlation-ID', waitsForPosition && 'Catalog-Position', method !== 'get' && 'Catalog-Request']
  return names.filter(Boolean).map((name) => ({ $ref: `#/components/parameters/${name}` }))
}
