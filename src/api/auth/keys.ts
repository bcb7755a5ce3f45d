import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { createDataFolder, readOrCreateSecret } from '../../stores/sqlite/dataFolder.ts'
import { reasonOf } from '../../stores/fileProblems.ts'
import { jwksSource } from './jwks.ts'

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
export const algorithmOf = (key: KeyObject): TokenAlgorithm | undefined => {
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

export interface KeyOptions {
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
