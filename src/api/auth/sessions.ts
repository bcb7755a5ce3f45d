import { hkdfSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import jwt, { type JwtPayload } from 'jsonwebtoken'
import type { Actor } from './actor.ts'
import { NotAuthenticated } from './authenticate.ts'

/** Milliseconds for which a session lasts, and a ticket. */
export const sessionLength = 12 * 60 * 60 * 1000
export const ticketLength = 60 * 1000

const purpose = 'metadata catalog: sessions'

/** What a signed text is good for: a session is no ticket, and neither is a token. */
type Use = 'session' | 'ticket' | 'sign-in'

export interface SessionOptions {
  /** Any text with enough randomness, the same in all processes; the key is derived from it. */
  readonly secret: string
  /** The console is reached by https: browsers keep its cookies from everything else. */
  readonly secure: boolean
  /** Milliseconds since the epoch; for tests. */
  readonly now?: () => number
}

/** Signs people in with a cookie, and lets them open a stream with a ticket. Nothing is kept but the key. */
export interface Sessions {
  /** A `Set-Cookie` that signs the actor in, and until when, in milliseconds since the epoch. */
  begin(actor: Actor, headers: IncomingHttpHeaders): { readonly cookie: string; readonly until: number }
  /** A `Set-Cookie` that ends the session. */
  end(headers: IncomingHttpHeaders): string
  /** Who has the session of the cookie. @throws NotAuthenticated when it has ended */
  actorOf(headers: IncomingHttpHeaders): Actor | undefined
  /** A text that opens one stream of events, for a minute. */
  ticketFor(actor: Actor): { readonly ticket: string; readonly until: number }
  /** @throws NotAuthenticated */
  actorOfTicket(ticket: string): Actor
  /** Signs what must come back from the browser unchanged, for `seconds`. */
  sign(members: Readonly<Record<string, string>>, seconds: number): string
  /** What {@link Sessions.sign} signed; `undefined` when it was changed or is too old. */
  verify(text: string): Readonly<Record<string, unknown>> | undefined
  readonly secure: boolean
}

/** The value of a cookie; of several with the name, the first. */
export const cookieNamed = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** Cookies know no ports: catalogs at several ports of one host must not sign each other out. */
const cookieName = (secure: boolean, { host = '' }: IncomingHttpHeaders): string =>
  secure ? '__Host-catalog-session' : `catalog-session-${/:(\d+)$/.exec(host)?.[1] ?? '80'}`

export const makeSessions = ({ secret, secure, now = Date.now }: SessionOptions): Sessions => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  const seconds = (): number => Math.floor(now() / 1000)
  const sign = (use: Use, members: object, until: number): string =>
    jwt.sign({ ...members, iat: seconds(), exp: Math.floor(until / 1000) }, key, { algorithm: 'HS256', audience: use })
  const verify = (use: Use, text: string): JwtPayload | undefined => {
    try {
      return jwt.verify(text, key, { algorithms: ['HS256'], audience: use, clockTimestamp: seconds() }) as JwtPayload
    } catch {
      return undefined
    }
  }
  const actorIn = ({ name, roles, until }: JwtPayload): Actor => ({ name, roles: Object.freeze(roles), until })
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  return {
    secure,
    begin: ({ name, roles, until: tokenUntil }, headers) => {
      const until = Math.min(tokenUntil ?? Number.POSITIVE_INFINITY, now() + sessionLength)
      const value = sign('session', { name, roles, until }, until)
      const age = Math.max(0, Math.floor((until - now()) / 1000))
      return { cookie: `${cookieName(secure, headers)}=${value}; Max-Age=${age}; ${attributes}`, until }
    },
    end: (headers) => `${cookieName(secure, headers)}=; Max-Age=0; ${attributes}`,
    actorOf: (headers) => {
      const value = cookieNamed(headers, cookieName(secure, headers))
      if (value === undefined || value === '') return undefined
      const members = verify('session', value)
      if (members === undefined) throw new NotAuthenticated('The session has ended: sign in again.', true)
      return actorIn(members)
    },
    ticketFor: ({ name, roles, until }) => {
      const end = now() + ticketLength
      return { ticket: sign('ticket', { name, roles, until: until ?? now() + sessionLength }, end), until: end }
    },
    actorOfTicket: (ticket) => {
      const members = verify('ticket', ticket)
      if (members === undefined) throw new NotAuthenticated('The ticket is too old or none of this catalog.', true)
      return actorIn(members)
    },
    sign: (members, length) => sign('sign-in', members, now() + length * 1000),
    verify: (text) => verify('sign-in', text),
  }
}
