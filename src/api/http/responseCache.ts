import type { Actor, Answer, Identify } from './route.ts'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { orderedUuid } from '../../shared/uuids.ts'
import { mayBegin } from '../../shared/yieldToEventLoop.ts'
import { isTraced } from '../../shared/tracing.ts'
import { correlationIdOf, endExchange, headersOf, requestIdHeaders, send, type Output } from './exchange.ts'
import type { Guards } from './guards.ts'
import { apiPrefix } from './routeTable.ts'

/** Names share hashes at random: an answer may be invalidated needlessly, never the other way round. */
const hashes = 2 ** 20

/** Hash of a name (FNV-1a), see {@link Dependencies}. */
export const hashOf = (name: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return ((hash >>> 20) ^ hash) & (hashes - 1)
}

/** A filter of recently requested addresses; an answer that is requested once is not worth caching. */
const makeAddressFilter = (): ((address: string) => boolean) => {
  const requestedOnce = new Set<number>()
  return (address) => {
    const before = requestedOnce.size
    // Until then one new address in sixteen is taken for another.
    if (before > hashes / 8) requestedOnce.clear()
    return requestedOnce.add(hashOf(address)).size === before
  }
}

/** @param baseUrl absolute URL of `/api` @param url URL of the request line */
export const addressIn = (baseUrl: string, url: string): string => `${baseUrl} ${url}`

/** A complete answer with its validator. */
interface CachedAnswer {
  readonly answer: Answer
  /** Path template of its route, for logs and metrics. */
  readonly route: string
  /** Those that every caller is sent, made on first use. */
  headers?: ReturnType<typeof headersOf>
}

interface ResponseCacheOptions {
  /** A key shared by all callers who see the same. */
  readonly sightOf: (actor: Actor) => string
  readonly shows: (position: bigint) => boolean
  /** Size in bytes; when full the cache is emptied. */
  readonly capacity: number
  /** Whether all changes are reported at present; otherwise nothing is cached. */
  readonly isSettled: () => boolean
}

interface Entry extends CachedAnswer {
  readonly since: number
  readonly dependencies: Uint32Array
  readonly bytes: number
}

/** Approximate overhead of an entry in bytes. */
const entryBytes = 1000

/** Cached answers by address and by what callers may see. Always current. */
export const makeResponseCache = (options: ResponseCacheOptions) => {
  const { capacity, sightOf, shows, isSettled } = options
  const entries = new Map<string, Map<string, Entry>>()
  /** When each name was changed last, by its hash. */
  const changes = new Float64Array(hashes)
  let [answers, bytes, hits, time] = [0, 0, 0, 1]
  const clear = (): void => {
    entries.clear()
    answers = bytes = 0
  }
  return {
    sightOf,
    shows,
    /** Whether an address was requested before; records the request. */
    wasRequested: makeAddressFilter(),
    /** Call this before anything is read for an answer. */
    logicalTime: () => time,
    /** Call this as soon as reads show a change under these names: invalidates the answers that depend on any of them. */
    invalidate: (names: Iterable<string>): void => {
      time += 1
      for (const name of names) changes[hashOf(name)] = time
    },
    has: (address: string): boolean => entries.has(address),
    get: (address: string, sight: string): CachedAnswer | undefined => {
      const found = entries.get(address)?.get(sight)
      if (found === undefined || found.dependencies.some((hash) => (changes[hash] as number) > found.since))
        return undefined
      hits += 1
      return found
    },
    /** Caches an answer whose reads began at `since`. */
    set: (address: string, sight: string, { answer, route, since }: CachedAnswer & Pick<Entry, 'since'>): void => {
      const { status, body, dependencies } = answer
      if (status !== 200 || dependencies === undefined || typeof body !== 'string' || !isSettled()) return
      const own = entryBytes + 2 * (address.length + sight.length + body.length) + 4 * dependencies.size
      if (own > capacity / 8) return
      if (bytes + own > capacity) clear()
      const bySight = entries.get(address) ?? new Map<string, Entry>()
      const before = bySight.get(sight)
      const entry = { answer, route, since, dependencies: Uint32Array.from(dependencies), bytes: own }
      entries.set(address, bySight.set(sight, entry))
      answers += before === undefined ? 1 : 0
      bytes += own - (before?.bytes ?? 0)
    },
    size: () => ({ answers, bytes, hits }),
  }
}

export type ResponseCache = ReturnType<typeof makeResponseCache>

interface CacheHandlerOptions {
  readonly cache: ResponseCache
  readonly identify: Identify
  readonly guards: Guards
  readonly writing: Output
  /** Public base URL before `/api`; default: scheme and `Host` of each request. */
  readonly baseUrl: string | undefined
}

/** Headers that do not affect the answer or are handled here. Any other header leads to the regular handler. */
const neutralHeaders: ReadonlySet<string> = new Set(
  [
    'host connection keep-alive authorization cookie accept accept-encoding accept-language user-agent referer dnt',
    'priority content-type x-correlation-id catalog-position upgrade-insecure-requests sec-gpc via x-forwarded-for',
    'sec-fetch-site sec-fetch-mode sec-fetch-dest sec-fetch-user sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform',
  ].flatMap((names) => names.split(' ')),
)

const isCacheable = ({ headers: { accept }, rawHeaders }: IncomingMessage): boolean => {
  if (accept !== undefined && accept !== '*/*' && accept !== 'application/json') return false
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!neutralHeaders.has(name)) return false
    if (name === 'host') hosts += 1
  }
  return hosts === 1
}

/** The caller of a token in the cache; other tokens are verified by the regular handler. */
const knownActor = ({ headers }: IncomingMessage, baseUrl: string, identify: Identify): Actor | undefined => {
  try {
    const actor = identify({ method: 'GET', headers, baseUrl })
    return actor instanceof Promise ? void actor.catch(() => undefined) : actor
  } catch {
    // The regular handler meets the same error and answers it.
    return undefined
  }
}

/** Whether the cache shows the client's `Catalog-Position`. */
export const isPositionShown = (headers: IncomingHttpHeaders, { shows }: ResponseCache): boolean => {
  const position = headers['catalog-position']
  return (
    position === undefined || (typeof position === 'string' && /^\d{1,18}$/.test(position) && shows(BigInt(position)))
  )
}

/** Answers cached requests at once, and passes all others to `fallback`, which also applies rate limits and queues. */
export const serveCached = (options: CacheHandlerOptions, fallback: RequestListener): RequestListener => {
  const { cache, identify, guards, baseUrl, writing } = options
  const baseUrlOf = ({ headers, socket }: IncomingMessage): string => {
    const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
    return `${baseUrl ?? `${scheme}://${headers.host}`}${apiPrefix}`
  }
  return (request, response) => {
    const base = baseUrlOf(request)
    const address = addressIn(base, request.url ?? '')
    const isKept =
      request.method === 'GET' &&
      cache.has(address) &&
      isCacheable(request) &&
      isPositionShown(request.headers, cache) &&
      !isTraced()
    const actor = isKept ? knownActor(request, base, identify) : undefined
    if (actor === undefined || guards.slots.isFull(actor.name) || !mayBegin()) return fallback(request, response)
    const cached = cache.get(address, cache.sightOf(actor))
    if (cached === undefined) return fallback(request, response)
    sendCached({ request, response }, actor, cached, writing)
  }
}

const sendCached = (
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  actor: Actor,
  cached: CachedAnswer,
  writing: Output,
): void => {
  const [path = ''] = request.url?.split('?', 1) ?? []
  const ids = { correlationId: orderedUuid(), clientCorrelationId: correlationIdOf(request) }
  const of = { ...ids, method: 'GET', route: cached.route, path, actor }
  const started = performance.now()
  response.once('close', () =>
    endExchange({ ...of, response, started, disconnected: !response.writableFinished }, writing),
  )
  const content = cached.answer.body as string
  const headers = (cached.headers ??= headersOf(cached.answer, Buffer.byteLength(content), writing))
  send({ request, response }, { status: 200, content, headers: { ...requestIdHeaders(ids), ...headers } }, writing)
}
