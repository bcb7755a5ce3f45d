import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { orderedUuid } from '../../shared/uuids.ts'
import { mayBegin } from '../../shared/yieldToEventLoop.ts'
import { isTraced } from '../../shared/tracing.ts'
import type { Actor, Identify } from './route.ts'
import {
  correlationIdOf,
  encodingFor,
  endExchange,
  headersOf,
  identityHeaders,
  send,
  type Writing,
} from './exchange.ts'
import type { Guards } from './guards.ts'
import { apiPrefix } from './routeTable.ts'
import { addressIn, type CachedAnswer, type ResponseCache } from './responseCache.ts'

export interface CacheHandlerOptions {
  readonly cache: ResponseCache
  readonly identify: Identify
  readonly guards: Guards
  readonly writing: Writing
  /** Public base URL before `/api`; default: scheme and `Host` of each request. */
  readonly baseUrl: string | undefined
}

/** Headers that do not affect the answer or are handled here. Any other header leads to the regular handler. */
const expected: ReadonlySet<string> = new Set(
  [
    'host connection keep-alive authorization cookie accept accept-encoding accept-language user-agent referer dnt',
    'priority content-type x-correlation-id catalog-position upgrade-insecure-requests sec-gpc via x-forwarded-for',
    'sec-fetch-site sec-fetch-mode sec-fetch-dest sec-fetch-user sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform',
  ].flatMap((names) => names.split(' ')),
)

const isPlain = ({ headers: { accept }, rawHeaders }: IncomingMessage): boolean => {
  if (accept !== undefined && accept !== '*/*' && accept !== 'application/json') return false
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!expected.has(name)) return false
    if (name === 'host') hosts += 1
  }
  return hosts === 1
}

/** The caller of a token in the cache; other tokens are verified by the regular handler. */
const knownActor = ({ headers }: IncomingMessage, identify: Identify): Actor | undefined => {
  try {
    const actor = identify({ method: 'GET', headers })
    return actor instanceof Promise ? void actor.catch(() => undefined) : actor
  } catch {
    // The regular handler meets the same error and answers it.
    return undefined
  }
}

/** Whether the cache shows the client's `Catalog-Position`. */
export const isShown = (headers: IncomingHttpHeaders, { shows }: ResponseCache): boolean => {
  const position = headers['catalog-position']
  return (
    position === undefined || (typeof position === 'string' && /^\d{1,18}$/.test(position) && shows(BigInt(position)))
  )
}

/** Answers cached requests at once, and passes all others to `otherwise`, which also applies rate limits and queues. */
export const serveCached = (options: CacheHandlerOptions, otherwise: RequestListener): RequestListener => {
  const { cache, identify, guards, baseUrl, writing } = options
  const addressOf = ({ headers, socket, url = '' }: IncomingMessage): string => {
    const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
    return addressIn(`${baseUrl ?? `${scheme}://${headers.host}`}${apiPrefix}`, url)
  }
  return (request, response) => {
    const address = request.method === 'GET' ? addressOf(request) : ''
    const isKept =
      address !== '' && cache.has(address) && isPlain(request) && isShown(request.headers, cache) && !isTraced()
    const actor = isKept ? knownActor(request, identify) : undefined
    if (actor === undefined || guards.slots.areTaken(actor.name) || !mayBegin()) return otherwise(request, response)
    const cached = cache.get(address, cache.sightOf(actor))
    if (cached === undefined) return otherwise(request, response)
    give({ request, response }, actor, cached, writing)
  }
}

type Ready = Parameters<typeof send>[1]

const ready = new WeakMap<CachedAnswer, Ready>()

/** The caller-independent part of an answer, made on first use. */
const readyOf = (cached: CachedAnswer, writing: Writing): Ready => {
  const known = ready.get(cached)
  if (known !== undefined) return known
  const content = cached.answer.body as string
  const length = Buffer.byteLength(content)
  const made = { headers: headersOf(cached.answer, length, writing), encoding: encodingFor(content, length) }
  ready.set(cached, { status: 200, content, ...made })
  return readyOf(cached, writing)
}

const give = (
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  actor: Actor,
  cached: CachedAnswer,
  writing: Writing,
): void => {
  const [path = ''] = request.url?.split('?', 1) ?? []
  const ids = { correlationId: orderedUuid(), clientCorrelationId: correlationIdOf(request) }
  const of = { ...ids, method: 'GET', route: cached.route, path, actor, instance: undefined, streaming: undefined }
  const started = performance.now()
  response.once('close', () => endExchange({ ...of, response, started, gone: !response.writableFinished }, writing))
  const sent = readyOf(cached, writing)
  send({ request, response }, { ...sent, headers: [...identityHeaders(ids), ...sent.headers] }, writing)
}
