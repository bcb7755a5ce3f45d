import express, { type Request, type Response } from 'express'
import { apiPrefix, mount, permissionOf, readRoute, type Match, type RouteTable } from './routeTable.ts'
import { HttpError } from './problemDetails.ts'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import {
  workRequestOf,
  type Actor,
  type Answer,
  type ApiRequest,
  type Identify,
  type PermissionPolicy,
  type Route,
} from './route.ts'
import { requestTurn } from '../../shared/yieldToEventLoop.ts'
import { limits } from '../../shared/limits.ts'
import { Throttled, type WorkQueue } from '../../shared/workQueue.ts'
import { RequestAborted, noBody, readBody, readNoBody, type ReadBody } from './readBody.ts'
import { corsHandler, safetyHeaders, type BrowserOptions } from './browsers.ts'
import { inRequestSpan } from '../../shared/tracing.ts'
import {
  beginExchange,
  endExchange,
  loggedProblem,
  writeAnswer,
  writeProblem,
  type Exchange,
  type RequestMetrics,
  type Output,
} from './exchange.ts'
import { makeGuards, type Guards, makeUnreadBudget } from './guards.ts'
import type { Pages } from './pages.ts'
import { refuseUnknownConditions, revalidated, withValidator } from './preconditions.ts'
import { serveCached, isPositionShown, addressIn, type ResponseCache } from './responseCache.ts'

const hostPattern = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/

/** The host that a client without `Host` connected to. */
const hostOf = ({ localAddress = '', localPort }: Socket): string =>
  `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`

/** The absolute URL of `/api`: configured, else from scheme and host of the request. @throws HttpError */
const makeBaseUrl = (configured: string | undefined): ((request: Request) => string) => {
  if (configured !== undefined) return () => `${configured}${apiPrefix}`
  return ({ protocol, socket, host = hostOf(socket) }) => {
    if (!hostPattern.test(host) || (protocol !== 'http' && protocol !== 'https'))
      throw new HttpError('BAD_REQUEST', 'The Host header is malformed.')
    return `${protocol}://${host}${apiPrefix}`
  }
}

/** Who calls without a name. Some proxies add the port to the address, another one for each connection. */
const addressOf = ({ ip = '' }: Request): string => `address ${ip.replace(/^\[(.+)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3')}`

/** Checks what HTTP demands of a request beyond its syntax. @throws HttpError */
const mustBeValidHttp = ({ headers, headersDistinct, httpVersion }: Request): void => {
  if ((headersDistinct['host'] ?? []).length > 1)
    throw new HttpError('BAD_REQUEST', 'There is more than one Host header.')
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new HttpError('BAD_REQUEST', 'The Host header is missing.')
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new HttpError('EXPECTATION_FAILED', 'Expect can only be 100-continue.')
  }
}

export interface AppOptions extends BrowserOptions {
  readonly routes: readonly Route[]
  readonly identify: Identify
  /** The joint request that a call belongs to, by its headers. @throws HttpError */
  readonly jointRequest: (actor: Actor, headers: IncomingHttpHeaders) => string | undefined
  readonly policies: { readonly permits: PermissionPolicy }
  /** Requests per minute and caller; default: unlimited. */
  readonly rateLimit?: number | undefined
  readonly logger: Logger
  readonly metrics: RequestMetrics
  /** Public base URL before `/api`; default: scheme and `Host` of each request. */
  readonly baseUrl?: string | undefined
  /** Trusted proxies for `X-Forwarded-…` headers, as in Express. Default: none. */
  readonly trustProxy?: boolean | number | string | undefined
  /** Aborts when the process is about to stop: event streams end. */
  readonly stopping?: AbortSignal
  readonly pages?: Pages | undefined
  readonly responseCache?: ResponseCache | undefined
}

interface App {
  readonly options: AppOptions
  readonly table: RouteTable
  readonly guards: Guards
  readonly output: Output
  readonly baseUrlOf: (request: Request) => string
}

/** Makes the HTTP handler. @throws Error for a route without permission, or with a duplicate id or path */
export const makeApp = (options: AppOptions): RequestListener => {
  const { logger, metrics, stopping, rateLimit, responseCache: cache, identify, baseUrl, trustProxy } = options
  const unread = makeUnreadBudget(() => logger.info('a client that took nothing was cut'))
  const cors = corsHandler(options)
  const output: Output = { logger, metrics, unread, stopping, safety: safetyHeaders(options) }
  const table = mount(options.routes)
  const own: App = { options, table, guards: makeGuards(rateLimit), output, baseUrlOf: makeBaseUrl(options.baseUrl) }
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', options.trustProxy ?? false)
  if (cors !== undefined) app.use(cors)
  app.use((request: Request, response: Response) => void serve(own, request, response))
  const { guards } = own
  // With rate limits, CORS or proxies no request takes the short cut to the cache.
  const isForwarded = baseUrl === undefined && (trustProxy ?? false) !== false
  if (cache === undefined || guards.admit !== undefined || cors !== undefined || isForwarded) return app
  return serveCached({ cache, identify, guards, writing: output, baseUrl }, app)
}

const serve = async (app: App, request: Request, response: Response): Promise<void> => {
  const exchange = beginExchange(request, response)
  response.once('close', () => {
    exchange.disconnected = !response.writableFinished
    if (exchange.disconnected) exchange.controller.abort()
    exchange.claim?.release()
    exchange.releaseSlot?.()
    endExchange(exchange, app.output)
  })
  await inRequestSpan(exchange.method, request.headers, async (span) => {
    try {
      await answer(app, exchange)
    } catch (error) {
      if (!(error instanceof RequestAborted)) writeProblem(exchange, error, app.output)
    }
    const { method, route } = exchange
    span.updateName(`${method} ${route}`).setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': response.statusCode,
      'catalog.correlation_id': exchange.correlationId,
    })
  })
}

const answer = async (app: App, exchange: Exchange): Promise<void> => {
  const { request } = exchange
  mustBeValidHttp(request)
  const match = app.table.find(exchange.method, exchange.path)
  const page = match.found === 'nothing' && !inApi(exchange) ? app.options.pages?.(exchange) : undefined
  if (page !== undefined) return writeAnswer(exchange, revalidated(request, page), app.output)
  const entry = match.found === 'route' ? match.value : undefined
  if (entry !== undefined) exchange.route = entry.template
  const baseUrl = app.baseUrlOf(request)
  // Unknown paths need a token too, so that nothing is revealed without one.
  const needsToken = entry === undefined ? match.found === 'path' || inApi(exchange) : entry.route.permission !== 'open'
  if (needsToken) {
    exchange.actor = await identify(app, exchange, baseUrl)
    exchange.releaseSlot = await app.guards.slots.take(exchange.actor.name, exchange.controller.signal)
    if (exchange.disconnected) exchange.releaseSlot()
  } else if (entry !== undefined && entry.route.atRoot !== true) await app.guards.admit?.(addressOf(request))
  await requestTurn(exchange.actor?.name ?? addressOf(request))
  if (exchange.disconnected) throw new RequestAborted('The client closed the connection before its turn had come.')
  if (match.found !== 'route') return refuse(exchange, match)
  const { value: mounted, params } = match
  const { route } = mounted
  const actor = exchange.actor ?? nobody
  const permission = permissionOf(route, actor, app.options.policies.permits)
  if (!mounted.accepts(request.headers.accept)) {
    const offered = mounted.mediaTypes.join(', ')
    throw new HttpError('NOT_ACCEPTABLE', `The Accept header excludes what is answered here: ${offered}.`)
  }
  refuseUnknownConditions(route, request.headers)
  const query = mounted.readQuery(exchange.search)
  const { body, contentType } = route.method === 'get' ? noBody : await bodyOf(app, exchange, route.body)
  const isRepeated =
    exchange.method === 'GET' && app.options.responseCache?.wasRequested(addressIn(baseUrl, request.url)) === true
  if (request.headers['catalog-request'] !== undefined)
    exchange.jointRequest = app.options.jointRequest(actor, request.headers)
  await handle(app, exchange, route, {
    route: route.id,
    actor,
    permission,
    params,
    query,
    headers: request.headers,
    body,
    contentType,
    correlationId: exchange.jointRequest ?? exchange.correlationId,
    clientCorrelationId: exchange.clientCorrelationId,
    baseUrl,
    isRepeated,
    signal: exchange.controller.signal,
  })
}

const nobody: Actor = Object.freeze({ name: 'anonymous', roles: Object.freeze([]) })

const inApi = ({ path }: Exchange): boolean => path.startsWith(`${apiPrefix}/`) && path.length > apiPrefix.length + 1

/** Identifies the caller; invalid tokens are counted by client address. */
const identify = async ({ options, guards }: App, { request, method }: Exchange, baseUrl: string): Promise<Actor> => {
  let actor: Actor
  try {
    actor = await options.identify({ method, headers: request.headers, baseUrl })
  } catch (error) {
    await guards.admit?.(addressOf(request))
    throw error
  }
  await guards.admit?.(`user ${actor.name}`)
  return actor
}

const refuse = (exchange: Exchange, match: Exclude<Match<unknown>, { found: 'route' }>): never => {
  if (match.found === 'nothing')
    throw new HttpError('NOT_FOUND', `Nothing is at ${exchange.path.slice(0, 200)}${match.hint || '.'}`)
  throw new HttpError('METHOD_NOT_ALLOWED', `${exchange.method.slice(0, 20)} is not allowed: use ${match.allow}.`, {
    headers: { Allow: match.allow },
  })
}

const bodyOf = (app: App, exchange: Exchange, expected: Route['body']): Promise<ReadBody> => {
  const { request, response, actor } = exchange
  const claim = (exchange.claim = app.guards.claim(actor?.name ?? addressOf(request)))
  return expected === undefined ? readNoBody(request, response, claim) : readBody(request, response, expected, claim)
}

/** Handles what is asked, until it has made no progress for too long. */
const handle = async (
  app: App,
  exchange: Exchange,
  route: Route,
  baseRequest: Omit<ApiRequest, 'progress' | 'readRoute' | 'problemOf'>,
): Promise<void> => {
  let hasBegun = false
  const timer = setTimeout(() => {
    const problem = hasBegun
      ? new HttpError('UNAVAILABLE', 'The request took too long and was given up.')
      : new Throttled('The request waited too long for its turn, and was not begun: send fewer at a time.')
    writeProblem(exchange, problem, app.output)
    exchange.controller.abort()
  }, limits.requestTime.value)
  const request: ApiRequest = {
    ...baseRequest,
    problemOf: (error) => loggedProblem(exchange, error, app.output).problem,
    // A timer that has fired or was cleared must not restart.
    progress: () => void (baseRequest.signal.aborted || exchange.answered || timer.refresh()),
    readRoute: (path) => readRoute(app.table, app.options.policies.permits, request, path),
  }
  try {
    const bulkhead = typeof route.bulkhead === 'function' ? route.bulkhead(request) : route.bulkhead
    if (bulkhead === 'idle') await takeIdleSlot(app, exchange, request.actor)
    const queue = bulkhead === undefined || bulkhead === 'idle' ? undefined : app.guards.bulkheads[bulkhead]
    const handled = async (): Promise<Answer> => {
      hasBegun = true
      const answer = withValidator(await route.handle(request))
      return answer.parts === undefined ? answer : streamParts(answer, answer.parts, request, queue)
    }
    const inTurn = (): Promise<Answer> => {
      request.progress()
      return handled()
    }
    const make = queue === undefined ? handled : () => queue.run(workRequestOf(request), inTurn)
    // What may wait for long frees its caller's slot.
    if (queue !== undefined && bulkhead !== 'list') exchange.releaseSlot?.()
    const cache = request.isRepeated === true ? app.options.responseCache : undefined
    const answer = await (cache === undefined ? make() : readThroughCache(cache, exchange, request, make))
    writeAnswer(exchange, revalidated(exchange.request, answer), app.output)
  } finally {
    clearTimeout(timer)
  }
}

/** Gives an exchange an idle slot in place of the one that it has. @throws Throttled if the caller has none left */
const takeIdleSlot = async ({ guards }: App, exchange: Exchange, { name }: Actor): Promise<void> => {
  if (guards.idle.isFull(name))
    throw new Throttled(`A caller has at most ${limits.idlePerCaller.value} event streams and long polls: end some.`)
  const free = await guards.idle.take(name, exchange.controller.signal)
  exchange.releaseSlot?.()
  exchange.releaseSlot = free
}

/** Makes the first part of an answer, so that its error is answered, and each further one when its turn has come. */
const streamParts = async (
  answer: Answer,
  parts: NonNullable<Answer['parts']>,
  request: ApiRequest,
  queue: WorkQueue | undefined,
): Promise<Answer> => {
  let made: IteratorResult<string> | undefined = await parts.next()
  const workRequest = { ...workRequestOf(request), continues: true }
  const next = async (): Promise<IteratorResult<string>> => {
    const part = made
    made = undefined
    return part ?? (queue === undefined ? parts.next() : queue.run(workRequest, () => parts.next()))
  }
  const body = Readable.from({ [Symbol.asyncIterator]: () => ({ next, return: () => parts.return(undefined) }) })
  return { ...answer, body }
}

/** The cached answer for such callers at this address, or a new one, which is cached if possible. */
const readThroughCache = async (
  cache: ResponseCache,
  { request: { url }, route }: Exchange,
  { actor, baseUrl, headers }: ApiRequest,
  make: () => Promise<Answer>,
): Promise<Answer> => {
  const [address, sight] = [addressIn(baseUrl, url), cache.sightOf(actor)]
  const cached = isPositionShown(headers, cache) ? cache.get(address, sight) : undefined
  if (cached !== undefined) return cached.answer
  const since = cache.logicalTime()
  const answer = await make()
  cache.set(address, sight, { answer, route, since })
  return answer
}
