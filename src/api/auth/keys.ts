import { createPublicKey, createSecretKey, type KeyObject, type JsonWebKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { createDataFolder, readOrCreateSecret } from '../../stores/sqlite/dataFolder.ts'
import { reasonOf } from '../../stores/fileProblems.ts'
import type { JwksClient } from 'jwks-rsa'
import { HttpError } from '../http/problemDetails.ts'

/** Algorithms that a token may be signed with; never `none`. */
export type TokenAlgorithm = 'HS256' | 'RS256' | 'ES256'

/** A key and the only algorithm that it may verify, so that no public key is ever taken for a secret. */
export interface VerificationKey {
  readonly algorithm: TokenAlgorithm
  readonly key: KeyObject
  /** Milliseconds since the epoch; what it verified must be verified anew then. */
  readonly until?: number
}

/** Keys that may have signed a token with this header. Rejects with HttpError UNAVAILABLE when they cannot be read. */
export type KeySource = (header: {
  alg: string
  kid: string | undefined
}) => readonly VerificationKey[] | Promise<readonly VerificationKey[]>

const minSecretBytes = 32

/** HS256 by a shared secret. @throws RangeError when it is shorter than 32 bytes */
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
    throw new TypeError('it holds no public key in PEM', { cause: error })
  }
}

/** RS256 or ES256 by a public key in PEM (or an X.509 certificate). @throws TypeError when the text is no such key */
export const publicKeySource = (pem: string): KeySource => {
  if (pem.includes('PRIVATE KEY')) throw new TypeError('it holds a private key, and a public one is needed')
  const key = publicKeyIn(pem)
  const algorithm = algorithmOf(key)
  if (algorithm === undefined) throw new TypeError('it must hold an RSA key of at least 2,048 bits or a P-256 key')
  return (header) => (header.alg === algorithm ? [{ algorithm, key }] : [])
}

/** The secret of the embedded mode: read from the file, or made and written there on first start. */
export const secretInFile = async (path: string): Promise<string> =>
  readOrCreateSecret(createDataFolder(dirname(path)), basename(path))

interface KeyOptions {
  readonly secret?: string | undefined
  readonly publicKeyFile?: string | undefined
  readonly jwksUrl?: string | undefined
  /** Where a secret is kept, and made when missing, in case none of the others is given. */
  readonly secretFile: string
}

/** The key sources that are configured. @throws Error that names the file or variable which cannot be used */
export const readKeys = async (options: KeyOptions): Promise<KeySource[]> => {
  const sources: KeySource[] = []
  if (options.secret !== undefined) sources.push(secretSource(options.secret))
  if (options.publicKeyFile !== undefined) {
    try {
      sources.push(publicKeySource(await readFile(options.publicKeyFile, 'utf8')))
    } catch (error) {
      const problem = `CATALOG_JWT_PUBLIC_KEY_FILE names ${options.publicKeyFile}, which cannot be used`
      throw new Error(`${problem}: ${reasonOf(error)}.`, { cause: error })
    }
  }
  if (options.jwksUrl !== undefined) sources.push(jwksSource(options.jwksUrl))
  if (sources.length === 0) sources.push(secretSource(await secretInFile(options.secretFile)))
  return sources
}

interface JwksTimes {
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
