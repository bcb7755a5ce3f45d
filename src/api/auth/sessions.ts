import { forbidden } from '../../commands/errors.ts'
import { hash, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import jwt, { type JwtPayload } from 'jsonwebtoken'
import type { z } from 'zod'
import { HttpError } from '../http/problemDetails.ts'
import type { Actor, ApiRequest, Credentials, Identify } from '../http/route.ts'
import { type Authenticate, Unauthenticated, notVerified, tokenOf } from './authenticate.ts'
import { limits } from '../../shared/limits.ts'

/** Lifetime of a session in milliseconds. */
export const sessionLength = 12 * 60 * 60 * 1000

/** Signs and verifies with a key of its own for each purpose. */
const makeSigner = (secret: string, purpose: string) => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    sign: (claims: object, audience: string, options: jwt.SignOptions = {}): string =>
      jwt.sign(claims, key, { ...options, algorithm: 'HS256', audience }),
    verify: (text: string, audience: string): JwtPayload =>
      jwt.verify(text, key, { algorithms: ['HS256'], audience }) as JwtPayload,
  }
}

/** What the holder of a signed text returns unchanged: what a sign-in began with, or the token of an open request. */
type Returned = 'sign-in' | 'request'

/** The purpose of a signed text: what was signed for one holds for no other. */
type Audience = 'session' | Returned

export interface SessionOptions {
  /** Any text with enough entropy, the same in all processes; the key is derived from it. */
  readonly secret: string
  /** Names of the roles that there are: a session keeps no others. */
  readonly roles: readonly string[]
  /** Whether the console is always served by https: then the names of cookies begin with `__Host-`. */
  readonly secure: boolean
  /** Path before `/api` in the public address. Default: none. */
  readonly path?: string
  readonly currentSeries: (user: string) => Promise<string>
}

/** What is known of a browser by its request. */
type Browser = Pick<ApiRequest, 'headers' | 'baseUrl'>

/** Browsers drop a longer cookie without a word. */
const longestCookie = limits.cookie.value

/** The value of a cookie; the first one of duplicates. */
export const readCookie = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** The names of cookies contain the path, since browsers send one of `__Host-` to all catalogs of a host. */
const makeCookies = ({ secure, path = '' }: Pick<SessionOptions, 'secure' | 'path'>) => {
  const named = (name: string): string => `${secure ? '__Host-' : ''}${name}${encodeURIComponent(path)}`
  /** It contains the port as well, since cookies ignore it. */
  const nameOfSession = ({ host = '' }: IncomingHttpHeaders): string =>
    named(`catalog-session-${/:(\d+)$/.exec(host)?.[1] ?? '80'}`)
  /** The attributes of any cookie: `Secure` also where only a proxy serves https. */
  const attributes = ({ baseUrl }: Browser): string =>
    `Path=/; HttpOnly${secure || baseUrl.startsWith('https:') ? '; Secure' : ''}`
  return {
    named,
    attributes,
    session: (value: string, age: number, browser: Browser): string =>
      `${nameOfSession(browser.headers)}=${value}; Max-Age=${age}; SameSite=Strict; ${attributes(browser)}`,
    readSession: (headers: IncomingHttpHeaders) => readCookie(headers, nameOfSession(headers)),
  }
}

/** Sessions by cookie. */
export const makeSessions = (options: SessionOptions) => {
  const { secret, roles: known, currentSeries } = options
  const cookies = makeCookies(options)
  const signer = makeSigner(secret, 'metadata catalog: sessions')
  const sign = (use: Audience, members: object, until: number): string =>
    signer.sign({ ...members, exp: Math.floor(until / 1000) }, use)
  /** The claims of a text; `undefined` if it was changed, is too old, or has another purpose. */
  const verify = (use: Audience, text: string): JwtPayload | undefined => {
    try {
      return signer.verify(text, use)
    } catch {
      return undefined
    }
  }
  const signFor = async ({ name, roles: given }: Actor, until: number): Promise<string> => {
    const roles = given.filter((role) => known.includes(role))
    return sign('session', { name, roles, until, series: await currentSeries(name) }, until)
  }
  return {
    cookieNamed: cookies.named,
    attributes: cookies.attributes,
    /** A `Set-Cookie` that signs the actor in, and its expiry in epoch milliseconds. @throws HttpError if it is too long */
    begin: async (actor: Actor, browser: Browser) => {
      const until = Math.min(actor.until ?? Number.POSITIVE_INFINITY, Date.now() + sessionLength)
      const age = Math.max(0, Math.floor((until - Date.now()) / 1000))
      const cookie = cookies.session(await signFor(actor, until), age, browser)
      if (cookie.length <= longestCookie) return { cookie, until }
      const message = `The roles of ${actor.name} make a cookie of ${cookie.length} bytes`
      throw new HttpError('BAD_REQUEST', `${message}, and browsers keep at most ${longestCookie}: use fewer roles.`)
    },
    end: (browser: Browser) => cookies.session('', 0, browser),
    /** The actor of a session cookie. @throws Unauthenticated when it has ended */
    actorOf: async (headers: IncomingHttpHeaders): Promise<Actor | undefined> => {
      const value = cookies.readSession(headers)
      if (value === undefined || value === '') return undefined
      const payload = verify('session', value)
      const { name, roles, until, series } = payload ?? {}
      const holds = async (): Promise<boolean> => (await currentSeries(name)) === series
      if (payload === undefined || !(await holds()))
        throw new Unauthenticated('The session has ended: sign in again.', true)
      return { name, roles: Object.freeze(roles), until, holds }
    },
    /** Signs data that must be returned unchanged within so many seconds. */
    sign: (use: Returned, members: Readonly<Record<string, string>>, length: number) =>
      sign(use, members, Date.now() + length * 1000),
    /** Verifies the result of `sign`; `undefined` if it was changed, is too old, or has another purpose or shape. */
    verify: <Members>(use: Returned, shape: z.ZodType<Members>, text: string): Members | undefined =>
      shape.safeParse(verify(use, text)).data,
  }
}

export type Sessions = ReturnType<typeof makeSessions>

/** Codes that sign somebody in once. They live in this process alone and end with it. */
export const makeSignInCodes = () => {
  const actors = new Map<string, Actor>()
  const keyOf = (code: string): string => hash('sha256', code)
  return {
    issue: (actor: Actor) => {
      const code = randomBytes(24).toString('base64url')
      actors.set(keyOf(code), actor)
      return code
    },
    /** Whom the code signs in; from now on nobody. */
    redeem: (code: string) => {
      const key = keyOf(code)
      const actor = actors.get(key)
      actors.delete(key)
      return actor
    },
    /** Is there one that nobody used yet? */
    available: () => actors.size > 0,
  }
}

export type SignInCodes = ReturnType<typeof makeSignInCodes>

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const hostOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).host : '')

/** Whether the origin of a page is that of the catalog: by its public address, or by the one that was connected to. */
const isOwnOrigin = (origin: string, { headers: { host = '' }, baseUrl }: Browser): boolean =>
  hostOf(origin) === host || origin === new URL(baseUrl).origin

/**
 * Refuses what a page of another origin makes a browser send: browsers say in a header where a request comes from,
 * unless it is plain reading. @throws DomainError `forbidden`
 */
export const mustBeSameOrigin = (from: Browser & Pick<Credentials, 'method'>): void => {
  if (safeMethods.has(from.method)) return
  const { 'sec-fetch-site': site, origin } = from.headers
  const ours = site !== undefined ? site === 'same-origin' : origin === undefined || isOwnOrigin(origin, from)
  if (ours) return
  throw forbidden(
    'This request comes from a page of another origin: only the console uses the session. If it is the console, behind a ' +
      'proxy, set CATALOG_BASE_URL to its address in the browser.',
  )
}

/** A page says in a header who it was made for: tabs share a cookie, which becomes another user's with the next sign-in. */
const isForAnother = ({ 'catalog-user': user }: IncomingHttpHeaders, { name }: Actor): boolean =>
  user !== undefined && user !== encodeURIComponent(name)

/** A token in the header, else the session of the cookie: browsers add headers of their own for proxies. */
export const makeIdentify = (authenticate: Authenticate, sessions: Pick<Sessions, 'actorOf'>): Identify => {
  const bySession = async (credentials: Credentials): Promise<Actor> => {
    const actor = await sessions.actorOf(credentials.headers)
    if (actor === undefined) return authenticate(credentials.headers.authorization)
    mustBeSameOrigin(credentials)
    if (isForAnother(credentials.headers, actor))
      throw new Unauthenticated(`The session is one of ${actor.name}, not of the user in Catalog-User.`, true)
    return actor
  }
  return (credentials) => {
    const { authorization = '' } = credentials.headers
    return /^Bearer\b/i.test(authorization) ? authenticate(authorization) : bySession(credentials)
  }
}

interface NamedToken {
  /** Of the program that has it, and of its entity. */
  readonly name: string
  /** UUID; the program's entity has it as long as the token holds. */
  readonly id: string
  readonly roles: readonly string[]
  /** Seconds since the epoch. */
  readonly expires: number
}

interface TokenSignerOptions {
  /** Any text with enough entropy, the same in all processes; the key is derived from it. */
  readonly secret: string
  /** The id of the token that a program has at the moment. */
  readonly current: (name: string) => Promise<string | undefined>
}

const programAudience = 'catalog-program'

export const revoked = (): Unauthenticated => new Unauthenticated('The token was revoked, or the session ended.', true)

/** Of a token that can be revoked nothing is made that would outlast it. @throws DomainError `forbidden` for a program */
export const mustBePerson = ({ program }: Actor, message: string): void => {
  if (program !== undefined) throw forbidden(message)
}

const signedElsewhere = 'The token was not signed with the CATALOG_SECRET_KEY that this catalog has now.'

/** Tokens of programs: one holds as long as the entity of its name has its id, in every process. */
export const makeTokenSigner = ({ secret, current }: TokenSignerOptions) => {
  const signer = makeSigner(secret, 'metadata catalog: tokens with names')
  const sign = ({ name, id, roles, expires }: NamedToken): string =>
    signer.sign({ sub: name, jti: id, roles, exp: expires }, programAudience, { keyid: 'catalog-named' })
  const [beginning = ''] = sign({ name: '', id: '', roles: [], expires: 0 }).split('.')
  const verify = (token: string): JwtPayload => {
    try {
      return signer.verify(token, programAudience)
    } catch (error) {
      const isForeign = error instanceof Error && error.message === 'invalid signature'
      throw isForeign ? new Unauthenticated(signedElsewhere, true, error) : notVerified(error)
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
    /** Verifies tokens with names, and leaves all others to `otherwise`. */
    authenticate:
      (otherwise: Authenticate): Authenticate =>
      (authorization) => {
        const token = tokenOf(authorization)
        return token.startsWith(`${beginning}.`) ? actorOf(token) : otherwise(authorization)
      },
  }
}
