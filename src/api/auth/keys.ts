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
 * Finds keys that may have signed a token with this header. Whoever takes one asks for the next only if that did not sign
 * it. Throws HttpError UNAVAILABLE when keys are unreadable.
 */
export type KeySource = (header: {
  alg: string
  kid: string | undefined
}) => Iterable<VerificationKey> | AsyncIterable<VerificationKey>

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
/** Shortest interval of refreshing for unknown keys. */
const retryInterval = 10_000

interface KeySet {
  readonly keys: readonly (VerificationKey & { readonly kid: unknown })[]
  readonly readAt: number
}

/**
 * RS256 or ES256 with a JSON Web Key Set, refreshed ahead of time and occasionally for tokens that none of its keys signed.
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
      known = { keys: signingKeys(await readKeySet(jwksUri)), readAt }
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
  const keySet = async (): Promise<KeySet> => {
    const age = known === undefined ? maxAge : performance.now() - known.readAt
    if (known === undefined || age >= maxAge) return read()
    if (age >= refreshAfter && mayTry()) read().catch(() => undefined)
    return known
  }
  return async function* ({ alg, kid }) {
    if (alg !== 'RS256' && alg !== 'ES256') return
    const candidates = ({ keys, readAt }: KeySet): VerificationKey[] =>
      keys
        .filter((key) => key.algorithm === alg && (kid === undefined || key.kid === kid))
        .map((key) => ({ ...key, until: readAt + maxAge }))
    yield* candidates(await keySet())
    // The key may be a new one.
    if (mayTry()) yield* candidates(await read())
    else if (failure !== undefined) throw unreadable(failure)
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

const signingKeys = (keys: readonly JsonWebKey[]): KeySet['keys'] =>
  keys.slice(0, maxKeys).flatMap((jwk) => {
    const key = jwk['use'] === undefined || jwk['use'] === 'sig' ? publicKey(jwk) : undefined
    const algorithm = key && algorithmOf(key)
    return key === undefined || algorithm === undefined ? [] : [{ key, algorithm, kid: jwk['kid'] }]
  })

const publicKey = (jwk: JsonWebKey): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}
