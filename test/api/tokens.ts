import jwt from 'jsonwebtoken'
import { makeAuthenticator, type AuthenticatorOptions } from '../../src/api/auth/authenticate.ts'
import { secretSource } from '../../src/api/auth/keys.ts'
import { ec, rsa, secret } from './support.ts'

/** The time of tests about tokens, in seconds since the epoch: their clock stands still. */
export const now = 1_700_000_000
export const claims = { sub: 'ada', roles: ['Admin'], exp: now + 600 }
export const pem = (pair: typeof rsa | typeof ec): string =>
  pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
export const sign = (payload: object, key: jwt.Secret = secret, options: jwt.SignOptions = {}): string =>
  jwt.sign(payload, key, { noTimestamp: true, ...options })

export const authenticator = (more: Partial<AuthenticatorOptions> = {}) =>
  makeAuthenticator({ keys: [secretSource(secret)], ...more })

export const actorOf = async (token: string, more?: Partial<AuthenticatorOptions>) =>
  authenticator(more)(`Bearer ${token}`)

export const refusal = async (
  authorization: string | undefined,
  more?: Partial<AuthenticatorOptions>,
): Promise<{ code: string; message: string; headers: Record<string, string> }> => {
  try {
    await authenticator(more)(authorization)
  } catch (error) {
    return error as never
  }
  throw new Error('the token was accepted')
}
