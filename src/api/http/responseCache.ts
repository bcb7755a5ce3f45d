import type { Actor, Answer } from './route.ts'

/** @param baseUrl absolute URL of `/api` @param url as the request line has it */
export const addressIn = (baseUrl: string, url: string): string => `${baseUrl} ${url}`

/** An answer that is ready to be sent, with its validator. */
export interface CachedAnswer {
  readonly answer: Answer
  /** Path template of its route, for logs and metrics. */
  readonly route: string
}

/** Answers by their address and by what their callers may see. What it gives is true at this moment. */
export interface ResponseCache {
  has(address: string): boolean
  /** @param sight what the caller may see, see {@link ResponseCache.sightOf} */
  get(address: string, sight: string): CachedAnswer | undefined
  /** To be asked before anything is read for an answer. */
  readonly now: () => number
  /** Keeps an answer of which nothing was read before `since`. */
  set(address: string, sight: string, cached: CachedAnswer & { readonly since: number }): void
  /** To be told as soon as reads show anything else: nothing is kept beyond that. */
  readonly changed: () => void
  /** The same for all callers who are shown the same at every address. */
  readonly sightOf: (actor: Actor) => string
  /** Do the read models show this position? */
  readonly shows: (position: bigint) => boolean
  readonly size: () => ResponseCacheSize
}

export interface ResponseCacheSize {
  readonly answers: number
  readonly bytes: number
  /** Requests that were answered from it. */
  readonly hits: number
}

interface ResponseCacheOptions extends Pick<ResponseCache, 'sightOf' | 'shows'> {
  /** Bytes that the answers may take together; when they are full it begins anew. */
  readonly room: number
  /** Is everything told that changes? Nothing is kept meanwhile. Default: always. */
  readonly isSettled?: () => boolean
}

/** Bytes that an entry takes beside its texts, about. */
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
