import express from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { makeAcceptCheck } from './accept.ts'
import type { Actor } from '../auth/actor.ts'
import type { Identify } from '../auth/identify.ts'
import { beginExchange, endExchange, writeAnswer, writeProblem, type Exchange, type Writing } from './exchange.ts'
import type { Metrics } from '../system/metrics.ts'
import type { Policies, Permission } from '../auth/policies.ts'
import { HttpError } from './problemDetails.ts'
import { ClientGone, readBody } from './readBody.ts'
import type { ApiRequest, Operation, Route } from './route.ts'
import type { Pages } from './pages.ts'
import { makeRouteTable, type Match, type RouteTable } from './routeTable.ts'

export interface AppOptions {
  readonly routes: readonly Route[]
  readonly identify: Identify
  readonly policies: Pick<Policies, 'permits'>
  readonly logger: Logger
  readonly metrics: Metrics
  /** Public address in front of `/api`; left out: the scheme and `Host` of each request. */
  readonly baseUrl?: string | undefined
  /** Milliseconds that a handler may take. Default 30,000. */
  readonly requestTimeout?: number
  /** When it aborts, open streams of server-sent events end: the process is about to stop. */
  readonly stopping?: AbortSignal
  /** Pages for browsers, where no route is. */
  readonly pages?: Pages | undefined
}

interface Mounted {
  readonly route: Route
  readonly template: string
  readonly accepts: (header: string | undefined) => boolean
}

/** Below this path stand all routes that are not `atRoot`. */
export const apiPrefix = '/api'

/** Path of a route from the root of the server. */
export const fullPath = (route: Pick<Route, 'path' | 'atRoot'>): string =>
  route.atRoot === true ? route.path : `${apiPrefix}${route.path}`

/**
 * Makes the HTTP handler of the catalog from its routes.
 * @throws Error when a route has no permission, or two share an id or a method and path
 */
export const makeApp = (options: AppOptions): express.Express => {
  const table = mount(options.routes)
  const writing: Writing = { logger: options.logger, metrics: options.metrics, eventStreams: new Set() }
  options.stopping?.addEventListener('abort', () => {
    for (const end of writing.eventStreams) end()
  })
  const baseUrlOf = makeBaseUrl(options.baseUrl)
  const serve = async (exchange: Exchange): Promise<void> => {
    try {
      await answer(exchange, table, options, writing, baseUrlOf)
    } catch (error) {
      if (!(error instanceof ClientGone)) writeProblem(exchange, error, writing)
    }
  }
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.use((request: IncomingMessage, response: ServerResponse) => {
    const exchange = beginExchange(request, response)
    response.once('close', () => {
      exchange.gone = !response.writableFinished
      if (exchange.gone) exchange.controller.abort()
      endExchange(exchange, writing)
    })
    void serve(exchange)
  })
  return app
}

const mount = (routes: readonly Route[]): RouteTable<Mounted> => {
  const table = makeRouteTable<Mounted>()
  const ids = new Set<string>()
  for (const route of routes) {
    const template = fullPath(route)
    const name = `${route.method.toUpperCase()} ${template}`
    if ((route.permission as unknown) === undefined) throw new Error(`${name} has no permission and so does not mount`)
    if (ids.has(route.id)) throw new Error(`${name}: another route has the id ${route.id} already`)
    ids.add(route.id)
    const types = Object.values(route.answers).map((each) => each.contentType ?? 'application/json')
    const accepts = makeAcceptCheck([...new Set(types.map((type) => type.split(';', 1)[0] as string))])
    table.add(route.method.toUpperCase(), template, { route, template, accepts })
  }
  return table
}

const answer = async (
  exchange: Exchange,
  table: RouteTable<Mounted>,
  options: AppOptions,
  writing: Writing,
  baseUrlOf: (request: IncomingMessage) => string,
): Promise<void> => {
  const match = table.find(exchange.method, exchange.path)
  const inApi = exchange.path.startsWith(`${apiPrefix}/`)
  const page = match.found === 'nothing' && !inApi ? options.pages?.(exchange) : undefined
  if (page !== undefined) return writeAnswer(exchange, page, writing)
  const query = queryOf(exchange.search)
  const wanted = match.found === 'route' ? match.value.route : undefined
  if (match.found === 'route') exchange.route = match.value.template
  if (wanted?.permission !== 'open' && (match.found !== 'nothing' || inApi)) {
    const { method, headers } = exchange.request
    const ticket = wanted?.takesTicket === true ? query.get('ticket') : undefined
    const actor = options.identify({ method: method ?? 'GET', headers, ticket })
    exchange.actor = actor instanceof Promise ? await actor : actor
  }
  const { route, accepts } = mounted(exchange, match)
  const permission = permissionOf(route, exchange.actor, options.policies)
  if (!accepts(exchange.request.headers.accept)) {
    throw new HttpError('NOT_ACCEPTABLE', 'The Accept header excludes everything that is answered here.')
  }
  const { body, contentType } =
    route.body === undefined ? noBody : await readBody(exchange.request, exchange.response, route.body)
  const request: ApiRequest = {
    actor: exchange.actor ?? nobody,
    permission,
    params: match.found === 'route' ? match.params : {},
    query,
    headers: exchange.request.headers,
    body,
    contentType,
    correlationId: exchange.correlationId,
    time: new Date(),
    baseUrl: baseUrlOf(exchange.request),
    signal: exchange.controller.signal,
  }
  await handle(exchange, route, request, options.requestTimeout ?? 30_000, writing)
}

const nobody: Actor = Object.freeze({ name: 'anonymous', roles: Object.freeze([]) })
const noBody = Object.freeze({ body: undefined, contentType: undefined })

const mounted = (exchange: Exchange, match: Match<Mounted>): Mounted => {
  if (match.found === 'route') return match.value
  if (match.found === 'nothing') throw new HttpError('NOT_FOUND', `Nothing is at ${exchange.path.slice(0, 200)}.`)
  throw new HttpError('METHOD_NOT_ALLOWED', `${exchange.method} is not allowed here; ${match.allow} is.`, {
    headers: { Allow: match.allow },
  })
}

const permissionOf = (
  route: Route,
  actor: Actor | undefined,
  policies: Pick<Policies, 'permits'>,
): Exclude<Permission, 'no'> => {
  if (typeof route.permission === 'string') return 'yes'
  const { operation, or, kind } = route.permission
  const permissionTo = (wanted: Operation): Permission =>
    actor === undefined ? 'no' : policies.permits(actor, wanted, kind)
  const first = permissionTo(operation)
  const permission = first === 'no' && or !== undefined ? permissionTo(or) : first
  if (permission === 'no') {
    throw new HttpError('FORBIDDEN', `You are not allowed to ${operation}${kind === undefined ? '' : ` on ${kind}`}.`)
  }
  return permission
}

const noQuery: ReadonlyMap<string, string> = new Map()

const queryOf = (search: string): ReadonlyMap<string, string> => {
  if (search === '') return noQuery
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (value.includes('\0')) throw new HttpError('BAD_REQUEST', `The query parameter ${name} must not hold NUL.`)
    if (!query.has(name)) query.set(name, value)
  }
  return query
}

const handle = async (
  exchange: Exchange,
  route: Route,
  request: ApiRequest,
  timeout: number,
  writing: Writing,
): Promise<void> => {
  const timer = setTimeout(() => {
    writeProblem(exchange, new HttpError('UNAVAILABLE', 'The request took too long and was given up.'), writing)
    exchange.controller.abort()
  }, timeout)
  try {
    writeAnswer(exchange, await route.handle(request), writing)
  } finally {
    clearTimeout(timer)
  }
}

const hostPattern = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/

const makeBaseUrl = (configured: string | undefined): ((request: IncomingMessage) => string) => {
  if (configured !== undefined) return () => `${configured}${apiPrefix}`
  let last = { host: '', secure: false, url: '' }
  return (request) => {
    const { host = '' } = request.headers
    const secure = 'encrypted' in request.socket
    if (host !== last.host || secure !== last.secure || last.url === '') {
      if (!hostPattern.test(host)) throw new HttpError('BAD_REQUEST', 'The Host header is missing or malformed.')
      last = { host, secure, url: `${secure ? 'https' : 'http'}://${host}${apiPrefix}` }
    }
    return last.url
  }
}
