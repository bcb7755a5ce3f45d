import { hash, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import jwt, { type JwtPayload } from 'jsonwebtoken'
import type { Actor } from '../http/route.ts'
import { HttpError } from '../http/problemDetails.ts'
import { userNameProblem, systemUser } from '../../shared/entityName.ts'
import { secretKey, type KeySource, type TokenAlgorithm, type VerificationKey } from './keys.ts'
import { limits } from '../../shared/limits.ts'

/** No token or an invalid one: 401 with `WWW-Authenticate`. */
export class Unauthenticated extends HttpError {
  override readonly name = 'Unauthenticated'
  constructor(message: string, tokenGiven: boolean, cause?: unknown) {
    // No description may have double quotes (RFC 6750, section 3).
    const description = message.replaceAll('"', "'")
    const challenge = tokenGiven ? `Bearer error="invalid_token", error_description="${description}"` : 'Bearer'
    super('UNAUTHORIZED', message, { headers: { 'WWW-Authenticate': challenge }, cause })
  }
}

/** Where the claims of a token have the roles. */
export interface ClaimNames {
  /** Claim with the roles, or a dotted path to it. Default `roles`. */
  readonly rolesClaim?: string | undefined
  /** Role of a token that names none. Default `DataConsumer`. */
  readonly defaultRole?: string | undefined
}

export interface AuthenticatorOptions extends ClaimNames {
  /** Key sources; a token is accepted if any key verifies it. */
  readonly keys: readonly KeySource[]
  readonly issuer?: string | undefined
  /** Required in `aud`, if set. */
  readonly audience?: string | undefined
  /** Refuses tokens without `exp`. Default true. */
  readonly requireExpiry?: boolean | undefined
  /** Number of cached verified tokens (default 10,000). */
  readonly cacheSize?: number
}

/** Identifies the caller by `Authorization`; synchronous for a cached token. @throws Unauthenticated, HttpError */
export type Authenticate = (authorization: string | undefined) => Actor | Promise<Actor>

const clockTolerance = 60
/** The end of the year 9998 in seconds: later times are not dates in the format of answers. */
const latestExpiry = 253_370_764_799
/** Longest time to cache a token in milliseconds. */
const rememberedFor = 600_000
const algorithms: readonly TokenAlgorithm[] = ['HS256', 'RS256', 'ES256']

interface Verified {
  readonly actor: Actor
  /** When the token ends, in milliseconds since the epoch: the clock may be set. */
  readonly expiry: number
}

const bearer = /^Bearer +([A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+) *$/i

export const tokenOf = (authorization: string | undefined): string => {
  if (authorization === undefined || authorization === '') {
    throw new Unauthenticated('A bearer token is needed: Authorization: Bearer TOKEN.', false)
  }
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined) throw new Unauthenticated('The Authorization header must be Bearer and a JWT.', true)
  const most = limits.token.value
  if (token.length > most) throw new Unauthenticated(`The token may have at most ${most} bytes.`, true)
  return token
}

/** Makes the authenticator; verified tokens are cached until they or their keys expire. */
export const makeAuthenticator = (options: AuthenticatorOptions): Authenticate => {
  // By a clock that is never set.
  const perf = performance
  const cache = new LRUCache<string, Verified>({ max: options.cacheSize ?? 10_000, perf, ttlResolution: 0 })

  const verify = async (token: string, key: string): Promise<Actor> => {
    const { claims, until = Infinity } = await verifyToken(token, options)
    const actor = actorOf(claims, options)
    const expiry = (claims.exp ?? Infinity) * 1000
    cache.set(key, { actor, expiry }, { ttl: Math.max(1, Math.min(until - performance.now(), rememberedFor)) })
    return actor
  }

  return (authorization) => {
    const token = tokenOf(authorization)
    const key = hash('sha256', token, 'base64')
    const known = cache.get(key)
    return known === undefined || known.expiry <= Date.now() ? verify(token, key) : known.actor
  }
}

/** Verified claims, and until when their key is trusted. */
const verifyToken = async (token: string, options: AuthenticatorOptions) => {
  const header = decodeHeader(token)
  for (const source of options.keys) {
    for await (const candidate of source(header)) {
      try {
        return { claims: verifyWith(candidate, token, options), until: candidate.until }
      } catch (error) {
        if ((error as Error).message !== 'invalid signature') throw notVerified(error)
      }
    }
  }
  throw notVerified(undefined)
}

const decode = (token: string): jwt.Jwt | null => {
  try {
    return jwt.decode(token, { complete: true })
  } catch (error) {
    throw new Unauthenticated('The token is not a JWT: its parts are not JSON.', true, error)
  }
}

const decodeHeader = (token: string): { alg: string; kid: string | undefined } => {
  const { alg, kid, crit } = (decode(token)?.header ?? {}) as Record<string, unknown>
  if (!algorithms.includes(alg as TokenAlgorithm)) {
    throw new Unauthenticated(`The token must be a JWT signed with ${algorithms.join(', ')}.`, true)
  }
  if (crit !== undefined) throw new Unauthenticated('The token asks for extensions that are not supported.', true)
  return { alg: alg as TokenAlgorithm, kid: typeof kid === 'string' ? kid : undefined }
}

const verifyWith = (candidate: VerificationKey, token: string, options: AuthenticatorOptions): JwtPayload => {
  const claims = jwt.verify(token, candidate.key, {
    algorithms: [candidate.algorithm],
    clockTolerance,
    ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    ...(options.audience === undefined ? {} : { audience: options.audience }),
  })
  if (typeof claims === 'string') throw new Unauthenticated('The token has no claims.', true)
  if (claims.exp === undefined && options.requireExpiry !== false)
    throw new Unauthenticated('The token has no expiry (exp).', true)
  if ((claims.exp ?? 0) > latestExpiry) throw new Unauthenticated('The expiry (exp) is after the year 9998.', true)
  return claims
}

/** What to say of a token that cannot be verified. */
export const notVerified = (failure: unknown): Unauthenticated => new Unauthenticated(reason(failure), true, failure)

const reason = (failure: unknown): string => {
  if (failure instanceof Unauthenticated) return failure.message
  if (failure instanceof jwt.TokenExpiredError) return 'The token has expired.'
  if (failure instanceof jwt.NotBeforeError) return 'The token is not valid yet.'
  const message = failure instanceof Error ? failure.message : ''
  if (message.startsWith('jwt issuer')) return 'The token comes from another issuer.'
  if (message.startsWith('jwt audience')) return 'The token is meant for another audience.'
  return 'The signature of the token cannot be verified.'
}

/** The name and the roles that claims tell, each `undefined` where they do not. */
export const toldBy = (claims: JwtPayload, { rolesClaim = 'roles' }: ClaimNames) => {
  const preferred: unknown = claims.preferred_username
  return {
    name: preferred === '' ? undefined : (preferred ?? undefined),
    roles: claimAt(claims, rolesClaim) ?? undefined,
  }
}

/** The actor of verified claims, completed from the provider's user info. @throws Unauthenticated when they name no user */
export const actorOf = (claims: JwtPayload, options: ClaimNames, userInfo: JwtPayload = {}): Actor => {
  const [own, more] = [toldBy(claims, options), toldBy(userInfo, options)]
  const name = own.name ?? more.name ?? claims.sub
  if (!isUserName(name))
    throw new Unauthenticated(
      `The token does not name a user: preferred_username or sub must have ${userNameRule}.`,
      true,
    )
  if (name === systemUser) throw new Unauthenticated(`The name ${name} is that of the catalog itself.`, true)
  const roles = rolesOf(own.roles ?? more.roles)
  return {
    name,
    roles: Object.freeze(roles.length === 0 ? [options.defaultRole ?? 'DataConsumer'] : roles),
    ...(claims.exp !== undefined && { until: (claims.exp + clockTolerance) * 1000 }),
  }
}

export const userNameRule =
  '1 to 256 characters in Unicode form NFC, no control or invisible characters, no blanks at its ends and no "::"'

/** The rule for the name of a new user. */
export const isUserName = (name: unknown): name is string =>
  typeof name === 'string' && userNameProblem(name) === undefined && name.isWellFormed()

const rolesOf = (value: unknown): string[] => {
  const roles = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : []
  return [...new Set(roles.filter((role): role is string => typeof role === 'string' && role !== ''))]
}

/** A claim of exactly this name (which may contain dots), else the claim at the dotted path. */
const claimAt = (claims: JwtPayload, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

interface NewToken extends Pick<AuthenticatorOptions, 'issuer' | 'audience' | 'rolesClaim'> {
  readonly user: string
  readonly roles: readonly string[]
  /** Lifetime in seconds. */
  readonly ttl: number
}

/** Signs a token (HS256) for {@link makeAuthenticator}. @throws RangeError for an invalid name or a short secret */
export const signToken = (secret: string, token: NewToken): string => {
  if (token.user === systemUser) throw new RangeError(`The name ${systemUser} is that of the catalog itself.`)
  if (!isUserName(token.user)) throw new RangeError(`A user name must have ${userNameRule}.`)
  const path = (token.rolesClaim ?? 'roles').split('.')
  const claims = path.reduceRight<unknown>((value, name) => ({ [name]: value }), token.roles) as object
  return jwt.sign(claims, secretKey(secret), {
    algorithm: 'HS256',
    subject: token.user,
    jwtid: randomUUID(),
    expiresIn: token.ttl,
    ...(token.issuer === undefined ? {} : { issuer: token.issuer }),
    ...(token.audience === undefined ? {} : { audience: token.audience }),
  })
}
