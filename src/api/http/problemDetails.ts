import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Problem } from '../../kinds/defineKind.ts'
import { shorten } from '../../shared/bounds.ts'
import { limits } from '../../shared/limits.ts'
import { DomainError, ForgetPending, LogAhead, type DomainErrorCode } from '../../commands/errors.ts'
import { UnsupportedSchemaVersion } from '../../events/codec.ts'
import { DamagedLog, StoreFailed } from '../../events/eventStore.ts'
import { OtherLog } from '../../events/events.ts'
import { DocumentLimitError } from '../../odcs/odcsThreads.ts'
import { CheckpointError } from '../../projections/tree/signHead.ts'
import { Throttled } from '../../shared/workQueue.ts'
import { ProjectionBehind, DamagedReadModels } from '../../projections/errors.ts'

export const problemCodes = {
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  UNAUTHORIZED: { status: 401, title: 'Unauthorized' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'Not acceptable' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  ENTITY_ALREADY_EXISTS: { status: 409, title: 'Entity already exists' },
  CONFLICT: { status: 409, title: 'Conflict' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  EXPECTATION_FAILED: { status: 417, title: 'Expectation failed' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request header fields too large' },
  INTERNAL: { status: 500, title: 'Internal error' },
  LOG_NOT_SIGNED: { status: 503, title: 'Log not signed' },
  UNAVAILABLE: { status: 503, title: 'Service unavailable' },
} as const

export type ProblemCode = keyof typeof problemCodes

/** An error about HTTP itself: authentication, permission, media types, sizes, paths. */
export class HttpError extends Error {
  override readonly name: string = 'HttpError'
  readonly code: ProblemCode
  /** Headers of the answer, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>
  constructor(code: ProblemCode, message: string, more: Partial<Pick<HttpError, 'headers' | 'cause'>> = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.headers = more.headers ?? {}
  }
}

const domainCodes: Record<DomainErrorCode, ProblemCode> = {
  invalid: 'BAD_REQUEST',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  already_exists: 'ENTITY_ALREADY_EXISTS',
  conflict: 'CONFLICT',
  busy: 'UNAVAILABLE',
  precondition_failed: 'PRECONDITION_FAILED',
  too_large: 'PAYLOAD_TOO_LARGE',
}

/** `Retry-After` in seconds when a store is unavailable. */
const retryAfter = '5'

/** What passes, and says so itself. */
const temporary = [UnsupportedSchemaVersion, DocumentLimitError, ProjectionBehind, LogAhead, ForgetPending]

/** What to say of errors that are not about HTTP. */
const asHttpError = (error: unknown): HttpError => {
  if (error instanceof HttpError) return error
  if (error instanceof DomainError) return new HttpError(domainCodes[error.code], error.message)
  if (error instanceof Throttled)
    return new HttpError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': String(error.retryAfter) } })
  if (error instanceof StoreFailed)
    return new HttpError(
      'UNAVAILABLE',
      'The catalog cannot reach its store at the moment; the same request may work later.',
    )
  if (error instanceof OtherLog || error instanceof DamagedReadModels)
    return new HttpError('UNAVAILABLE', 'The catalog builds what it shows again from its log; try again in a while.')
  if (error instanceof CheckpointError) return new HttpError('LOG_NOT_SIGNED', error.message)
  if (error instanceof DamagedLog)
    return new HttpError(
      'INTERNAL',
      `${error.message} The log of the catalog is damaged there: those who run it should restore a backup.`,
    )
  if (error instanceof Error && temporary.some((each) => error instanceof each))
    return new HttpError('UNAVAILABLE', error.message)
  return new HttpError('INTERNAL', 'Something went wrong inside the catalog. Its log names this instance.')
}

/**
 * The answer for an error: its headers, and its body (RFC 9457), whose `instance` the log names too. An unknown error is a
 * 500 without details, which go to the log.
 */
export const problemOf = (thrown: unknown) => {
  const error = asHttpError(thrown)
  const { status, title } = problemCodes[error.code]
  const message = bounded(error.message)
  const headers =
    status === 503 && error.headers['Retry-After'] === undefined
      ? { ...error.headers, 'Retry-After': retryAfter }
      : error.headers
  return {
    problem: {
      type: `urn:problem-type:catalog:${error.code.toLowerCase().replaceAll('_', '-')}`,
      title,
      status,
      code: error.code,
      message,
      detail: message,
      instance: `urn:uuid:${randomUUID()}`,
      errors: thrown instanceof DomainError ? namedProblems(thrown) : [],
    },
    headers,
  }
}

/** The problems, and the number of further ones. */
const namedProblems = ({ problems, unlisted }: DomainError): readonly Problem[] => {
  const long = new Map<string, string>()
  const named = problems.map((problem) => {
    const message = long.get(problem.message) ?? problem.message
    if (message.length > sayOnce) long.set(message, `as for ${problem.path}`)
    return { ...problem, path: bounded(problem.path), message: bounded(message) }
  })
  if (unlisted === 0) return named
  return [...named, { path: '', message: `and ${unlisted} more problems, which are not listed` }]
}

/** Length from which a message shared by several problems is said only once. */
const sayOnce = 200

/** Cuts a message, since it may repeat unbounded input or names. */
const bounded = (text: string): string => shorten(text, limits.problemText.value)

export const badHeader = (name: keyof IncomingHttpHeaders, message: string): HttpError =>
  new HttpError('BAD_REQUEST', `${name}: ${message}`)
