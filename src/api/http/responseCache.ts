import type { Actor, Answer } from './route.ts'

/** @param baseUrl absolute URL of `/api` @param url URL of the request line */
export const addressIn = (baseUrl: string, url: string): string => `${baseUrl} ${url}`

/** A complete answer with its validator. */
export interface CachedAnswer {
  readonly answer: Answer
  /** Path template of its route, for logs and metrics. */
  readonly route: string
}

/** Cached answers by address and by what callers may see. Always current. */
export interface ResponseCache {
  has(address: string): boolean
  /** @param sight see {@link ResponseCache.sightOf} */
  get(address: string, sight: string): CachedAnswer | undefined
  /** Call this before anything is read for an answer. */
  readonly now: () => number
  /** Caches an answer whose reads began at `since`. */
  set(address: string, sight: string, cached: CachedAnswer & { readonly since: number }): void
  /** Call this as soon as reads show a change: invalidates affected answers. */
  readonly changed: () => void
  /** A key shared by all callers who see the same. */
  readonly sightOf: (actor: Actor) => string
  /** Whether the read models show this position. */
  readonly shows: (position: bigint) => boolean
  readonly size: () => ResponseCacheSize
}

export interface ResponseCacheSize {
  readonly answers: number
  readonly bytes: number
  /** Number of hits. */
  readonly hits: number
}

interface ResponseCacheOptions extends Pick<ResponseCache, 'sightOf' | 'shows'> {
  /** Size in bytes; when full the cache is emptied. */
  readonly room: number
  /** Whether all changes are reported at present; otherwise nothing is cached. Default: always. */
  readonly isSettled?: () => boolean
}

/** Approximate overhead of an entry in bytes. */
const entryBytes = 1000

export const makeResponseCache = (options: ResponseCacheOptions): ResponseCache => {
  const { room, sightOf, shows, isSettled = () => true } = options
  const kept = new Map<string, Map<string, CachedAnswer>>()
  let [answers, bytes, hits, changes] = [0, 0, 0, 0]
  const clear = (): void => {
    kept.clear()
    answers = bytes = 0
  }
  return {
    sightOf,
    shows,
    now: () => changes,
    changed: () => {
      changes += 1
      clear()
    },
    has: (address) => kept.has(address),
    get: (address, sight) => {
      const found = kept.get(address)?.get(sight)
      if (found !== undefined) hits += 1
      return found
    },
    set: (address, sight, { answer, route, since }) => {
      const { status, body, isPresent } = answer
      if (since !== changes || status !== 200 || isPresent !== true || typeof body !== 'string' || !isSettled()) return
      const own = entryBytes + 2 * (address.length + sight.length + body.length)
      if (own > room / 8) return
      if (bytes + own > room) clear()
      kept.set(address, (kept.get(address) ?? new Map<string, CachedAnswer>()).set(sight, { answer, route }))
      answers += 1
      bytes += own
    },
    size: () => ({ answers, bytes, hits }),
  }
}
