import { createPublicKey, createSecretKey, type KeyObject, type JsonWebKey } from 'node:crypto'
import { HttpError } from '../http/problemDetails.ts'

/** Accepted algorithms; never `none`. */
export type TokenAlgorithm = 'HS256' | 'RS256' | 'ES256'

/** A key with its only algorithm, so that a public key is never used as a secret. */
export interface VerificationKey {
  readonly algorithm: TokenAlgorithm
  readonly key: KeyObject
  /** Epoch milliseconds after which tokens must be verified again. */
  readonly until?: number
}

/**
 * Finds keys that may have signed a token with this header. Rejects with HttpError UNAVAILABLE when keys are
 * unreadable.
 */
export type KeySource = (header: {
  alg: string
  kid: string | undefined
}) => readonly VerificationKey[] | Promise<readonly VerificationKey[]>

const minSecretBytes = 32

/** HS256 with a shared secret. @throws RangeError when it is shorter than 32 bytes */
export const secretSource = (secret: string): KeySource => {
  const keys = [{ algorithm: 'HS256', key: secretKey(secret) }] as const
  return (header) => (header.alg === 'HS256' ? keys : [])
}

export const secretKey = (secret: string): KeyObject => {
  if (Buffer.byteLength(secret) < minSecretBytes) {
    throw new RangeError(`The secret for tokens must have at least ${minSecretBytes} bytes.`)
  }
  return createSecretKey(Buffer.from(secret))
}

/** The algorithm of a public key: RS256 for RSA of 2,048 bits or more, ES256 for P-256; else `undefined`. */
const algorithmOf = (key: KeyObject): TokenAlgorithm | undefined => {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'rsa' && (modulusLength ?? 0) >= 2048) return 'RS256'
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  return undefined
}

const publicKeyIn = (pem: string): KeyObject => {
  try {
    return createPublicKey(pem)
  } catch (error) {
    throw new TypeError('it does not contain a public key in PEM', { cause: error })
  }
}

/** RS256 or ES256 with a public key in PEM (or an X.509 certificate). @throws TypeError for any other text */
export const publicKeySource = (pem: string): KeySource => {
  if (pem.includes('PRIVATE KEY')) throw new TypeError('it holds a private key, and a public one is needed')
  const key = publicKeyIn(pem)
  const algorithm = algorithmOf(key)
  if (algorithm === undefined) throw new TypeError('it must hold an RSA key of at least 2,048 bits or a P-256 key')
  return (header) => (header.alg === algorithm ? [{ algorithm, key }] : [])
}

/** Age at which keys are refreshed in the background, in milliseconds. */
const refreshAfter = 300_000
/** Age at which keys that could not be refreshed are no longer used. */
const maxAge = 600_000
/** Shortest interval of refreshing for unknown key ids. */
const retryInterval = 10_000

interface KeySet {
  readonly byId: ReadonlyMap<string | undefined, VerificationKey>
  readonly readAt: number
}

/**
 * RS256 or ES256 with a JSON Web Key Set, refreshed ahead of time and occasionally for unknown `kid`s.
 * @param onTurn called with the error when the keys can no longer be read, and without one when they can be read again
 */
export const jwksSource = (jwksUri: string, onTurn?: (failure: unknown) => void): KeySource => {
  let known: KeySet | undefined
  let reading: Promise<KeySet> | undefined
  let failure: unknown
  let lastTry = Number.NEGATIVE_INFINITY

  const ended = (error: unknown): void => {
    const isTurn = (error === undefined) !== (failure === undefined)
    failure = error
    if (isTurn) onTurn?.(error)
  }
  const begin = async (): Promise<KeySet> => {
    const readAt = (lastTry = performance.now())
    try {
      known = { byId: toKeysById(await readKeySet(jwksUri)), readAt }
      ended(undefined)
      return known
    } catch (error) {
      ended(error)
      throw unreadable(error)
    } finally {
      reading = undefined
    }
  }
  const read = (): Promise<KeySet> => (reading ??= begin())
  const mayTry = (): boolean => reading !== undefined || performance.now() - lastTry >= retryInterval
  const cachedKeys = (): KeySet | undefined =>
    known !== undefined && performance.now() - known.readAt < maxAge ? known : undefined

  const setFor = async (kid: string | undefined): Promise<KeySet> => {
    const set = cachedKeys()
    if (set?.byId.has(kid) === true) {
      if (performance.now() - set.readAt >= refreshAfter && mayTry()) read().catch(() => undefined)
      return set
    }
    if (set === undefined || mayTry()) return read()
    // The key may be a new one.
    if (failure !== undefined) throw unreadable(failure)
    return set
  }
  return async ({ alg, kid }) => {
    if (alg !== 'RS256' && alg !== 'ES256') return []
    const set = await setFor(kid)
    const key = set.byId.get(kid)
    return key?.algorithm === alg ? [{ ...key, until: set.readAt + maxAge }] : []
  }
}

const unreadable = (cause: unknown): HttpError =>
  new HttpError('UNAVAILABLE', 'The keys that tokens are checked with cannot be read at the moment.', { cause })

const readKeySet = async (jwksUri: string): Promise<JsonWebKey[]> => {
  const response = await fetch(jwksUri, { redirect: 'error', signal: AbortSignal.timeout(5_000) })
  const body = await response.text()
  if (!response.ok) throw new Error(`The key set was answered with status ${response.status}.`)
  return (JSON.parse(body) as { keys: JsonWebKey[] }).keys
}

const maxKeys = 100

/** Signing keys by id; a set with one key needs no id. */
const toKeysById = (keys: readonly JsonWebKey[]): Map<string | undefined, VerificationKey> => {
  const found = keys.slice(0, maxKeys).flatMap((jwk) => {
    const key = jwk['use'] === undefined || jwk['use'] === 'sig' ? publicKey(jwk) : undefined
    const algorithm = key && algorithmOf(key)
    return key === undefined || algorithm === undefined
      ? []
      : [[jwk['kid'] as string | undefined, { key, algorithm }] as const]
  })
  return new Map([...found, ...(found.length === 1 ? found.map(([, key]) => [undefined, key] as const) : [])])
}

const publicKey = (jwk: JsonWebKey): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}
