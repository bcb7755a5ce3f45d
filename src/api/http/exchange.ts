import compression from 'compression'
import type { Request, Response } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Actor, Answer } from './route.ts'
import { orderedUuid } from '../../shared/uuids.ts'
import type { Claim, UnreadBudget } from './guards.ts'
import { encodedTag } from './preconditions.ts'
import { problemOf } from './problemDetails.ts'
import { StoreFailed, StoreUnavailable } from '../../events/eventStore.ts'

export interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly method: string
  /** Path of the request line, without the query. */
  readonly path: string
  readonly search: string
  /** Start in milliseconds of the process clock. */
  readonly started: number
  /** Id of the request, given by the service. */
  readonly correlationId: string
  /** `X-Correlation-ID` of the request, if valid. */
  readonly clientCorrelationId: string | undefined
  /** Id of the joint request that the call belongs to. */
  jointRequest?: string | undefined
  /** Path template for logs and metrics. */
  route: string
  actor?: Actor
  claim?: Claim
  /** Frees the caller's slot for the next request. */
  releaseSlot?: () => void
  /** Whether an answer was started: later ones are dropped. */
  answered: boolean
  /** Instance of the problem in the answer. */
  instance?: string
  disconnected: boolean
  /** When it became an event stream, by the process clock: such streams end at any time. */
  streaming?: number
  /** Aborts when the client leaves or on timeout. */
  readonly controller: AbortController
}

const correlationIdPattern = /^[\w.:@/+=-]{1,128}$/

/** `X-Correlation-ID` of a request, where it has a sensible one. */
export const correlationIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => {
  const given = headers['x-correlation-id']
  return typeof given === 'string' && correlationIdPattern.test(given) ? given : undefined
}

/** Begins an exchange with an id of its own. */
export const beginExchange = (request: Request, response: Response): Exchange => {
  // Proxies may send a whole URL as target.
  const url = request.url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = url.indexOf('?')
  return {
    request,
    response,
    method: request.method,
    path: mark === -1 ? url : url.slice(0, mark),
    search: mark === -1 ? '' : url.slice(mark + 1),
    started: performance.now(),
    correlationId: orderedUuid(),
    clientCorrelationId: correlationIdOf(request),
    route: 'none',
    answered: false,
    disconnected: false,
    controller: new AbortController(),
  }
}

export interface RequestMetrics {
  /** Counts an answered request. `route` is the path template, or a fixed word if no route was found. */
  readonly requestAnswered: (method: string, route: string, status: number, seconds: number) => void
}

type Headers = Readonly<Record<string, string>>

export interface Output {
  readonly safety: Headers
  readonly logger: Logger
  readonly metrics: RequestMetrics
  readonly unread: UnreadBudget
  /** Ends event streams. */
  readonly stopping: AbortSignal | undefined
}

const json = 'application/json; charset=utf-8'

const compressionThreshold = 4096
const compressed = compression({ threshold: compressionThreshold })

/**
 * Compresses an answer if the client accepts it.
 * @param length bytes, if known
 * @param isTagged whether it has an `ETag`
 */
const compress = (request: IncomingMessage, response: ServerResponse, length = Infinity, isTagged = false): void => {
  if (length < compressionThreshold || request.headers['accept-encoding'] === undefined) return
  if (isTagged) tagEncoding(response)
  // It uses nothing that Express adds.
  compressed(request as Request, response as Response, () => undefined)
}

/** Completes the `ETag` as soon as it is known how the answer is encoded. */
const tagEncoding = (response: ServerResponse): void => {
  const writeHead = response.writeHead.bind(response)
  Object.assign(response, {
    writeHead: (status: number) => {
      const [tag, encoding] = [response.getHeader('ETag'), response.getHeader('Content-Encoding')]
      if (encoding !== undefined) response.setHeader('ETag', encodedTag(String(tag), String(encoding)))
      return writeHead(status)
    },
  })
}

/** Writes the answer of a route, unless the exchange has been answered. */
export const writeAnswer = (exchange: Exchange, answer: Answer, output: Output): void => {
  const { body } = answer
  if (exchange.answered || exchange.disconnected) {
    if (body instanceof Readable) body.destroy()
    return
  }
  exchange.answered = true
  try {
    if (body instanceof Readable) writeStream(exchange, answer, body, output)
    else writeBytes(exchange, answer, body, output)
  } catch (error) {
    exchange.answered = exchange.response.headersSent
    throw error
  }
}

type RequestIds = Pick<Exchange, 'correlationId' | 'clientCorrelationId'>

/** Headers with the ids of this request. */
export const requestIdHeaders = ({ correlationId, clientCorrelationId = correlationId }: RequestIds) => ({
  'X-Request-ID': correlationId,
  'X-Correlation-ID': clientCorrelationId,
})

/** Headers that do not depend on the caller. */
const commonHeaders = ({ headers, position }: Answer, { safety }: Pick<Output, 'safety'>): Headers => ({
  ...safety,
  'Cache-Control': 'private, no-cache',
  ...(position !== undefined && { 'Catalog-Position': String(position) }),
  ...headers,
})

export const headersOf = (answer: Answer, length: number, output: Pick<Output, 'safety'>): Headers => ({
  ...commonHeaders(answer, output),
  'Content-Type': answer.contentType ?? json,
  'Content-Length': String(length),
})

const writeBytes = (exchange: Exchange, answer: Answer, bytes: string | Buffer | undefined, output: Output): void => {
  const { request, response } = exchange
  const { status } = answer
  const headers = {
    ...requestIdHeaders(exchange),
    ...(bytes === undefined ? commonHeaders(answer, output) : headersOf(answer, Buffer.byteLength(bytes), output)),
    ...(bytes === undefined && status !== 204 && status !== 304 && { 'Content-Length': '0' }),
  }
  const content = exchange.method === 'HEAD' ? undefined : bytes
  if (status < 400 || !stillSending(request, status)) return send(exchange, { status, headers, content }, output)
  compress(request, response, content?.length ?? 0)
  response.writeHead(status, { ...headers, Connection: 'close' })
  if (content !== undefined) response.write(content)
  endAfterBody(exchange)
}

/** Sends a complete body. */
export const send = (
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { status, headers, content }: { status: number; headers: Headers; content: string | Buffer | undefined },
  { unread }: Pick<Output, 'unread'>,
): void => {
  const length = content?.length ?? 0
  compress(request, response, length, 'ETag' in headers)
  response.writeHead(status, headers)
  if (length > minUnreadBytes) unread(response, length)
  response.end(content)
}

const minUnreadBytes = 65_536

/** Bytes of an unread body that are discarded to keep the connection open. */
const maxDrainedBytes = 65_536

const stillSending = ({ complete, headers }: Request, status: number): boolean =>
  !complete &&
  (status === 408 ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined ||
    Number(headers['content-length'] ?? 0) > maxDrainedBytes)

/** Milliseconds for which the rest of a refused body is discarded. */
const lingerTime = 1_000

/** Ends an answer to an incomplete request. Many clients fail without reading it if the connection closes at once. */
const endAfterBody = ({ request, response }: Exchange): void => {
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerTime)
  request.once('end', end)
  request.once('close', end)
  request.resume()
}

/** Approximate buffer of a streamed answer in bytes. */
const streamedBytes = 1024 * 1024

const writeStream = (exchange: Exchange, answer: Answer, body: Readable, output: Output): void => {
  const { response } = exchange
  const type = answer.contentType ?? json
  body.on('error', (error) => failStream(exchange, error, output))
  // Events must be sent at once, so they are not compressed.
  const areEvents = type.startsWith('text/event-stream')
  if (!areEvents) compress(exchange.request, response)
  response.statusCode = answer.status
  const headers = { ...requestIdHeaders(exchange), ...commonHeaders(answer, output), 'Content-Type': type }
  response.setHeaders(new Map(Object.entries(headers)))
  if (exchange.method === 'HEAD') {
    body.destroy()
    response.end()
    return
  }
  response.on('error', () => body.destroy())
  response.once('close', () => body.destroy())
  // The buffer of an event stream is small.
  if (areEvents) endWhenStopping(exchange, body, output)
  else output.unread(response, streamedBytes)
  body.pipe(response)
}

const endWhenStopping = (exchange: Exchange, body: Readable, { stopping }: Output): void => {
  const { response } = exchange
  const end = (): void => {
    body.unpipe(response)
    body.destroy()
    response.end()
    exchange.controller.abort()
  }
  exchange.streaming = performance.now()
  stopping?.addEventListener('abort', end)
  response.once('close', () => stopping?.removeEventListener('abort', end))
  response.flushHeaders()
}

const failStream = (exchange: Exchange, error: Error, output: Output): void => {
  const { response } = exchange
  if (exchange.disconnected || response.writableEnded) return
  if (response.headersSent) {
    const { correlationId, jointRequest, route } = exchange
    output.logger.error({ err: error, correlationId, jointRequest, route }, 'an answer broke off')
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  exchange.answered = false
  writeProblem(exchange, error, output)
}

/** Whether a request asks for server-sent events, as an `EventSource` does. */
export const acceptsEvents = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.accept?.includes('text/event-stream') === true

/** The problem of an error; internal errors are logged under the same instance. */
export const loggedProblem = (exchange: Exchange, error: unknown, output: Output): ReturnType<typeof problemOf> => {
  const made = problemOf(error)
  const { problem } = made
  if (problem.status >= 500) {
    const { correlationId, jointRequest, method, route } = exchange
    const ids = { instance: problem.instance, correlationId, jointRequest }
    const fields = { err: error, ...ids, method, route, user: exchange.actor?.name }
    if (problem.status === 500) output.logger.error(fields, 'a request failed')
    else if (error instanceof StoreFailed && !(error instanceof StoreUnavailable))
      output.logger.error(fields, 'a request could not be served: its store failed')
    else output.logger.warn(fields, 'a request could not be served')
  }
  return made
}

/** Writes an error as a problem. */
export const writeProblem = (exchange: Exchange, error: unknown, output: Output): void => {
  if (exchange.disconnected || (exchange.answered && exchange.controller.signal.aborted)) return
  const { problem, headers } = loggedProblem(exchange, error, output)
  exchange.instance = problem.instance
  // By the HTML standard an EventSource does not reconnect after an error status, but does after a closed connection.
  if (problem.status === 503 && acceptsEvents(exchange.request)) return void exchange.request.destroy()
  const body = JSON.stringify({ ...problem, correlationId: exchange.correlationId })
  writeAnswer(exchange, { status: problem.status, headers, body, contentType: 'application/problem+json' }, output)
}

type Ended = RequestIds &
  Pick<
    Exchange,
    'method' | 'route' | 'path' | 'instance' | 'streaming' | 'started' | 'disconnected' | 'actor' | 'jointRequest'
  > & { readonly response: Pick<Response, 'statusCode' | 'errored'> }

/**
 * Logs the end of an exchange, without headers, bodies and queries. An event stream counts as answered at its start.
 */
export const endExchange = (exchange: Ended, { logger, metrics }: Pick<Output, 'logger' | 'metrics'>): void => {
  const { method, route, path, correlationId, clientCorrelationId, jointRequest, instance } = exchange
  const { streaming, started, response } = exchange
  const milliseconds = performance.now() - started
  const isUnanswered = exchange.disconnected && streaming === undefined
  // A client that leaves sets no error.
  const cut = isUnanswered && response.errored !== null
  const status = cut ? 503 : isUnanswered ? 499 : response.statusCode
  metrics.requestAnswered(method, route, status, (streaming === undefined ? milliseconds : streaming - started) / 1000)
  const level = status >= 400 || (method !== 'GET' && method !== 'HEAD') ? 'info' : 'debug'
  if (!logger.isLevelEnabled(level)) return
  const [user, ms] = [exchange.actor?.name, Math.round(milliseconds * 100) / 100]
  const ids = { correlationId, clientCorrelationId, jointRequest, instance }
  logger[level]({ method, route, path, status, ...(cut && { cut }), ms, user, ...ids }, 'request')
}
