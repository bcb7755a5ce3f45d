import { CatalogProblem } from './problem.ts'

/** A token, or what gives one: asked before each request, so that it may be renewed. */
export type Token = string | (() => string | Promise<string>)

export interface HttpOptions {
  /** Where the catalog is, e.g. `https://catalog.example.com`. */
  readonly url: string
  readonly token: Token
  /** How often a request is repeated that may be: default 5. */
  readonly retries?: number
  /** Seconds that a single answer may ask to wait; longer counts as a failure. Default 60. */
  readonly longestWait?: number
  /** Stands in for the `fetch` of the platform. */
  readonly fetch?: typeof fetch
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface RequestOptions {
  readonly query?: object | undefined
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether it is not repeated where it may have been carried out. */
  readonly once?: boolean
  /** How often it is repeated if it may be, in place of what the client does. */
  readonly retries?: number | undefined
  /** Told of each failure before the request is repeated: a `CatalogProblem`, or what `fetch` threw. */
  readonly onRetry?: ((failure: unknown) => void) | undefined
}

export interface Answer<T> {
  readonly body: T
  readonly headers: Headers
  readonly status: number
}

export type Http = <T>(method: string, path: string, options?: RequestOptions) => Promise<Answer<T>>

/** May be sent twice and has the effect of once, whatever became of the first. */
const isRepeatable = (method: string, headers: Headers): boolean => {
  if (headers.has('if-match') || headers.has('if-none-match')) return method === 'GET'
  if (method === 'PATCH') return headers.get('content-type') === 'application/merge-patch+json'
  return method === 'GET' || method === 'PUT'
}

/** Statuses after which the same request may do. */
const passing = [429, 502, 503, 504]

/** Waits as long as the other side asks, else twice as long each time; a quarter more or less. */
const pauseOf = (attempt: number, asked: number | undefined): number =>
  asked === undefined ? Math.min(10_000, 250 * 2 ** attempt) * (0.75 + Math.random() / 2) : asked * 1000

export const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done, failed) => {
    signal?.throwIfAborted()
    const aborted = (): void => {
      clearTimeout(timer)
      failed(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      done()
    }, milliseconds)
    signal?.addEventListener('abort', aborted, { once: true })
  })

const urlOf = (base: string, path: string, query: object = {}): URL => {
  const url = new URL(`${base.replace(/\/+$/, '')}/api${path}`)
  for (const [name, value] of Object.entries(query as Query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** Sends requests; what is refused for the moment is sent again where that can do no harm. */
export const makeHttp = (options: HttpOptions): Http => {
  const { longestWait = 60, fetch: send = fetch } = options
  /** Of the newest write of this client: what it reads afterwards shows it, whichever process answers. */
  let written: bigint | undefined

  const headersOf = async ({ headers = {}, body }: RequestOptions): Promise<Headers> => {
    const token = typeof options.token === 'string' ? options.token : await options.token()
    const sent = new Headers({ authorization: `Bearer ${token}`, accept: 'application/json, */*;q=0.5' })
    if (body !== undefined) sent.set('content-type', 'application/json')
    if (written !== undefined) sent.set('catalog-position', String(written))
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
    return sent
  }

  const remember = (headers: Headers): void => {
    const position = headers.get('catalog-position')
    if (position === null || !/^\d+$/.test(position)) return
    const place = BigInt(position)
    if (written === undefined || place > written) written = place
  }

  const bodyOf = async <T>(response: Response): Promise<T> => {
    const text = await response.text()
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    return (json && text !== '' ? JSON.parse(text) : text === '' ? undefined : text) as T
  }

  return async <T>(method: string, path: string, request: RequestOptions = {}): Promise<Answer<T>> => {
    const url = urlOf(options.url, path, request.query)
    const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body)
    const retries = request.retries ?? options.retries ?? 5
    for (let attempt = 0; ; attempt++) {
      const headers = await headersOf(request)
      const again = attempt < retries && request.once !== true && isRepeatable(method, headers)
      const sent = { method, headers, ...(body !== undefined && { body }) }
      let failure: unknown
      try {
        const response = await send(url, { ...sent, ...(request.signal && { signal: request.signal }) })
        if (response.ok) {
          remember(response.headers)
          return { body: await bodyOf<T>(response), headers: response.headers, status: response.status }
        }
        failure = await CatalogProblem.from(response)
      } catch (error) {
        if (!again || request.signal?.aborted) throw error
        failure = error
      }
      const problem = failure instanceof CatalogProblem ? failure : undefined
      const asked = problem?.retryAfter
      const may = again || (attempt < retries && problem?.status === 429)
      if (problem && !(may && passing.includes(problem.status) && (asked ?? 0) <= longestWait)) throw problem
      request.onRetry?.(failure)
      await wait(pauseOf(attempt, asked), request.signal)
    }
  }
}
