import { forgetAhead, takeAhead } from './ahead.ts'
import { addressOf, type Query, type Read } from './reads.ts'
import { bodyText, placeOf } from './typedJson.ts'
import type { ProblemDetail } from './types.ts'

/** An answer that is an error, as the service words it. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: string
  readonly errors: readonly ProblemDetail[]
  readonly instance: string | undefined
  constructor(status: number, code: string, message: string, errors: readonly ProblemDetail[] = [], instance?: string) {
    super(message)
    this.status = status
    this.code = code
    this.errors = errors
    this.instance = instance
  }
}

export interface CallOptions {
  readonly body?: unknown
  /** Media type of the body; default JSON. A text body is sent as it is. */
  readonly contentType?: string
  readonly ifMatch?: string | undefined
  /** Only if it does not exist. */
  readonly ifNoneMatch?: '*' | undefined
  readonly signal?: AbortSignal | undefined
  readonly query?: Query
  /** Position in the log that the answer must show. */
  readonly position?: string | undefined
}

export interface Answer<T> {
  readonly data: T
  readonly status: number
  readonly etag: string | undefined
  /** Of the log, as far as the answer shows it. */
  readonly position: string | undefined
}

/** The newest position that a write of ours was told: reads wait for it, whichever process answers them. */
let written: string | undefined

const later = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && BigInt(one) < BigInt(other)) ? other : one

/** Whom the page shows as signed in. Another tab may sign in somebody else, in whose name nothing is done here. */
let user: string | undefined

export const showUser = (name: string | undefined): void => void (user = name)

const headersOf = ({ body, contentType, ifMatch, ifNoneMatch, position }: CallOptions): Record<string, string> => {
  const shown = later(written, position)
  return {
    ...(body !== undefined && { 'Content-Type': contentType ?? 'application/json' }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
    ...(shown !== undefined && { 'Catalog-Position': shown }),
    ...(user !== undefined && { 'Catalog-User': encodeURIComponent(user) }),
  }
}

/** The condition of a write onto what was read: with this ETag, or `undefined`, not there. */
export const onto = (etag: string | undefined): Pick<CallOptions, 'ifMatch' | 'ifNoneMatch'> =>
  etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag }

/** The session ended, or was revoked. What the API says of it is meant for programs. */
const signedOut = 'Sign in again, here or in another tab, and then go on: what you have written is still there.'

const problemOf = async (response: Response, method: string, path: string, body: unknown): Promise<Problem> => {
  const text = await response.text()
  const isSignIn = method === 'POST' && path === '/v1/session'
  if (response.status === 401 && !isSignIn) return new Problem(401, 'UNAUTHORIZED', `You are signed out. ${signedOut}`)
  try {
    const told = JSON.parse(text) as { code?: string; message?: string; errors?: ProblemDetail[]; instance?: string }
    return new Problem(
      response.status,
      told.code ?? 'ERROR',
      told.message ?? response.statusText,
      (told.errors ?? []).map((each) => ({ ...each, path: placeOf(each.path, body) })),
      told.instance,
    )
  } catch {
    return new Problem(response.status, 'ERROR', `The service answered ${response.status} ${response.statusText}.`)
  }
}

/** The service cannot be reached, whatever the reason. */
export const unreachable = (error?: unknown): never => {
  if (error instanceof DOMException && error.name === 'AbortError') throw error
  throw new Problem(0, 'UNREACHABLE', 'The catalog is not responding. Is it running, and are you online?')
}

/**
 * Calls the API on this origin. The session cookie goes along by itself.
 * @param path below `/api`
 * @throws Problem for every answer that is not a success, and when there is none
 */
export const call = async <T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> => {
  const { body, signal } = options
  const address = addressOf(path, options.query)
  if (method !== 'GET') forgetAhead()
  const response = await (
    takeAhead(address) ??
    fetch(address, {
      method,
      headers: headersOf(options),
      credentials: 'same-origin',
      ...(body !== undefined && { body: typeof body === 'string' ? body : bodyText(body) }),
      ...(signal && { signal }),
    })
  ).catch(unreachable)
  if (!response.ok) throw await problemOf(response, method, path, body)
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '')
  // A write that something on the way has answered is not done.
  if (method !== 'GET' && response.status !== 204 && !isJson) unreachable()
  const position = response.headers.get('Catalog-Position') ?? undefined
  if (method !== 'GET') written = later(written, position)
  const data = response.status === 204 ? undefined : isJson ? await response.json() : await response.text()
  return { data: data as T, status: response.status, etag: response.headers.get('ETag') ?? undefined, position }
}

export const get = async <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  (await call<T>('GET', path, { query: query ?? {}, signal })).data

export const read = <T>({ path, query }: Read, signal?: AbortSignal): Promise<T> => get<T>(path, query, signal)
