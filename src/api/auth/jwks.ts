import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JwksClient } from 'jwks-rsa'
import { HttpError } from '../http/problemDetails.ts'
import { algorithmOf, type KeySource, type VerificationKey } from './keys.ts'

export interface JwksTimes {
  /** Keys are read again when they are so old, while the old ones are used on. */
  readonly refreshAfter: number
  /** Keys that could not be read again for so long are used no more. */
  readonly keptFor: number
  /** Key ids that are not known make the set be read again at most so often. */
  readonly lookAgainAfter: number
  readonly now: () => number
}

const usual: JwksTimes = { refreshAfter: 300_000, keptFor: 600_000, lookAgainAfter: 10_000, now: Date.now }

interface KeySet {
  readonly byId: ReadonlyMap<string | undefined, VerificationKey>
  readonly readAt: number
}

/** RS256 or ES256 by a JSON Web Key Set, read again ahead of time, and now and then for unknown `kid`s. */
export const jwksSource = (jwksUri: string, times: Partial<JwksTimes> = {}): KeySource => {
  const { refreshAfter, keptFor, lookAgainAfter, now } = { ...usual, ...times }
  let client: Promise<JwksClient> | undefined
  let known: KeySet | undefined
  let reading: Promise<KeySet> | undefined
  let lastTry = Number.NEGATIVE_INFINITY

  const begin = (): Promise<KeySet> => {
    const readAt = (lastTry = now())
    return (client ??= jwksClient(jwksUri))
      .then((made) => made.getKeys() as Promise<JsonWebKey[]>)
      .then((keys) => (known = { byId: usable(keys), readAt }))
      .finally(() => (reading = undefined))
  }
  const read = (): Promise<KeySet> => (reading ??= begin())
  const mayTry = (): boolean => reading !== undefined || now() - lastTry >= lookAgainAfter
  const held = (): KeySet | undefined => (known !== undefined && now() - known.readAt < keptFor ? known : undefined)

  const setFor = async (kid: string | undefined): Promise<KeySet> => {
    const set = held()
    if (set?.byId.has(kid) === true) {
      if (now() - set.readAt >= refreshAfter && mayTry()) read().catch(() => undefined)
      return set
    }
    if (set !== undefined && !mayTry()) return set
    try {
      return await read()
    } catch (error) {
      if (set !== undefined) return set
      throw unreadable(error)
    }
  }
  return async ({ alg, kid }) => {
    if (alg !== 'RS256' && alg !== 'ES256') return []
    const set = await setFor(kid)
    const key = set.byId.get(kid)
    return key?.algorithm === alg ? [{ ...key, until: set.readAt + keptFor }] : []
  }
}

const unreadable = (cause: unknown): HttpError =>
  new HttpError('UNAVAILABLE', 'The keys that tokens are checked with cannot be read at the moment.', { cause })

/** Its package is large, and only needed where a key set is configured. */
const jwksClient = async (jwksUri: string): Promise<JwksClient> => {
  const { JwksClient } = await import('jwks-rsa')
  return new JwksClient({ jwksUri, cache: false, rateLimit: false, timeout: 5_000 })
}

/** Keys of one set; more are not looked at. */
const maxKeys = 100

/** The keys for signatures, by id; a set of one key needs no id. */
const usable = (keys: readonly JsonWebKey[]): Map<string | undefined, VerificationKey> => {
  const found = keys.slice(0, maxKeys).flatMap((jwk) => {
    const key = jwk['use'] === undefined || jwk['use'] === 'sig' ? publicKey(jwk) : undefined
    const algorithm = key && algorithmOf(key)
    return key === undefined || algorithm === undefined
      ? []
      : [{ kid: jwk['kid'] as string | undefined, key, algorithm }]
  })
  const byId = new Map<string | undefined, VerificationKey>(
    found.map(({ kid, key, algorithm }) => [kid, { key, algorithm }]),
  )
  const [only] = found
  if (found.length === 1 && only !== undefined) byId.set(undefined, { key: only.key, algorithm: only.algorithm })
  return byId
}

const publicKey = (jwk: JsonWebKey): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}
