import { hkdfSync } from 'node:crypto'
import jwt, { type JwtPayload } from 'jsonwebtoken'
import type { Actor } from '../http/route.ts'
import { HttpError } from '../http/problemDetails.ts'
import { NotAuthenticated, tokenOf, type Authenticate } from './authenticate.ts'

const purpose = 'metadata catalog: tokens with names'

interface NamedToken {
  /** Of the program that has it, and of its entity. */
  readonly name: string
  /** UUID; the program's entity has it as long as the token holds. */
  readonly id: string
  readonly roles: readonly string[]
  /** Seconds since the epoch. */
  readonly expires: number
}

export interface NamedTokens {
  sign(token: NamedToken): string
  /** Verifies tokens with names, and leaves all others to `otherwise`. */
  authenticate(otherwise: Authenticate): Authenticate
}

interface NamedTokensOptions {
  /** Any text with enough entropy, the same in all processes; the key is derived from it. */
  readonly secret: string
  /** The id of the token that a program has at the moment. */
  readonly current: (name: string) => Promise<string | undefined>
  /** Milliseconds since the epoch; for tests. */
  readonly now?: () => number
}

const header = { alg: 'HS256', typ: 'JWT', kid: 'catalog-named' } as const
const options = { algorithms: ['HS256'], audience: 'catalog-program' } satisfies jwt.VerifyOptions

export const revoked = (): NotAuthenticated =>
  new NotAuthenticated('The token was revoked, or the session ended.', true)

/** Of a token that can be revoked nothing is made that would outlast it. @throws HttpError FORBIDDEN for a program */
export const mustBePerson = ({ program }: Actor, message: string): void => {
  if (program !== undefined) throw new HttpError('FORBIDDEN', message)
}

/** Tokens of programs: one holds as long as the entity of its name has its id, in every process. */
export const makeNamedTokens = ({ secret, current, now = Date.now }: NamedTokensOptions): NamedTokens => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  const sign = ({ name, id, roles, expires }: NamedToken): string =>
    jwt.sign({ sub: name, jti: id, roles, aud: options.audience, exp: expires }, key, { algorithm: 'HS256', header })
  const [beginning = ''] = sign({ name: '', id: '', roles: [], expires: 0 }).split('.')
  const verify = (token: string): JwtPayload => {
    try {
      return jwt.verify(token, key, { ...options, clockTimestamp: Math.floor(now() / 1000) }) as JwtPayload
    } catch (error) {
      const expired = error instanceof jwt.TokenExpiredError
      const message = expired ? 'The token has expired.' : 'The signature of the token cannot be verified.'
      throw new NotAuthenticated(message, true, error)
    }
  }
  const actorOf = async (token: string): Promise<Actor> => {
    const { sub: name = '', jti, roles, exp = 0 } = verify(token)
    const holds = async (): Promise<boolean> => (await current(name)) === jti
    if (!(await holds())) throw revoked()
    return { name, roles: Object.freeze([...(roles as string[])]), until: exp * 1000, program: true, holds }
  }
  return {
    sign,
    authenticate: (otherwise) => (authorization) => {
      const token = tokenOf(authorization)
      return token.startsWith(`${beginning}.`) ? actorOf(token) : otherwise(authorization)
    },
  }
}
