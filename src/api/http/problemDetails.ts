import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Problem } from '../../kinds/defineKind.ts'
import { shorten } from '../../shared/bounds.ts'
import { limits } from '../../shared/limits.ts'
import { DomainError, LogAhead, type DomainErrorCode } from '../../commands/errors.ts'
import { DamagedLog, StoreFailed } from '../../events/eventStore.ts'
import { OtherLog } from '../../events/events.ts'
import { TooBusy } from '../../shared/turns.ts'
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
  UNAVAILABLE: { status: 503, title: 'Service unavailable' },
} as const

export type ProblemCode = keyof typeof problemCodes

/** An error that is about HTTP itself: authentication, permission, media types, sizes, paths. */
export class HttpError extends Error {
  override readonly name: string = 'HttpError'
  readonly code: ProblemCode
  /** Each thing wrong with the body; empty when the message says it all. */
  readonly problems: readonly Problem[]
  /** How many there are beyond these. */
  readonly unlisted: number
  /** Headers that go with the answer, e.g. `Allow`. */
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ProblemCode,
    message: string,
    more: {
      problems?: readonly Problem[]
      unlisted?: number
      headers?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.problems = more.problems ?? []
    this.unlisted = more.unlisted ?? 0
    this.headers = more.headers ?? {}
  }
}

/** The body of an error answer (RFC 9457). `message` and `detail` say the same. */
export interface ProblemDetails {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ProblemCode
  readonly message: string
  readonly detail: string
  /** `urn:uuid:…` of this one occurrence; the log has it too. */
  readonly instance: string
  readonly errors: readonly Problem[]
}

export interface ProblemAnswer {
  readonly problem: ProblemDetails
  readonly headers: Readonly<Record<string, string>>
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

/** Seconds after which a client may try again when a store cannot be reached. */
const retryAfter = '5'

const asHttpError = (error: unknown): HttpError => {
  if (error instanceof HttpError) return error
  if (error instanceof DomainError) {
    const { problems, unlisted } = error
    return new HttpError(domainCodes[error.code], error.message, { problems, unlisted })
  }
  if (error instanceof TooBusy) {
    return new HttpError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': String(error.retryAfter) } })
  }
  if (error instanceof StoreFailed) {
    return new HttpError(
      'UNAVAILABLE',
      'The catalog cannot reach its store at the moment; the same request may work later.',
    )
  }
  if (error instanceof OtherLog || error instanceof DamagedReadModels)
    return new HttpError('UNAVAILABLE', 'The catalog builds what it shows again from its log; try again in a while.')
  if (error instanceof DamagedLog) {
    return new HttpError(
      'INTERNAL',
      `${error.message} The log of the catalog is damaged there: those who run it should restore a backup.`,
    )
  }
  if (error instanceof ProjectionBehind || error instanceof LogAhead) return new HttpError('UNAVAILABLE', error.message)
  return new HttpError('INTERNAL', 'Something went wrong inside the catalog. Its log names this instance.')
}

/** The answer for an error. An error not known here is a 500 and shows nothing of itself: it goes to the log. */
export const problemOf = (thrown: unknown): ProblemAnswer => {
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
      errors: namedProblems(error),
    },
    headers,
  }
}

/** The first problems, and how many there are beyond them. */
const namedProblems = ({ problems, unlisted }: HttpError): readonly Problem[] => {
  const most = limits.problems.value
  const long = new Map<string, string>()
  const named = problems.slice(0, most).map((problem) => {
    const message = long.get(problem.message) ?? problem.message
    if (message.length > sayOnce) long.set(message, `as said of ${problem.path}`)
    return { ...problem, path: bounded(problem.path), message: bounded(message) }
  })
  const rest = problems.length - named.length + unlisted
  return rest === 0 ? named : [...named, { path: '', message: `and ${rest} more problems, which are not listed` }]
}

/** Characters from which a message that several problems share is said of the first alone. */
const sayOnce = 200

/** Messages repeat what was sent, and name what there is: neither has an end. */
const bounded = (text: string): string => shorten(text, limits.problemText.value)

export const badHeader = (name: keyof IncomingHttpHeaders, message: string): HttpError =>
  new HttpError('BAD_REQUEST', `${name}: ${message}`)
